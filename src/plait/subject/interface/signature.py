"""The parameters of a callable, as source text.

Sources, best first: the signature that `inspect` sees, type stubs for what has no Python code, the signature line of
a docstring. Types come from annotations, else from stubs, else from the docstring.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from dataclasses import dataclass, replace
from typing import Any, Literal

from plait.model.foreign import docstring_of, unwrapped

try:
    _annotationlib: Any = importlib.import_module("annotationlib")  # 3.14 and later: annotations are lazy
except ImportError:
    _annotationlib = None

Kind = Literal["positional-only", "positional", "keyword", "varargs", "varkeywords"]

_KINDS: dict[Any, Kind] = {
    inspect.Parameter.POSITIONAL_ONLY: "positional-only",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "positional",
    inspect.Parameter.KEYWORD_ONLY: "keyword",
    inspect.Parameter.VAR_POSITIONAL: "varargs",
    inspect.Parameter.VAR_KEYWORD: "varkeywords",
}
UNKNOWN = "..."
"""The default of an optional parameter whose default is unknown."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter. ``annotation`` and ``default`` are source text; no default means the argument is required."""

    name: str
    kind: Kind = "positional"
    annotation: str | None = None
    default: str | None = None

    @property
    def required(self) -> bool:
        """True if a call without it fails."""
        return self.default is None and self.kind not in {"varargs", "varkeywords"}


def read_signature(function: Any, *, module: str, qualname: str, bound: bool) -> tuple[Parameter, ...] | None:
    """Return the parameters of ``function`` without its receiver, or None when nothing is known about them.

    ``module`` and ``qualname`` say where stubs describe it; ``bound`` that the first parameter is the receiver.
    """
    name = qualname.rpartition(".")[2]
    parameters = _inspected(function, bound=bound)
    if parameters is None or _compiled(function):
        from plait.subject.interface import stubs  # noqa: PLC0415 - explored tests know signatures without type stubs

        drop = bound and not stubs.is_static(module, qualname)
        stubbed = _merge([_arguments(node, bound=drop) for node in stubs.overloads(module, qualname)])
        parameters = stubbed if stubbed is not None else parameters
    if parameters is None:
        line = signature_line(docstring_of(function), name)
        if line is None:
            return None
        parameters = tuple(Parameter(each, "positional-only", None, UNKNOWN if may else None) for each, may in line)
    return _with_docstring_types(parameters, docstring_of(function))


def _with_docstring_types(parameters: tuple[Parameter, ...], docstring: str) -> tuple[Parameter, ...]:
    stated = parameter_types(docstring) if any(each.annotation is None for each in parameters) else {}
    return tuple(
        replace(each, annotation=stated[each.name]) if each.annotation is None and each.name in stated else each
        for each in parameters
    )


def _compiled(function: Any) -> bool:
    return not hasattr(unwrapped(function) if callable(function) else function, "__code__")


def _inspected(function: Any, *, bound: bool) -> tuple[Parameter, ...] | None:
    try:
        found = list(signature_of(function).parameters.values())
    except (ValueError, TypeError):
        return None
    if bound and found and found[0].kind is not inspect.Parameter.VAR_POSITIONAL:
        found = found[1:]
    return tuple(
        Parameter(each.name, _KINDS[each.kind], annotation_text(each.annotation), _default_text(each.default))
        for each in found
        # An optional parameter with an underscore is a back door that the author keeps for himself.
        if not (each.name.startswith("_") and each.default is not inspect.Parameter.empty)
    )


def signature_of(function: Any) -> inspect.Signature:
    """Return the signature; annotations that cannot be evaluated (from 3.14 on they are lazy) as source text."""
    signature: Any = inspect.signature
    try:
        found: inspect.Signature = signature(function)
    except Exception:  # a name that only type checkers import, or whatever else evaluating an annotation does
        if _annotationlib is None:
            raise
        found = signature(function, annotation_format=_annotationlib.Format.STRING)
    return found


