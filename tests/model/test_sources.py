"""A source is read as a tree, or it is a `SyntaxError`, whatever is in it."""

import contextlib
import sys

import pytest

from plait.model.files import LARGEST_SOURCE, parse_source

STRANGE = {
    "a long sum": "x = " + "+".join(["1"] * 100_000),
    "signs": "x = " + "-" * 50_000 + "1",
    "attributes": "x = a" + ".b" * 60_000,
    "branches": "if x: pass\n" + "elif x: pass\n" * 30_000,
    "brackets": "(" * 10_000,
    "a null": "x = 1\0",
    "no text": b"\xff\xfe",
    "a strange encoding": b"# coding: no such\nx = 1",
    "too much": b"#" * (LARGEST_SOURCE + 1),
}


HELD_BY_SOME = {"a long sum", "signs", "attributes", "branches"}  # other versions have parsers that hold more


@pytest.mark.parametrize("what", STRANGE)
def test_what_is_no_source_is_a_syntax_error(what):
    if what in HELD_BY_SOME and sys.version_info >= (3, 12):
        with contextlib.suppress(SyntaxError):
            assert len(parse_source(STRANGE[what]).body) == 1
        return
    with pytest.raises(SyntaxError):
        parse_source(STRANGE[what])


def test_what_is_one_is_a_tree():
    assert [node.lineno for node in parse_source(b"x = 1\ny = " + b"+".join([b"1"] * 400)).body] == [1, 2]
