"""Existing tests that start threads and use a class."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.subject.name import Subject

_THREADS = re.compile(r"\b(threading|_thread|concurrent\.futures|ThreadPool\w*)\b")


def tests_of(subject: Subject, folder: Path | None) -> list[str]:
    """Node ids of the tests below ``folder`` that name the class, in files that import its module and start threads."""
    if folder is None:
        return []
    name = subject.qualname.partition(".")[0]
    package = subject.module.partition(".")[0]
    found = []
    for file in sorted({*folder.rglob("test_*.py"), *folder.rglob("*_test.py")}):
        text = file.read_text(encoding="utf-8", errors="replace")
        if name not in text or package not in text or not _THREADS.search(text):
            continue
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        found += [f"{file}::{test}" for test in _users(tree, name)]
    return found


def _users(tree: ast.Module, name: str) -> Iterator[str]:
    """Test functions that mention the name, or a helper or fixture of the file that does."""
    known = {name}
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    grown = True
    while grown:
        more = {node.name for node in functions if not node.name.startswith("test") and _names(node) & known}
        grown = not more <= known
        known |= more
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test") and _names(node) & known:
            yield node.name
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef) and inner.name.startswith("test") and _names(inner) & known:
                    yield f"{node.name}::{inner.name}"


def _names(node: ast.FunctionDef) -> set[str]:
    """Names and attributes used in a function, and its parameters, which may be fixtures."""
    used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    used |= {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}
    return used | {argument.arg for argument in node.args.args}
