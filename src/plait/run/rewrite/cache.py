"""Compiled rewritten modules, kept between processes."""

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

from plait.model.site import Site
from plait.run.rewrite.module import rewrite

_CELLS = ("number", "line", "function", "kind", "text", "ordinal")


@cache
def rewriter_version() -> str:
    """A hash of the rewriter's own source: another rewriter makes other code."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def compile_module(
    source: str | bytes, module: str, filename: str, cache: Path | None
) -> tuple[CodeType, list[Site]]:
    """The code of a rewritten module and its places, from the folder ``cache`` if they were made before.

    A syntax error of the source, and its warnings, are those that the un-rewritten module gives.
    """
    entry = None if cache is None else cache / _key(source, module)
    if entry is not None:
        found = _read(entry, module, filename)
        if found is not None:
            return found
    compile(source, filename, "exec", dont_inherit=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree, sites = rewrite(source, module, filename)
        code: CodeType = compile(tree, filename, "exec", dont_inherit=True)
    if entry is not None:
        _write(entry, code, sites)
    return code, sites


def _key(source: str | bytes, module: str) -> str:
    digest = hashlib.sha256()
    tag = f"{sys.implementation.cache_tag} {sys.hexversion:x} {sys.flags.optimize}"
    for part in (rewriter_version(), tag, module):
        digest.update(part.encode() + b"\0")
    digest.update(source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source)
    return digest.hexdigest()


def _read(entry: Path, module: str, filename: str) -> tuple[CodeType, list[Site]] | None:
    """What `_write` wrote; None if there is no such entry or it is damaged."""
    try:
        head, _, body = entry.read_bytes().partition(b"\n")
        rows = json.loads(head)
        code = marshal.loads(body)  # noqa: S302 - written by ourselves, keyed by a hash
        sites = [Site(module=module, file=filename, **dict(zip(_CELLS, row, strict=True))) for row in rows]
    except (OSError, ValueError, TypeError, EOFError):
        return None
    return (_relocated(code, filename), sites) if isinstance(code, CodeType) else None


def _write(entry: Path, code: CodeType, sites: list[Site]) -> None:
    """One file, the places as a line of JSON and then the code; it appears as a whole or not at all."""
    rows = [[getattr(site, cell) for cell in _CELLS] for site in sites]
    try:
        entry.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=entry.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(json.dumps(rows).encode() + b"\n" + marshal.dumps(code))
        Path(name).replace(entry)
    except OSError:
        return  # a cache that cannot be written is no reason to fail


def _relocated(code: CodeType, filename: str) -> CodeType:
    """The same code, as if it had been compiled from another file."""
    if code.co_filename == filename:
        return code
    constants = tuple(_relocated(item, filename) if isinstance(item, CodeType) else item for item in code.co_consts)
    return code.replace(co_filename=filename, co_consts=constants)
