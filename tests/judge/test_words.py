"""Canonical values in words: whatever a state holds has some."""

import pytest

from plait.judge.words import plain, shown_value


@pytest.mark.parametrize(("value", "said"), [
    (3, "3"), (("str", "a"), "'a'"), (("tuple", 1, ("str", "b")), "(1, 'b')"), (("bytes", "00ff"), r"b'\x00\xff'"),
    (("list", ("items", 1, 2)), "[1, 2]"), (("Item",), "an Item"), ((), "a ?"),
    ((("str", "a"), ("tuple", 1)), "'a', (1,)"),
])  # fmt: skip
def test_a_value_is_said_as_people_write_it(value, said):
    """The parts of a value may come without its kind: a report of `plait diff` ended there."""
    assert plain(value) == said
    assert shown_value(value)


def test_a_function_that_a_test_defines_has_no_name_of_plait_s():
    assert plain(("named", "step.<locals>.<lambda>")) == shown_value(("named", "step.<locals>.<lambda>")) == "<lambda>"
