"""The tests that are known to show the faults of the JDK's collections and texts."""

from crew import raised, together
from tables import ComparedTable, InsertBuffer, StringBuffer, Vector, WrittenTable


def test_jdk_6582568():
    one, other = ComparedTable(), ComparedTable()
    together(lambda: one.same(other), lambda: other.same(one))


def test_jdk_6927486():
    one, other = WrittenTable(), WrittenTable()
    one.attach(other)
    other.attach(one)
    together(one.write, other.write)


def test_jdk_6934356():
    one, other = Vector(), Vector()
    one.nest(other)
    other.nest(one)
    together(one.write, other.write)


def test_jdk_4813150():
    one, other = StringBuffer(), StringBuffer()
    assert not raised(together(lambda: one.append(other), other.delete))


def test_jdk_7100996():
    buffer = InsertBuffer()
    assert not raised(together(buffer.double, buffer.delete_char_at))
