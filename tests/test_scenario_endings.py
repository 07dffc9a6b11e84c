"""How an execution ended, as a user reads it."""

import pytest

from plait.scenario import explore_threads


class Timer:
    """Its exit fails as well if the block has failed, which hides why."""

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return self.results


def chained(_state):
    with Timer():
        1 / 0


def renamed(_state):
    try:
        1 / 0
    except ZeroDivisionError as error:
        raise ValueError("no number") from error


def hidden(_state):
    try:
        1 / 0
    except ZeroDivisionError:
        raise ValueError("no number") from None


def circle(_state):
    first, second = ValueError("first"), ValueError("second")
    first.__context__, second.__context__ = second, first
    raise first


def details(body):
    verdict = explore_threads(list, [body], raise_on_failure=False)
    return verdict.outcome.details()


@pytest.mark.parametrize(("body", "line"), [(chained, 20), (renamed, 25)])
def test_the_exception_that_began_it_is_told(body, line):
    where, handled = details(body)
    assert where.startswith("at ")
    assert handled.startswith("while handling ZeroDivisionError: division by zero, at ")
    assert handled.endswith(f"test_scenario_endings.py:{line}: 1 / 0")


def test_what_the_author_hides_is_not_told():
    assert len(details(hidden)) == 1


def test_exceptions_in_a_circle_end():
    assert details(circle)[1].startswith("while handling ValueError: second")


def test_of_several_threads_each_has_its_own():
    verdict = explore_threads(list, [chained, hidden], raise_on_failure=False)
    told = "\n".join(verdict.outcome.details())
    assert told.count("while handling") == 1
