"""Find the rewritten code object that belongs to an original one."""

from __future__ import annotations

import types
from pathlib import Path
from typing import TYPE_CHECKING

from plait.run.rewrite import compile_module

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.model.site import Site


class Codes:
    """The rewritten functions of one module, by name, line and, for lambdas on one line, column."""

    def __init__(self, code: types.CodeType) -> None:
        self._found: dict[tuple[str, int], list[types.CodeType]] = {}
        self._ours: set[types.CodeType] = set()
        for function in _inner(code):
            self._found.setdefault((function.co_qualname, function.co_firstlineno), []).append(function)
            self._ours.add(function)

    @staticmethod
    def covers(code: types.CodeType) -> bool:
        """Return whether the code comes from a source file, not from generated text such as a data class's methods."""
        return not code.co_filename.startswith("<") or code.co_filename.startswith("<frozen")

    def rewritten(self, code: types.CodeType) -> types.CodeType | None:
        """Return the rewritten form; the code itself if it is one; None if there is none, or several."""
        if code in self._ours:
            return code
        found = self._found.get((code.co_qualname, code.co_firstlineno), [])
        if len(found) > 1:
            start = _start(code)
            found = [other for other in found if _start(other) == start]
        return found[0] if len(found) == 1 else None


class Library:
    """A cache of the `Codes` of modules for the life of the process; a changed file is rewritten again."""

    def __init__(self, sites: dict[int, Site], cache: Path | None) -> None:
        self._sites = sites
        self._cache = cache
        self._codes: dict[tuple[str, str], tuple[bytes, Codes]] = {}

    def codes(self, module: types.ModuleType) -> Codes | None:
        """Return the codes of a module; None if it was not made from Python source."""
        path = Path(str(module.__file__))
        if path.suffix != ".py" or not path.exists():
            return None
        source = path.read_bytes()
        known = self._codes.get((module.__name__, str(path)))
        if known is not None and known[0] == source:
            return known[1]
        code, found = compile_module(source, module.__name__, str(path), self._cache)
        self._sites.update((place.number, place) for place in found)
        codes = Codes(code)
        self._codes[module.__name__, str(path)] = (source, codes)
        return codes


def _inner(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _inner(constant)


def _start(code: types.CodeType) -> tuple[int, int]:
    """Return where the body begins in the source."""
    places = [(line, column) for line, _, column, end in code.co_positions() if line and column is not None and end]
    return min(places, default=(0, 0))
