"""Lines of source for reports: of a place, of an exception, of a loop."""

from __future__ import annotations

import ast
import functools
import linecache
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.model.foreign import traceback_of
from plait.model.outcome import Spot
from plait.run.importing.adopt import is_foreign

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import FrameType

    from plait.model.site import Site


_OWN = f"{Path(__file__).parents[1]}{os.sep}"


def short(path: str) -> str:
    """Return a path for reports: relative if it is below the current folder, else the file's name."""
    here = str(Path.cwd()) + os.sep
    return path.removeprefix(here) if path.startswith(here) else Path(path).name


def line_of(path: str, line: int) -> str:
    """Return the text of a line, without indentation."""
    return linecache.getline(path, line).strip()


def spot_of(site: Site) -> Spot:
    """Return the line of a place."""
    if not site.line:
        return Spot("?", 0, "?", "")
    return Spot(short(site.file), site.line, site.function, line_of(site.file, site.line) or site.text)


def spot_of_error(error: BaseException) -> Spot:
    """Return the innermost line of the code under test that an exception passed through.

    The innermost line of the project's own files is preferred; if there is none, because the class belongs to an
    installed package, the innermost of any file except plait's; else the line of the test.
    """
    passed: list[tuple[str, Spot]] = []
    trace = traceback_of(error)
    while trace is not None:
        code = trace.tb_frame.f_code
        path, line = code.co_filename, trace.tb_lineno
        known = _OWN if _is_own(trace.tb_frame) else path
        passed.append((known, Spot(short(path), line, code.co_qualname, line_of(path, line))))
        trace = trace.tb_next
    files = [(path, spot) for path, spot in passed if not path.startswith(("<", _OWN))]
    own = [spot for path, spot in files if not is_foreign(path)]
    texts = [spot for path, spot in passed if path.startswith("<")]
    found = own or [spot for _path, spot in files] or texts or [spot for _path, spot in passed]
    return found[-1] if found else Spot("?", 0, "?", "")


def _is_own(frame: FrameType) -> bool:
    """Return whether a frame is plait's own; compiled modules have the paths of the place where they were built."""
    space = frame.f_globals
    return str(space.get("__name__")).startswith("plait.") and "_p_r" not in space


@functools.lru_cache(maxsize=64)
def _loops(path: str) -> tuple[tuple[int, int], ...]:
    """Return first and last line of each loop of a file, inner ones after outer ones."""
    try:
        tree = ast.parse("".join(linecache.getlines(path)))
    except SyntaxError:
        return ()
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.While | ast.For)]
    return tuple(sorted(((node.lineno, node.end_lineno or node.lineno) for node in loops), key=lambda pair: pair[0]))


def enclosing_loop(sites: Iterable[Site]) -> Spot | None:
    """Return the loop that contains most of these places; None if there is none."""
    votes: dict[tuple[str, int, str], int] = {}
    some: Site | None = None
    for site in sites:
        some = some or site
        around = [first for first, last in _loops(site.file) if first <= site.line <= last]
        if around:
            key = (site.file, around[-1], site.function)
            votes[key] = votes.get(key, 0) + 1
    if not votes:
        return None if some is None else spot_of(some)
    (path, line, function), _ = max(votes.items(), key=lambda item: (item[1], -item[0][1]))
    return Spot(short(path), line, function, line_of(path, line))


def lambda_text(function: Any) -> str:
    """Return the name of a function in a report; for a lambda, the text of its body."""
    while isinstance(function, functools.partial):
        function = function.func
    name = str(getattr(function, "__name__", type(function).__name__))
    code = getattr(function, "__code__", None)
    if name != "<lambda>" or code is None:
        return name
    first = code.co_firstlineno
    spans = [(start, end) for line, last, start, end in code.co_positions() if line == last == first and end]
    text = linecache.getline(code.co_filename, first).encode()
    if not spans or not text:
        return name
    body = text[min(start for start, _ in spans) : max(end for _, end in spans)]
    return body.decode(errors="replace")
