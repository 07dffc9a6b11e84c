"""The tests that are known to show the faults of the JDK's annotations, properties, tasks, registries and loggers."""

from crew import raised, together
from runtime import (
    Activation,
    AnnotationPair,
    AnnotationTypes,
    FilteredLogger,
    FutureTask,
    LoggerTable,
    LogManager,
    Properties,
)


def test_jdk_6588239():
    types = AnnotationTypes()
    together(types.annotations, types.instance)


def test_jdk_7122142():
    pair = AnnotationPair()
    together(lambda: pair.declared(0), lambda: pair.declared(1))


def test_jdk_6977738():
    properties = Properties()
    together(properties.store, properties.resource)


def test_jdk_7132378():
    task = FutureTask()
    assert together(lambda: task.set("result"), task.get)[1] == "result"


def test_jdk_8023541():
    activation = Activation()
    assert together(activation.start, activation.lookup)[1] in (None, "stub of system")


def test_jdk_4779253():
    logger = FilteredLogger()
    assert not raised(together(logger.log, lambda: logger.set_filter(None)))


def test_jdk_7045594():
    table = LoggerTable()
    assert len(raised(together(lambda: table.get_logger("test", "foo"), lambda: table.get_logger("test", "bar")))) == 1


def test_jdk_8010939():
    manager = LogManager()
    together(lambda: manager.add_logger("a"), manager.read_configuration)
