"""A short text that a regular expression matches."""

from __future__ import annotations

import re

# The parser of `re` is not public, but it has had these names since 3.11 and says what a pattern means best.
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

_MOST_TIMES = 8
"""Most repetitions of a part, even if the pattern asks for more: then no text is made."""
_CANDIDATES = "a1 -_.:/#@A+,=é"
_CATEGORIES = {
    codes.CATEGORY_DIGIT: "1", codes.CATEGORY_NOT_DIGIT: "a", codes.CATEGORY_SPACE: " ", codes.CATEGORY_NOT_SPACE: "a",
    codes.CATEGORY_WORD: "a", codes.CATEGORY_NOT_WORD: "-",
}  # fmt: skip


def matching(pattern: Any) -> str | bytes | None:
    """Return a text, or bytes for a pattern of bytes, that a pattern matches as a whole; None if none was found.

    The pattern is a text, bytes or a compiled pattern.
    """
    try:
        compiled = re.compile(pattern)
        source = compiled.pattern
        text = source.decode("latin-1") if isinstance(source, bytes) else source
        made = _text(
            parser.parse(text, compiled.flags & ~re.UNICODE if isinstance(source, bytes) else compiled.flags), {}
        )
    except (re.error, TypeError, ValueError, RecursionError, OverflowError, UnicodeError):
        return None
    found = made.encode("latin-1", "replace") if isinstance(source, bytes) else made
    return found if compiled.search(found) else None


def _text(parts: Any, groups: dict[int, str]) -> str:
    return "".join(_part(code, argument, groups) for code, argument in parts)


def _part(code: Any, argument: Any, groups: dict[int, str]) -> str:
    match code:
        case codes.LITERAL:
            return chr(argument)
        case codes.NOT_LITERAL:
            return next(each for each in _CANDIDATES if ord(each) != argument)
        case codes.ANY:
            return "a"
        case codes.IN:
            return _one_of(argument)
        case codes.BRANCH:
            return _text(argument[1][0], groups)
        case codes.SUBPATTERN:
            found = _text(argument[3], groups)
            groups[argument[0]] = found
            return found
        case codes.MAX_REPEAT | codes.MIN_REPEAT | codes.POSSESSIVE_REPEAT:
            least, most, inside = argument
            return _repeated(least, most, inside, groups)
        case codes.GROUPREF:
            return groups.get(argument, "")
        case codes.ATOMIC_GROUP:
            return _text(argument, groups)
    return ""  # anchors, and what must or must not follow


def _repeated(least: int, most: int, parts: Any, groups: dict[int, str]) -> str:
    times = max(least, 1 if most and _is_telling(parts) else 0)
    return "".join(_text(parts, groups) for _ in range(min(times, max(_MOST_TIMES, least))))


def _is_telling(parts: Any) -> bool:
    """Return whether a part that may be left out should be there: words and numbers, but no separators or signs."""
    return any(code in (codes.IN, codes.ANY, codes.SUBPATTERN) for code, _argument in parts)


def _one_of(members: Any) -> str:
    """Return a character of a set such as ``[a-f0-9]`` or ``[^/]``."""
    if members and members[0][0] is codes.NEGATE:
        return next((each for each in _CANDIDATES if not any(_has(member, each) for member in members[1:])), "a")
    code, argument = members[0]
    match code:
        case codes.RANGE:
            return chr(argument[0])
        case codes.CATEGORY:
            return _CATEGORIES.get(argument, "a")
    return chr(argument)


def _has(member: Any, character: str) -> bool:
    code, argument = member
    match code:
        case codes.RANGE:
            return bool(argument[0] <= ord(character) <= argument[1])
        case codes.CATEGORY:
            shown = _CATEGORIES.get(argument, "")
            kinds = (str.isdigit, str.isspace, str.isalpha)
            return any(kind(shown) and kind(character) for kind in kinds)
    return bool(ord(character) == argument)
