"""Calls that fit both versions."""

import pytest

from plait.errors import UsageError
from plait.generate.condiff import common_interface
from plait.subject.interface.discovery import discover


def interface(source):
    space = {"__name__": "subject"}
    exec(source, space)
    return discover(space["Thing"], name="subject:Thing")


def common(old, new):
    head = "class Thing:\n    def stay(self): pass\n"
    return common_interface(interface(head + old), interface(head + new))


def test_added_and_removed_methods_are_named_and_not_compared():
    found = common("    def gone(self): pass\n", "    def come(self): pass\n")
    assert (found.added, found.removed) == (("come",), ("gone",))
    assert [method.name for method in found.interface.methods] == ["stay"]
    assert found.notes == ["only the new version has come: `plait check` judges it", "only the old version has gone"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a", "a, b=1", [("a", "positional")]),  # an option that only the new version has
        ("a, b=1", "a", [("a", "positional")]),
        ("key", "name", [("name", "positional-only")]),  # renamed, passed by position
        ("a, b=1", "a, *, b=1", [("a", "positional"), ("b", "keyword")]),
        ("a, /", "a", [("a", "positional-only")]),
        ("a=1", "a", [("a", "positional")]),  # must be given, because the new version wants it
    ],
)
def test_parameters_that_both_versions_take(old, new, expected):
    found = common(f"    def call(self, {old}): pass\n", f"    def call(self, {new}): pass\n")
    (method,) = [each for each in found.interface.methods if each.name == "call"]
    assert [(each.name, each.kind) for each in method.parameters] == expected
    assert method.parameters[0].required
    assert found.incompatible == ()


@pytest.mark.parametrize(("old", "new"), [("a", "a, b"), ("a, b", "a"), ("*, a", "*, b")])
def test_a_method_that_wants_what_the_other_version_does_not_take_is_incompatible(old, new):
    found = common(f"    def call(self, {old}): pass\n", f"    def call(self, {new}): pass\n")
    assert found.incompatible == ("call",)


def test_a_constructor_that_fits_neither_is_an_error():
    with pytest.raises(UsageError, match="constructor"):
        common("    def __init__(self, a): pass\n", "    def __init__(self, a, b): pass\n")


def test_nothing_in_common_is_an_error():
    with pytest.raises(UsageError, match="no public method"):
        common_interface(
            interface("class Thing:\n    def a(self): pass\n"), interface("class Thing:\n    def b(self): pass\n")
        )