def return_annotation(function: Any) -> str | None:
    """Return the annotation of the result as source text; None without one."""
    inner = unwrapped(function)
    try:
        found = getattr(inner, "__annotations__", {})
    except Exception:
        if _annotationlib is None:
            raise
        found = _annotationlib.get_annotations(inner, format=_annotationlib.Format.STRING)
    return annotation_text(found["return"]) if "return" in found else None


def annotation_text(annotation: Any) -> str | None:
    """Return an annotation as it would be written, whatever `inspect` made of it."""
    if annotation is inspect.Parameter.empty:
        return None
    if isinstance(annotation, str):
        return annotation.strip("'\"")
    if annotation is None or annotation is type(None):
        return "None"
    try:
        text = inspect.formatannotation(annotation)
        ast.parse(text, mode="eval")
    except Exception:  # such as <function ...> used as an annotation, or one that cannot be written
        return None
    return text


def _default_text(default: Any) -> str | None:
    if default is inspect.Parameter.empty:
        return None
    try:
        if inspect.isclass(default) or inspect.isroutine(default):
            named = default.__qualname__
            return named if all(part.isidentifier() for part in named.split(".")) else UNKNOWN
        text = repr(default)
        ast.literal_eval(text)
    except Exception:  # sentinels and anything else that has no literal
        return UNKNOWN
    return text


def _arguments(node: ast.arguments, *, bound: bool) -> tuple[Parameter, ...]:
    positional = [*node.posonlyargs, *node.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(node.defaults)) + list(node.defaults)
    found = []
    for index, (each, default) in enumerate(zip(positional, defaults, strict=True)):
        private = each.arg.startswith("__")  # the older spelling of a positional-only parameter in stubs
        kind: Kind = "positional-only" if index < len(node.posonlyargs) or private else "positional"
        found.append(Parameter(each.arg.lstrip("_"), kind, _text(each.annotation), _text(default)))
    if bound:
        found = found[1:]
    if node.vararg is not None:
        found.append(Parameter(node.vararg.arg, "varargs", _text(node.vararg.annotation)))
    for each, default in zip(node.kwonlyargs, node.kw_defaults, strict=True):
        found.append(Parameter(each.arg, "keyword", _text(each.annotation), _text(default)))
    if node.kwarg is not None:
        found.append(Parameter(node.kwarg.arg, "varkeywords", _text(node.kwarg.annotation)))
    return tuple(found)


def _text(node: ast.expr | None) -> str | None:
    return None if node is None else ast.unparse(node)


def _merge(overloads: list[tuple[Parameter, ...]]) -> tuple[Parameter, ...] | None:
    """Return one list out of several: the longest, in which only what every overload requires stays required."""
    if not overloads:
        return None
    needed = min(sum(each.required for each in overload) for overload in overloads)
    longest = max(overloads, key=lambda overload: sum(each.kind != "varkeywords" for each in overload))
    merged = []
    for index, each in enumerate(longest):
        types = {one.annotation for overload in overloads for one in overload if one.name == each.name} - {"None"}
        stated = replace(each, annotation=min(types, key=str)) if each.annotation == "None" and types else each
        optional = index >= needed and each.required
        merged.append(replace(stated, default=UNKNOWN) if optional else stated)
    return tuple(merged)


# -- docstring ---------------------------------------------------------------------------------------------------------
# Types that a docstring states for parameters nobody annotated.


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


def parameter_types(docstring: str) -> dict[str, str]:
    """Return the annotation text for each parameter whose type the docstring names; the most explicit style wins."""
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


def signature_line(docstring: str, name: str) -> list[tuple[str, bool]] | None:
    """Parameters, with whether each is optional, from a first line such as ``get(key[, default]) -> value``."""
    match = re.match(rf"\s*(?:\w+\.)*{re.escape(name)}\((?P<inside>[^)]*)\)", docstring)
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
