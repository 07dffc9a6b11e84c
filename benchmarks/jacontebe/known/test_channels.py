"""The tests that are known to show the faults of the JDK's channels, files and references."""

from channels import (
    Authentication,
    Engine,
    FileChannel,
    FileTree,
    ReferenceQueue,
    SelectableChannel,
    SelectionKey,
)
from crew import together


def test_jdk_4243978():
    queue = ReferenceQueue()
    queue.enqueue(1)
    queue.discover(2)
    together(queue.handle, lambda: queue.enqueue(2))
    assert queue.listed() == [2, 1]


def test_jdk_4742723():
    tree = FileTree()
    together(lambda: tree.mkdirs("base", "a"), lambda: tree.mkdirs("base", "b"))
    assert tree.exists("base", "a")
    assert tree.exists("base", "b")


def test_jdk_6436220():
    key = SelectionKey()
    results = together(lambda: key.attach("a"), lambda: key.attach("b"))
    assert sorted(str(each) for each in [*results, key.attachment()]) == ["None", "a", "b"]


def test_jdk_6492872():
    engine = Engine()
    together(lambda: engine.wrap("data"), engine.run_task)


def test_jdk_6648001():
    authentication = Authentication()
    together(authentication.ask, authentication.ask)


def test_jdk_7132889():
    channel = SelectableChannel()
    together(lambda: channel.register(1), channel.close)
    assert channel.valid_keys() == 0


def test_jdk_8012019():
    channel = FileChannel()
    together(channel.read, channel.close)
