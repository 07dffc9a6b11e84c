"""Recipes: constructor calls of a class as its docstrings, tests, README and callers write them.

A recipe is an expression with the imports that it needs. Variables in it are replaced by the expressions that were
assigned to them; functions that an example defines are replaced by recorders. Files are only read here. Whether a
recipe works is tried later, in a process that may run code under test.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.generate.values.duck import module_tree
from plait.generate.values.names import role
from plait.model.files import file_text, parse_source
from plait.model.folders import files_below
from plait.model.foreign import docstring_of
from plait.subject.interface.members import constructor_parameters

if TYPE_CHECKING:
    from plait.subject.changes.scopes import FunctionNode

MOST = 6
"""Most recipes of one class; each is tried before random constructor calls."""
_MAX_FILES = 300
_MAX_BYTES = 300_000
_LONGEST = 200
_DEPTH = 4
_DISTRIBUTIONS = 600
_LARGE, _SMALL = 8, "2"
_RECORDER = "from plait.generate.callables import Recorder"
_FENCED = re.compile(r"^```[ \t]*(?:python|py|pycon|py3)?[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_PROMPT = re.compile(r"^\s*(?:>>>|\.\.\.)( (?P<code>.*))?$")


@dataclass(frozen=True, slots=True)
class Recipe:
    """An expression that builds an object, and where it was found.

    ``makes`` names the accepted types of its value, if it may have another type; empty if it always makes an instance.
    """

    text: str
    imports: tuple[str, ...]
    origin: str
    makes: frozenset[str] = frozenset()


@cache
def recipes_for(cls: type, tests: Path | None) -> tuple[Recipe, ...]:
    """Return recipes for a class, those from its documentation first.

    They import only modules that are loaded already, of the standard library, or of plait: the state of others would
    not be restored after an execution.
    """
    found: dict[str, Recipe] = {}
    for snippet, origin, module in _snippets(cls, tests):
        if len(found) >= MOST:
            break
        for recipe in _Snippet(snippet, origin, module, cls).recipes():
            if all(map(_is_at_hand, recipe.imports)):
                found.setdefault(recipe.text, recipe)
    return tuple(found.values())[:MOST]


def _is_at_hand(line: str) -> bool:
    """Return whether an import line needs only modules that are loaded, of the standard library, or of plait."""
    node = ast.parse(line).body[0]
    assert isinstance(node, ast.Import | ast.ImportFrom)
    wanted = node.names[0].name
    name = (node.module or "") if isinstance(node, ast.ImportFrom) else wanted
    found = sys.modules.get(name)
    if isinstance(node, ast.ImportFrom) and found is not None:
        return wanted in vars(found) or f"{name}.{wanted}" in sys.modules
    return found is not None or name.partition(".")[0] in {*sys.stdlib_module_names, "plait"}


# -- where examples are found ------------------------------------------------------------------------------------------


def _snippets(cls: type, tests: Path | None) -> Iterator[tuple[str, str, str | None]]:
    """Yield pieces of source, each with a text that says where it is and the module whose names it can use."""
    module = sys.modules.get(cls.__module__)
    documented = [(cls, cls.__name__), (getattr(cls, "__init__", None), cls.__name__), (module, cls.__module__)]
    top = sys.modules.get(cls.__module__.partition(".")[0])
    documented.append((top, cls.__module__.partition(".")[0]))
    for owner, said in documented:
        yield from ((each, f"the docstring of {said}", cls.__module__) for each in examples_in(docstring_of(owner)))
    file = getattr(top, "__file__", None)
    root = Path(file).parent if isinstance(file, str) else None
    if tests is not None and tests.is_dir():
        for path, text in _files(tests, cls.__name__):
            yield text, f"{tests.name}/{path.relative_to(tests).as_posix()}", None
    if root is None:
        return
    is_package = Path(str(file)).name == "__init__.py"
    for name, text in _readmes(root.parent if is_package else root, cls.__module__.partition(".")[0]):
        yield from ((each, name, None) for each in examples_in(text))
    if not is_package and cls.__module__ in sys.stdlib_module_names:
        return  # what the standard library gives to its own classes is seldom what others may give
    for path, text in _files(root if is_package else Path(str(file)), cls.__name__):
        inside = path.relative_to(root.parent if is_package else root).with_suffix("")
        name = ".".join(inside.parts).removesuffix(".__init__")
        yield from ((each, f"a docstring in {path.name}", name) for each in _docstrings(text, cls.__name__))
        yield text, path.name, name


@cache
def examples_for(cls: type) -> tuple[ast.Module, ...]:
    """Return the examples in the docstrings of a class, its members, its module and package, and in the README."""
    package = cls.__module__.partition(".")[0]
    near = [each for each in cls.__mro__ if each.__module__.partition(".")[0] == package]
    members = [member for each in near for member in vars(each).values()]
    documented = [*near, *members, sys.modules.get(cls.__module__), sys.modules.get(package)]
    texts = [docstring_of(each) for each in documented if each is not None and not isinstance(each, str | int)]
    file = getattr(sys.modules.get(package), "__file__", None)
    if isinstance(file, str):
        inside = Path(file).parent
        root = inside.parent if Path(file).name == "__init__.py" else inside
        texts += [text for _name, text in _readmes(root, package)]
    pieces = [piece for text in dict.fromkeys(texts) for piece in examples_in(text)]
    return tuple(_parsed_in_part(each) for each in pieces[:_MOST_EXAMPLES])


_MOST_EXAMPLES = 200


def _docstrings(text: str, wanted: str) -> Iterator[str]:
    """Yield the examples in those docstrings of a module that mention a class."""
    tree = _parse(text) if ">>>" in text else None
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
            said = ast.get_docstring(node) or ""
            if wanted in said:
                yield from examples_in(said)


def _files(folder: Path, wanted: str) -> Iterator[tuple[Path, str]]:
    mention = re.compile(rf"\b{re.escape(wanted)}\s*\(")
    paths = map(Path, files_below(folder, ".py")) if folder.is_dir() else iter([folder])
    for path in islice(paths, _MAX_FILES):
        try:
            text = file_text(path, most=_MAX_BYTES)
        except (OSError, UnicodeDecodeError):
            continue
        if mention.search(text):
            yield path, text


def _readmes(root: Path, package: str) -> Iterator[tuple[str, str]]:
    """Yield the long description of the installed distribution, and the README of the project."""
    for folder in islice(sorted(root.glob("*.dist-info")), _DISTRIBUTIONS):
        try:
            listed = file_text(folder / "RECORD")
            if f"\n{package}/" in f"\n{listed}" or f"\n{package}.py," in f"\n{listed}":
                yield "the README", file_text(folder / "METADATA").partition("\n\n")[2]
        except (OSError, UnicodeDecodeError):
            continue
    for folder in (root, root.parent):
        for path in sorted(folder.glob("README*"))[:2]:
            try:
                yield path.name, file_text(path)
            except (OSError, UnicodeDecodeError):
                continue


def examples_in(text: str) -> list[str]:
    """Return the Python examples in prose: doctests, fenced blocks, and indented blocks of reStructuredText."""
    prompted = [match["code"] or "" for line in text.splitlines() if (match := _PROMPT.match(line))]
    found = ["\n".join(prompted)] if prompted else []
    found += [each for each in _FENCED.findall(text) if ">>>" not in each]
    block: list[str] = []
    for line in [*text.splitlines(), "end"]:
        if line.startswith((" ", "\t")) or (block and not line.strip()):
            block.append(line)
        elif block:
            found.append(inspect.cleandoc("\n".join(["", *block])))
            block = []
    return [each for each in found if each.strip() and ">>>" not in each]


def _parse(text: str) -> ast.Module | None:
    try:
        return parse_source(text)
    except SyntaxError:
        return None


def _parsed_in_part(text: str) -> ast.Module:
    """Return the syntax tree of an example without the lines at its end that are not Python, such as prose."""
    tree = _parse(text)
    lines = text.splitlines()
    while tree is None and len(lines) > 1:
        lines = lines[: -max(1, len(lines) // 4)]
        tree = _parse("\n".join(lines))
    return tree or ast.Module([], [])


# -- recipes from an example -------------------------------------------------------------------------------------------


class _UnknownNameError(Exception):
    """A constructor call cannot be made a recipe, mostly because a name in it has no meaning outside its context."""


class _Snippet:
    """One piece of source, from which recipes are taken."""

    def __init__(self, text: str, origin: str, module: str | None, cls: type) -> None:
        self._tree = _parsed_in_part(text)
        self._origin = origin
        self._module = module
        self._cls = cls
        self._imports = dict(_imported(self._tree, module))

    def recipes(self) -> Iterator[Recipe]:
        """Yield the calls of the class that can be made independent of their context."""
        scopes: list[ast.Module | FunctionNode] = [self._tree]
        scopes += [node for node in ast.walk(self._tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        at_top, of_top = _bound(self._tree), _defined(self._tree)
        for scope in scopes:
            calls = list(_calls(scope, self._cls.__name__))
            if not calls:
                continue
            assigned, defined = {**at_top, **_bound(scope)}, {**of_top, **_defined(scope)}
            parameters = set() if isinstance(scope, ast.Module) else {each.arg for each in ast.walk(scope.args)
                                                                     if isinstance(each, ast.arg)}  # fmt: skip
            for call in calls:
                try:
                    yield self._recipe(call, assigned, defined, parameters)
                except (_UnknownNameError, RecursionError):
                    continue

    def _recipe(
        self, call: ast.Call, assigned: dict[str, ast.expr], defined: dict[str, ast.AST], parameters: set[str]
    ) -> Recipe:
        if not call.args and not call.keywords:
            raise _UnknownNameError  # a call without arguments is tried anyway
        if any(isinstance(each, ast.Starred) for each in call.args) or any(each.arg is None for each in call.keywords):
            raise _UnknownNameError
        imports: dict[str, None] = {}
        arguments = [*call.args, *(each.value for each in call.keywords)]
        shown = [self._shown(each, assigned, defined, parameters, imports, 0) for each in arguments]
        small = [_small(each, text) for each, text in zip(self._given_to(call), shown, strict=True)]
        origin = self._origin if small == shown else f"{self._origin} (with a smaller size)"
        shown = small
        named = [f"{each.arg}={text}" for each, text in zip(call.keywords, shown[len(call.args) :], strict=True)]
        top = self._cls.__qualname__.partition(".")[0]
        text = f"{self._cls.__qualname__}({', '.join([*shown[: len(call.args)], *named])})"
        if len(text) > _LONGEST:
            raise _UnknownNameError
        return Recipe(text, (f"from {self._cls.__module__} import {top}", *imports), origin)

    def _given_to(self, call: ast.Call) -> list[str]:
        """Return the parameter name of each argument, or an empty text if it is not known."""
        known = [each.name for each in constructor_parameters(self._cls) if each.kind not in ("keyword", "varargs")]
        places = [*known, *[""] * len(call.args)][: len(call.args)]
        return [*places, *(each.arg or "" for each in call.keywords)]

    def _shown(
        self, node: ast.expr, assigned: dict[str, ast.expr], defined: dict[str, ast.AST], parameters: set[str],
        imports: dict[str, None], depth: int,
    ) -> str:  # fmt: skip
        """Return the expression with its variables replaced, so that all names left are built-in or imported.

        Raises `_UnknownNameError` if a name is not known.
        """
        told = isinstance(node, ast.Constant) and node.value is ...  # "...", which means "and so on" to readers
        if told or depth > _DEPTH or isinstance(node, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr):
            raise _UnknownNameError
        bound = {each.arg for part in ast.walk(node) if isinstance(part, ast.Lambda) for each in ast.walk(part.args)
                 if isinstance(each, ast.arg)}  # fmt: skip
        bound |= {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
        replaced: dict[str, str] = {}
        for part in ast.walk(node):
            if not isinstance(part, ast.Name) or part.id in bound or part.id in replaced:
                continue
            name = part.id
            if name in parameters:
                raise _UnknownNameError
            if name in assigned:
                replaced[name] = self._shown(assigned[name], assigned, defined, parameters, imports, depth + 1)
            elif name in self._imports:
                imports[self._imports[name]] = None
                replaced[name] = name
            elif isinstance(defined.get(name), ast.FunctionDef) and self._module is None:
                imports[_RECORDER] = None
                replaced[name] = f"Recorder({name!r})"
            elif self._module is not None and _has(self._module, name):
                imports[f"from {self._module} import {name}"] = None
                replaced[name] = name
            elif hasattr(builtins, name) and name not in defined:
                replaced[name] = name
            else:
                raise _UnknownNameError
        return ast.unparse(_Replacing(replaced).visit(ast.parse(ast.unparse(node), mode="eval")))


def _small(parameter: str, text: str) -> str:
    """Return a small number instead of a large size: small objects are soon full, and quick to explore."""
    return _SMALL if role(parameter) == "size" and text.isdigit() and int(text) > _LARGE else text


class _Replacing(ast.NodeTransformer):
    """Replaces names by expressions."""

    def __init__(self, replaced: dict[str, str]) -> None:
        self._replaced = replaced

    def visit_Name(self, node: ast.Name) -> ast.AST:
        text = self._replaced.get(node.id, node.id)
        return node if text == node.id else ast.parse(text, mode="eval").body


def _calls(scope: ast.AST, name: str) -> Iterator[ast.Call]:
    """Yield the calls of a class in one scope, without those in nested functions."""
    pending = list(ast.iter_child_nodes(scope))
    while pending:
        node = pending.pop(0)
        if isinstance(node, ast.Call):
            match node.func:
                case ast.Name(id=called) | ast.Attribute(attr=called) if called == name:
                    yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            pending += ast.iter_child_nodes(node)


def _bound(scope: ast.Module | FunctionNode) -> dict[str, ast.expr]:
    """Return the variables that a scope assigns exactly once, with the assigned expressions."""
    found: dict[str, ast.expr] = {}
    again: set[str] = set()
    for node in ast.walk(ast.Module(scope.body, [])):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                again |= {name} & found.keys()
                found[name] = value
            case ast.AugAssign(target=ast.Name(id=name)) | ast.For(target=ast.Name(id=name)):
                again.add(name)
            case ast.With(items=items):
                again |= {each.optional_vars.id for each in items if isinstance(each.optional_vars, ast.Name)}
    return {name: value for name, value in found.items() if name not in again}


def _defined(scope: ast.Module | FunctionNode) -> dict[str, ast.AST]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {node.name: node for node in scope.body if isinstance(node, kinds)}


def _imported(tree: ast.Module, module: str | None) -> Iterator[tuple[str, str]]:
    """Yield the names that a piece of source imports, each with an import line that works in any module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                name = each.asname or each.name.partition(".")[0]
                yield name, f"import {each.name}" + (f" as {each.asname}" if each.asname else "")
        elif isinstance(node, ast.ImportFrom) and (node.level == 0 or module is not None):
            home = node.module or ""
            if node.level and module is not None:
                is_package = hasattr(sys.modules.get(module), "__path__")
                above = module.split(".")[: len(module.split(".")) - node.level + is_package]
                home = ".".join([*above, *([node.module] if node.module else [])])
            for each in node.names:
                if each.name != "*" and home:
                    line = f"from {home} import {each.name}" + (f" as {each.asname}" if each.asname else "")
                    yield each.asname or each.name, line


def meant_by(name: str, module: str) -> Any:
    """Return what a module's source imports under a name, even if only for type checkers; None if it is not loaded."""
    line = _lines_of(module).get(name, "")
    found = re.match(r"from ([\w.]+) import (\w+)", line)
    home = sys.modules.get(found[1]) if found else None
    return vars(home).get(found[2]) if found and home is not None else None


@cache
def _lines_of(module: str) -> dict[str, str]:
    """Return the lines that import each name in the source of a module."""
    tree = module_tree(module)
    return dict(_imported(tree, module)) if tree is not None else {}


def _has(module: str, name: str) -> bool:
    """Return whether an imported module has such a name."""
    found = sys.modules.get(module)
    return found is not None and name in vars(found)
