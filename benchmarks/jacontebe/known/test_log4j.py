"""The tests that are known to show the faults of Log4j."""

from crew import together
from log4j import AppenderList, AsyncAppender, DispatchedAppender, Hierarchy, ThrowableInformation


def test_log4j_38137():
    appender = AsyncAppender()
    together(appender.append, appender.append, appender.append, lambda: [appender.dispatch() for _ in range(3)])


def test_log4j_41214():
    hierarchy = Hierarchy()
    together(hierarchy.info, hierarchy.info_object)


def test_log4j_44032():
    information = ThrowableInformation()
    assert together(information.lines, information.lines) == [["at error", "at a", "at b"]] * 2


def test_log4j_50463():
    appender = DispatchedAppender()
    together(lambda: appender.append(0), lambda: appender.append(1), lambda: appender.append(2))
    appender.close()


def test_log4j_54325():
    appenders = AppenderList()
    assert together(appenders.call_all, appenders.remove_all)[0] in (["console", "file"], [])
