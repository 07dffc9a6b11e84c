"""Texts that regular expressions match."""

import re

import pytest

from plait.generate.values.pattern import matching

PATTERNS = [
    r"^#[0-9a-f]{6}$", r"^(\d+)([smhd])$", r"(?P<user>[\w.]+)@(?P<host>[\w-]+\.\w{2,})", r"(a|b)\1", r"[^/\s]+/x",
    r"\d{4}-\d\d-\d\d", r"(?i)foo\s*=\s*(.+)", r"^(?:(\d+)d)?(?:(\d+)h)?$", r"\b[A-Z]{3,}\b", r"a{20}",
    r"v?\d+(\.\d+)*", r"[^\d]\D\S\W", r"(?:x|y)+?z", r"", rb"\x00[\x01-\x05]+", rb"(\w+)=(\d+)",
    re.compile(r"a b  # no comment", re.VERBOSE),
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_text_is_made_that_the_pattern_matches(pattern):
    found = matching(pattern)
    assert found is not None
    assert re.search(pattern, found)


def test_optional_words_and_numbers_are_there():
    assert matching(r"(\w+)(?: (\d+))?") == "a 1"


@pytest.mark.parametrize("pattern", ["(", 3, None, r"a(?!.)b"])
def test_nothing_is_made_of_what_is_no_pattern_or_cannot_match(pattern):
    assert matching(pattern) is None
