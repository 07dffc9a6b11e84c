"""Types that a docstring states for parameters nobody annotated."""

from __future__ import annotations

import re

WORDS = {
    "int": "int", "integer": "int", "number": "float", "float": "float", "seconds": "float",
    "str": "str", "string": "str", "text": "str", "bytes": "bytes", "bool": "bool", "boolean": "bool", "flag": "bool",
    "list": "list", "sequence": "Sequence", "iterable": "Iterable", "iterator": "Iterator", "tuple": "tuple",
    "dict": "dict", "dictionary": "dict", "mapping": "Mapping", "set": "set", "frozenset": "frozenset",
    "callable": "Callable", "function": "Callable", "callback": "Callable",
    "exception": "Exception", "hashable": "Hashable",
}  # fmt: skip
"""Words of a docstring that name a type, and the annotation they stand for."""

_SPHINX_TYPED = re.compile(r":param\s+(?P<type>[\w. \[\],|]+?)\s+\*{0,2}(?P<name>\w+)\s*:")
_SPHINX_TYPE = re.compile(r":type\s+\*{0,2}(?P<name>\w+)\s*:\s*(?P<type>[^\n]+)")
_SPHINX_PROSE = re.compile(r":param\s+\*{0,2}(?P<name>\w+)\s*:\s*(?P<type>[^\n]+)")
_GOOGLE = re.compile(r"^\s+\*{0,2}(?P<name>\w+)\s*\((?P<type>[^)\n]+)\)\s*:", re.MULTILINE)
_NUMPY = re.compile(r"^\s*\*{0,2}(?P<name>\w+)\s+:\s+(?P<type>[^\n]+)$", re.MULTILINE)
_STYLES = (_SPHINX_TYPED, _SPHINX_TYPE, _GOOGLE, _NUMPY, _SPHINX_PROSE)


def parameter_types(docstring: str | None) -> dict[str, str]:
    """The annotation text for each parameter whose type the docstring names; the most explicit style wins."""
    found: dict[str, str] = {}
    for style in _STYLES:
        for match in style.finditer(docstring or ""):
            annotation = _annotation(match["type"], prose=style is _SPHINX_PROSE)
            if annotation is not None:
                found.setdefault(match["name"], annotation)
    return found


def _annotation(text: str, *, prose: bool) -> str | None:
    words = re.findall(r"[A-Za-z]+", text)
    # Prose puts the type among its first words ("a callable that ..."); later ones are about something else.
    named = [WORDS[word.lower()] for word in (words[:4] if prose else words[:2]) if word.lower() in WORDS]
    if not named:
        return None
    optional = not prose and any(word.lower() == "none" for word in words)
    return f"{named[0]} | None" if optional else named[0]


def signature_line(docstring: str | None, name: str) -> list[tuple[str, bool]] | None:
    """Parameters, with whether each is optional, from a first line such as ``get(key[, default]) -> value``."""
    match = re.match(rf"\s*(?:\w+\.)*{re.escape(name)}\((?P<inside>[^)]*)\)", docstring or "")
    if match is None:
        return None
    found: list[tuple[str, bool]] = []
    depth = 0
    for part in re.findall(r"[\[\]]|[^\[\],]+", match["inside"]):
        if part == "[":
            depth += 1
        elif part == "]":
            depth -= 1
        elif (name_found := part.split("=")[0].strip()).isidentifier():
            found.append((name_found, depth > 0 or "=" in part))
    return found
