"""Compiled rewritten modules, kept between processes.

All projects share this cache, so the entry of a key must be the result of rewriting the key's source. A process that
runs code under test cannot guarantee that. In such a process, a `Keeper` rewrites and writes
(`plait.run.rewrite.keeper`).
"""

from __future__ import annotations

import hashlib
import json
import marshal
import os
import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, NamedTuple

from plait.model.site import Site
from plait.run.rewrite.module import assignments_elsewhere, rewrite

if TYPE_CHECKING:
    from collections.abc import Callable

_CELLS = ("number", "line", "function", "kind", "text", "ordinal")


class Compiled(NamedTuple):
    """A rewritten module: its code, its places, and which globals of other modules (module, name) it assigns."""

    code: CodeType
    sites: list[Site]
    assigns: list[tuple[str, str]]


class Request(NamedTuple):
    """A module that is to be rewritten; ``assigned`` are globals of it that other modules assign."""

    source: str | bytes
    module: str
    filename: str
    assigned: frozenset[str] = frozenset()

    @property
    def package(self) -> bool:
        """True if the file is the ``__init__.py`` of a package."""
        return Path(self.filename).name == "__init__.py"


class _CacheWriter:
    """The function that writes the cache for this process; None if the process does it itself."""

    ask: Callable[[Path, Request], bool] | None = None


def written_by(ask: Callable[[Path, Request], bool]) -> None:
    """Let another process rewrite and write from now on; ``ask`` returns whether the entry exists afterwards."""
    _CacheWriter.ask = staticmethod(ask)


@cache
def rewriter_version() -> str:
    """Return a hash of the rewriter's own source, because another rewriter makes other code."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def compile_module(source: str | bytes, module: str, filename: str, cache: Path | None) -> tuple[CodeType, list[Site]]:
    """Return the code of a rewritten module and its places; see `compile_among`."""
    made = compile_among(source, module, filename, cache)
    return made.code, made.sites


def compile_among(
    source: str | bytes, module: str, filename: str, cache: Path | None, assigned: frozenset[str] = frozenset()
) -> Compiled:
    """Return the code of a rewritten module and its places, from the folder ``cache`` if they were made before.

    ``assigned`` are globals of the module that other modules assign. A syntax error of the source, and its warnings,
    are those that the un-rewritten module gives.
    """
    request = Request(source, module, filename, assigned)
    if cache is None:
        return compile_anew(request)
    entry = cache / _key(request)
    found = _read(entry, module, filename)
    if found is None and _CacheWriter.ask is not None and _CacheWriter.ask(cache, request):
        found = _read(entry, module, filename)
    return found or (compile_anew(request) if _CacheWriter.ask is not None else compile_and_keep(cache, request))


def compile_anew(request: Request) -> Compiled:
    """Rewrite and compile a module."""
    source, module, filename, assigned = request
    compile(source, filename, "exec", dont_inherit=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree, sites = rewrite(source, module, filename, assigned)
        code: CodeType = compile(tree, filename, "exec", dont_inherit=True)
        return Compiled(code, sites, assignments_elsewhere(source, module, package=request.package))


def compile_and_keep(cache: Path, request: Request) -> Compiled:
    """Rewrite and compile a module, and store the result in the folder ``cache``."""
    made = compile_anew(request)
    _write(cache / _key(request), made)
    return made


def _key(request: Request) -> str:
    """Return a hash of everything that an entry depends on."""
    source, module, _, assigned = request
    digest = hashlib.sha256()
    tag = f"{sys.implementation.cache_tag} {sys.hexversion:x} {sys.flags.optimize}"
    kind = f"{'text' if isinstance(source, str) else 'bytes'}{' of a package' if request.package else ''}"
    for part in (rewriter_version(), tag, kind, module, *sorted(assigned)):
        digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
    digest.update(source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source)
    return digest.hexdigest()


def _read(entry: Path, module: str, filename: str) -> Compiled | None:
    """Return what `_write` wrote; None if there is no such entry or it is damaged."""
    try:
        head, _, body = entry.read_bytes().partition(b"\n")
        rows, assigns = json.loads(head)
        code = marshal.loads(body)  # noqa: S302 - written by ourselves, keyed by a hash
        sites = [Site(module=module, file=filename, **dict(zip(_CELLS, row, strict=True))) for row in rows]
    except (OSError, ValueError, TypeError, EOFError):
        return None
    if not isinstance(code, CodeType):
        return None
    return Compiled(_relocated(code, filename), sites, [(other, name) for other, name in assigns])


def _write(entry: Path, made: Compiled) -> None:
    """Write one file atomically: a line of JSON, then the code."""
    rows = [[getattr(site, cell) for cell in _CELLS] for site in made.sites]
    try:
        entry.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=entry.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(json.dumps([rows, made.assigns]).encode() + b"\n" + marshal.dumps(made.code))
        Path(name).replace(entry)
    except OSError:
        return  # a cache that cannot be written is no reason to fail


def _relocated(code: CodeType, filename: str) -> CodeType:
    """Return the same code, as if it had been compiled from another file."""
    if code.co_filename == filename:
        return code
    constants = tuple(_relocated(item, filename) if isinstance(item, CodeType) else item for item in code.co_consts)
    return code.replace(co_filename=filename, co_consts=constants)
