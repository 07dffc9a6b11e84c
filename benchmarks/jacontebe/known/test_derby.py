"""The tests that are known to show the faults of Derby."""

from crew import raised, together
from derby import LogicalStatement, OverflowStream, PooledConnection, Scan, UpdateLoader


def test_derby_4129():
    scan = Scan()
    together(scan.next_page, scan.commit)
    assert not scan.latched()


def test_derby_5447():
    stream = OverflowStream()
    together(stream.read, stream.close)


def test_derby_5560():
    connection = PooledConnection()
    together(connection.close_logical, connection.close)


def test_derby_5561():
    statement = LogicalStatement()
    for error in raised(together(statement.native_sql, statement.close)):
        assert isinstance(error, ValueError)


def test_derby_764():
    loader = UpdateLoader()
    loader.modify_jar("a")
    together(lambda: loader.modify_jar("b"), loader.end_transaction)
