"""Text of the code under test reaches a terminal, a log or a comment only with everything in it spelled out."""

import pytest

from plait.model.foreign import visible
from plait.report.layout import Span, as_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain \u00e9 text", "plain \u00e9 text"),
        ("red \x1b[31m", "red \\u001b[31m"),
        ("back\x08space\rreturn", "back\\u0008space\\u000dreturn"),
        ("\x9b2J", "\\u009b2J"),
        ("turned \u202e round", "turned \\u202e round"),
        ("no\u200bwidth\ufeff", "no\\u200bwidth\\ufeff"),
        ("soft\u00adhyphen", "soft\\u00adhyphen"),
        ("a blank \u3164letter", "a blank \\u3164letter"),
        ("tags \U000e0041\U000e007f", "tags \\U000e0041\\U000e007f"),
        ("hidden\ufe00\ufe01\U000e0100", "hidden\\ufe00\\ufe01\\U000e0100"),
        ("its look \u2764\ufe0f, then more\ufe0f\ufe0f", "its look \u2764\ufe0f, then more\ufe0f\\ufe0f"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
    ],
)
def test_what_cannot_be_seen_is_spelled_out(text, shown):
    assert visible(text) == shown


def test_no_line_is_a_command_of_a_ci_system():
    """Neither a line of its own, nor one behind a line break in a message."""
    said = as_text([[Span("::error::"), Span("from a name")], [Span("a message\n::set-output name=x::1\n##[error]")]])
    assert not any(line.startswith(("::", "##[")) for line in said.splitlines())
    assert "::error::from a name" in said
    assert "\x1b" not in as_text([[Span("\x1b]0;title\x07", "bad")]])
