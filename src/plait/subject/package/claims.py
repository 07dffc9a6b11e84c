"""The claim of a class about threads, in its own source: locks, or words in its docstring or its module's.

A class that was not made for threads is not at fault if threads break it: a finding only says that callers need a lock.
A class with a lock, or with a promise in its docstring, has a bug.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from plait.subject.interface.concurrent import is_lock_name

if TYPE_CHECKING:
    from plait.subject.package.facts import ClassFacts
    from plait.subject.source import Module

PROMISED, LOCKED, DENIED, UNSAID = "promised", "locked", "denied", "unsaid"
CLAIMED = frozenset({PROMISED, LOCKED})
"""Claims that calls from several threads are safe: by words, or by a lock."""

_SAFE = re.compile(
    r"\bthread[\s-]*safe(?:ly)?\b"
    r"|\bsafe(?:ly)?\s+(?:to|for|with|by|across|among|between)\b[^.;:]{0,60}\bthreads?\b"
    r"|\b(?:can|may)\s+be\s+(?:safely\s+)?(?:shared|used|called)\b[^.;:]{0,40}\b(?:multiple|several|many|different|any|"
    r"other)\s+threads?\b",
    re.IGNORECASE,
)
_UNSAFE = re.compile(r"\bthread[\s-]*unsafe\b|\bnon[\s-]*thread[\s-]*safe\b", re.IGNORECASE)
_NEGATION = re.compile(
    r"\b(?:not|never|none|no|n't|isn.?t|aren.?t|cannot|without|neither|nor)\b[^.;:]{0,40}$", re.IGNORECASE
)


def claim_of(module: Module, qualname: str, facts: ClassFacts | None, modules: Mapping[str, Module]) -> str:
    """Return the claim of a class about threads: ``promised``, ``locked``, ``denied`` or ``unsaid``.

    Its own docstring counts first, then those of its bases in the package, its locks, and the docstring of its module.
    """
    for text in _docstrings(module, qualname, modules):
        if (said := claim_in(text)) is not None:
            return said
    if facts is not None and _has_locks(facts):
        return LOCKED
    return claim_in(ast.get_docstring(module.tree) or "") or UNSAID


def claim_in(text: str) -> str | None:
    """Return whether a text calls something thread-safe (``promised``) or not (``denied``); None if it is silent."""
    if _UNSAFE.search(text):
        return DENIED
    found = None
    for each in _SAFE.finditer(text):
        if _NEGATION.search(text[: each.start()]):
            return DENIED
        found = PROMISED
    return found


def _has_locks(facts: ClassFacts) -> bool:
    """Return whether a class makes or takes a lock."""
    held = {lock for function in facts.functions.values() for use in function.uses for lock in use.locks}
    return bool(facts.locks) or any(map(is_lock_name, held))


def _docstrings(module: Module, qualname: str, modules: Mapping[str, Module]) -> Iterator[str]:
    pending, seen = [(module, qualname)], set()
    while pending:
        home, name = pending.pop(0)
        if (home.name, name) in seen or not (nodes := home.classes(name)):
            continue
        seen.add((home.name, name))
        yield ast.get_docstring(nodes[-1]) or ""
        pending += _bases(nodes[-1].bases, home, modules)


def _bases(bases: Iterable[ast.expr], home: Module, modules: Mapping[str, Module]) -> Iterator[tuple[Module, str]]:
    for base in bases:
        name = ast.unparse(base).partition("[")[0].rpartition(".")[2]
        yield home, name
        for target in home.imports.get(name, ()):
            if target.module in modules and target.name is not None:
                yield modules[target.module], target.name
