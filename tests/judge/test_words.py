"""Canonical values in words: whatever a state holds has some."""

import pytest

from plait.judge.words import plain, shown_value, telling_attributes


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


TOPICS = [
    ("dict", ("mapping", (("str", "a"), ("Topic", ("state", ("last", last), ("name", ("str", "a")))))))
    for last in (1, 2)
]


def test_values_with_one_text_are_told_apart_by_what_differs():
    """`diff` said "can leave {'a': a Topic} (before: {'a': a Topic})"."""
    telling = telling_attributes(TOPICS)
    assert telling == {("Topic", "last")}
    assert [plain(each, telling) for each in TOPICS] == ["{'a': Topic(last=1)}", "{'a': Topic(last=2)}"]
    assert [plain(each) for each in TOPICS] == ["{'a': a Topic}"] * 2


def test_values_whose_text_differs_need_nothing_more():
    assert telling_attributes([TOPICS[0], ("str", "a"), 3]) == frozenset()


@pytest.mark.parametrize(("value", "said"), [
    (("deque", ("items", 1, 2)), "deque([1, 2])"), (("Record", ("items", 1, ("str", "a"))), "Record(1, 'a')"),
    (("defaultdict", ("mapping", (1, 2))), "defaultdict({1: 2})"), (("set", ("set",)), "set()"),
    (("set", ("set", 1)), "{1}"), (("list", ("items",)), "[]"), (("dict", ("mapping",)), "{}"),
    (("frozenset", ("set", 1)), "frozenset({1})"), (("Item", ("state", ("name", 1))), "an Item"),
])  # fmt: skip
def test_a_container_is_said_with_its_content(value, said):
    assert plain(value) == said


def test_a_member_of_an_enumeration_has_its_class():
    """A step says Status.STORED of the same value: two names for one thing puzzle."""
    member = ("enum", "Status", "STORED")
    assert plain(member) == shown_value(member) == "Status.STORED"
