"""Find the line of the code under test that called a primitive.

Primitives are called, not rewritten, so the place of an operation is taken from the caller's frame. Each pair of code
object and line has one number for the life of the process; the registry knows file, line and text for the report.
"""

from __future__ import annotations

import linecache
import sys
import zlib
from types import CodeType, FrameType

from plait.model.site import Site
from plait.run.identity import identity

_numbers: dict[tuple[int, int], int] = {}  # by a code object's identity and the offset of the call in it
_ownerless: dict[tuple[int, int], int] = {}  # the same, where no code under test made the call
_passed: set[int] = set()  # code objects that are not under test
_codes: dict[int, CodeType] = {}  # keeps the identities valid
_MANY = 10_000  # code objects; then all places may as well be looked up again
_ordinals: dict[tuple[str, str, str], dict[int, int]] = {}
SITES: dict[int, Site] = {}
SKIPPED: set[str] = set()  # mirrored standard modules: their callers are what users know


def here() -> int:
    """Return the number of the place that called the primitive from which this is called."""
    frame = sys._getframe(2)
    number = _numbers.get((identity(frame.f_code), frame.f_lasti))
    return _search(frame) if number is None else number


def place_of_primitive() -> int:
    """Return the number of the innermost place in code under test, through any number of plait's own frames."""
    return _search(sys._getframe(1))


def _search(first: FrameType) -> int:
    """Return the number of the innermost place in code under test at or above a frame; else of the frame itself."""
    frame: FrameType | None = first
    while frame is not None:
        code = frame.f_code
        if identity(code) not in _passed:
            number = _numbers.get((identity(code), frame.f_lasti))
            if number is not None:
                return number
            name = frame.f_globals.get("__name__", "")
            if not name.startswith("plait.run.") and name not in SKIPPED:
                return _remember(_numbers, frame)
            _passed.add(identity(code))
            _codes[identity(code)] = code
        frame = frame.f_back
    number = _ownerless.get((identity(first.f_code), first.f_lasti))
    return _remember(_ownerless, first) if number is None else number


def _remember(numbers: dict[tuple[int, int], int], frame: FrameType) -> int:
    if len(_codes) >= _MANY:
        _numbers.clear()
        _ownerless.clear()
        _passed.clear()
        _codes.clear()
    code = frame.f_code
    _codes[identity(code)] = code
    number = numbers[identity(code), frame.f_lasti] = _register(frame)
    return number


def _register(frame: FrameType) -> int:
    code, line = frame.f_code, frame.f_lineno
    module = frame.f_globals.get("__name__", "?")
    linecache.lazycache(code.co_filename, frame.f_globals)
    text = _text(code, line)
    ordinal = _ordinal(module, code, line, text)
    name = f"{module}\0{code.co_qualname}\0{text}\0{ordinal}"
    number = (zlib.crc32(name.encode()) << 20) | 0xFFFFF  # rewritten places never have the last ordinal
    SITES[number] = Site(number, module, code.co_filename, line, code.co_qualname, "sync", text, ordinal)
    return number


def _text(code: CodeType, line: int) -> str:
    return " ".join(linecache.getline(code.co_filename, line).split())


def _ordinal(module: str, code: CodeType, line: int, text: str) -> int:
    """Return how many earlier lines of the function have this text: the same number in every process.

    Which of them runs first depends on the tests that ran. Another function of the same name takes the next number.
    """
    known = _ordinals.setdefault((module, code.co_qualname, text), {})
    if line not in known:
        earlier = {each for *_, each in code.co_lines() if each is not None and each < line}
        ordinal = sum(_text(code, each) == text for each in earlier)
        while ordinal in known.values():
            ordinal += 1
        known[line] = ordinal
    return known[line]
