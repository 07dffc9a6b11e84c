"""Which class beside the subject an untyped parameter wants, by its name and by what the code does with it."""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.generate.values.names import by_name
from plait.generate.values.value import Value, literal
from plait.model.foreign import is_a, module_of
from plait.subject.interface.members import snake_case

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import ModuleType

    from plait.subject.changes.scopes import FunctionNode

_PLAIN = (str, bytes, int, float, dict, list, set, tuple)
_MOST_PARTS = 24


_DEPTH = 2
"""How far a parameter is followed into functions that it is passed on to."""
_OPERATIONS = {ast.With: "__enter__()", ast.Load: "__getitem__()", ast.Store: "__setitem__()"}


def asked_of(owner: object, function: str, parameter: str) -> frozenset[str]:
    """Return the attributes that a class uses of a parameter, also where it is kept in ``self``; that it calls it."""
    parts = used_parts(owner, function, parameter)
    plain = {part for part in parts if part == "__call__()" or not part.startswith(("__", "["))}
    return frozenset(part.removesuffix("()") for part in plain)


@cache
def used_parts(owner: object, function: str, parameter: str) -> frozenset[str]:
    """Return all that a class does with what one of its methods is given: attributes, ``method()``, ``__call__()``.

    It is looked for in the method, where it is kept in ``self``, and in functions beside it that it is passed on to.
    """
    trees = _sources(owner)
    found: set[str] = set()
    kept: set[str] = set()
    seen: set[tuple[int, str]] = set()
    pending = [(node, parameter, 0) for node in _functions(owner, function) if parameter in _names(node)]
    while pending:
        node, name, depth = pending.pop()
        if (id(node), name) in seen:
            continue
        seen.add((id(node), name))
        found |= _parts(node, name)
        kept |= _kept(node, name)
        if depth < _DEPTH:
            passed = _passed_on(node, name)
            pending += [
                (target, given, depth + 1)
                for called, position in passed for target in _functions(owner, called)
                if (given := _at(target, position, bound=called in _own_names(owner))) is not None
            ]  # fmt: skip
    found.update(part for tree in trees for name in kept for part in _parts(tree, f"self.{name}"))
    return frozenset(found)


def standin(owner: object, function: str, parameter: str) -> Value | None:
    """Return an object that does what the code asks of a parameter; None if any plain data does, or nothing is asked.

    What the code only sets on it needs not be there before.
    """
    parts = used_parts(owner, function, parameter)
    parts = frozenset(part for part in parts if not part.startswith("["))
    asked = {part.removesuffix("()") for part in parts}
    telling = {part for part in asked if not part.startswith("__")}
    if not telling or any(asked <= set(dir(plain)) for plain in (*_PLAIN, type(asked_of))):
        return None
    text = ", ".join(map(repr, [parameter, *sorted(parts)[:_MOST_PARTS]]))
    return Value(f"Standin({text})", "Standin", ("from plait.generate.callables import Standin",))


def table_for(owner: object, function: str, parameter: str) -> list[Value]:
    """Return dictionaries with the keys that the code looks up in a parameter; empty if it looks up none."""
    parts = used_parts(owner, function, parameter)
    keys = sorted(part[1:-1] for part in parts if part.startswith("[") and part.endswith("]") and part != "[]")
    asked = {part.removesuffix("()") for part in parts if not part.startswith("[")}
    if not asked <= {*dir(dict), *_REACHED} or not (keys or "[]" in parts or asked & _ONLY_MAPPINGS):
        return []
    shown = []
    imports: dict[str, None] = {}
    for key in keys[:_MOST_PARTS]:
        asked_of_it = {part.rpartition(".")[2] for part in parts if part.startswith(f"[{key}].")}
        value = _plain_with(asked_of_it) or next(iter(by_name(ast.literal_eval(key))), None)
        shown.append(f"{key}: {'1' if value is None else value.text}")
        imports.update(dict.fromkeys(() if value is None else value.imports))
    return [Value("{" + ", ".join(shown) + "}", "dict", tuple(imports)), Value("{}", "dict")]


def _plain_with(asked: set[str]) -> Value | None:
    """Return plain data that has all of these attributes; None if nothing is asked."""
    fitting = [text for text, plain in _PLAIN_DATA if asked <= set(dir(plain))]
    return literal(fitting[0]) if asked and fitting else None


_PLAIN_DATA = (("'a'", str), ("{'a': 1}", dict), ("['a']", list), ("b'a'", bytes), ("1", int), ("{'a'}", set))
_ONLY_MAPPINGS = frozenset({"get", "items", "keys", "values", "setdefault", "popitem"})
_REACHED = frozenset({"__getitem__", "__setitem__", "__contains__", "__iter__", "__len__"})


@cache
def uses_of(owner: object) -> dict[str, frozenset[str]]:
    """Return the attributes of ``self`` that each method of a class uses, itself or through methods that it calls."""
    found = {
        name: frozenset(
            node.attr for body in bodies for node in ast.walk(body)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
        )
        for name, bodies in _inside(owner).items()
    }  # fmt: skip
    for _ in range(_DEPTH):
        found = {name: used.union(*(found[each] for each in used if each in found)) for name, used in found.items()}
    return {name: used - found.keys() for name, used in found.items()}


def connects(owner: object) -> bool:
    """Return whether the module of a class works with connections to databases, as DB-API 2 describes them."""
    tree = module_tree(_module(owner))
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)} if tree is not None else set()
    return len({"cursor", "commit", "rollback", "threadsafety"} & used) > 1


def wanted(owner: object, name: str, asked: frozenset[str], homes: list[dict[str, Any]]) -> type | None:
    """Return the package's class that is named like the parameter, or that alone has what is asked of it.

    A name alone convinces only if nothing is asked, or all of it is there; what plain data has proves nothing. What
    instances of classes far from the subject get in their constructors is not looked for: a package may have thousands.
    """
    package = _module(owner).partition(".")[0]
    near = list(_classes(homes, package))
    far = _classes([vars(each) for each in package_modules(package)], package)
    fitting = [
        each for each in dict.fromkeys([*near, *far])
        if each is not owner and (asked <= set(dir(each)) or (each in near and asked <= provided(each)))
    ]  # fmt: skip
    last = name.rstrip("0123456789").rpartition("_")[2]
    for each in fitting:
        if snake_case(each.__name__).rpartition("_")[2] == last:
            return each
    telling = len(asked) > 1 and not any(asked <= set(dir(plain)) for plain in _PLAIN)
    return fitting[0] if telling and fitting else None


def package_modules(package: str) -> list[ModuleType]:
    """Return the modules of a package that are imported."""
    return [
        module for name, module in sorted(sys.modules.items())
        if module is not None and package and name.partition(".")[0] == package
    ]  # fmt: skip


def _classes(homes: Iterable[dict[str, Any]], package: str) -> Iterator[type]:
    """Classes of the package in some of its modules."""
    for home in homes:
        for each in list(home.values()):
            if (
                is_a(each, type) and _module(each).partition(".")[0] == package
                and not issubclass(each, BaseException) and not getattr(each, "_is_protocol", False)
            ):  # fmt: skip
                yield each


def _module(owner: object) -> str:
    return module_of(owner) or ""  # a class whose instances have modules gives a descriptor


def class_with(owner: object, asked: frozenset[str]) -> type | None:
    """Return the package's class that has, itself and not only its instances, what is asked of a class; None if none.

    A few names that most classes have tell nothing.
    """
    package = _module(owner).partition(".")[0]
    telling = {each for each in asked if not each.startswith("__")}
    classes = _classes([vars(each) for each in package_modules(package)], package) if telling else ()
    return next((each for each in classes if each is not owner and telling <= set(dir(each))), None)


def delegated(owner: object) -> list[str]:
    """Return public names of classes that a class mentions, which it has not itself: what ``__getattr__`` passes on."""
    said = {node.id for tree in _sources(owner) for node in ast.walk(tree) if isinstance(node, ast.Name)}
    package = _module(owner).partition(".")[0]
    homes = [vars(sys.modules[_module(owner)])] if _module(owner) in sys.modules else []
    rows = [
        [name for name, value in vars(each).items() if not name.startswith("_") and callable(value)]
        for each in dict.fromkeys(_classes(homes, package)) if each.__name__ in said and each is not owner
    ]  # fmt: skip
    names = [name for row in rows for name in row[:_MOST_PASSED_ON] if not hasattr(owner, name)]
    return list(dict.fromkeys(names))[: 2 * _MOST_PASSED_ON]


_MOST_PASSED_ON = 3


@cache
def provided(cls: type) -> frozenset[str]:
    """Return all attributes that instances have, as far as the class and its source tell."""
    found = set(dir(cls))
    for tree in _sources(cls):
        found |= {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _text(node.value) == "self"
        }
    return frozenset(found)


_LACKS = re.compile(r"AttributeError: (?:type object )?'(\w+)'(?: object)? has no attribute '(\w+)'")


def left_open(owner: object, error: str) -> bool:
    """Return whether an error says that a class lacks what none of its own code, nor its package's, ever gives it.

    A method that uses such an attribute is for subclasses, which have it: no instance of the class itself can do it.
    """
    found = _LACKS.match(error)
    if found is None or not isinstance(owner, type) or found[1] != owner.__name__:
        return False
    name = found[2]
    if name in provided(owner) or any("__getattr__" in vars(each) for each in owner.__mro__):
        return False
    # An attribute of another variable, a name in a list or table; where names are computed, that of a keyword, too.
    ways = [rf"(?<!self)\.{name}\s*(?::[^=\n]*)?=(?!=)", rf"['\"]{name}['\"]\s*(?:,|:|\]\s*=)"]
    computed = any(word in ast.unparse(tree) for tree in _sources(owner) for word in ("setattr(", "__dict__"))
    given = re.compile("|".join([*ways, rf"[(,]\s*{name}\s*=(?!=)"] if computed else ways))
    return all(_is_silent(each, given) for each in package_modules(_module(owner).partition(".")[0]))


def _is_silent(module: ModuleType, given: re.Pattern[str]) -> bool:
    """Return whether no line of a module matches; one that cannot be read might have any."""
    file = getattr(module, "__file__", None)
    if not isinstance(file, str) or not file.endswith(".py"):
        return False
    try:
        return given.search(Path(file).read_text(encoding="utf-8")) is None
    except (OSError, UnicodeDecodeError):
        return False


@cache
def _sources(owner: object) -> tuple[ast.ClassDef, ...]:
    """Return the class's own source and that of its bases."""
    classes: Iterable[type] = owner.__mro__ if isinstance(owner, type) else ()
    found = (_defined(_module(each)).get(each.__qualname__) for each in classes)
    return tuple(each for each in found if each is not None)


@cache
def module_tree(module: str) -> ast.Module | None:
    """Return the source of an imported module; None if there is none to read."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if module in {"builtins", "typing", "abc"} or not isinstance(file, str) or not file.endswith(".py"):
        return None
    try:
        return ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None


@cache
def _defined(module: str) -> dict[str, ast.ClassDef]:
    """Return the classes that a module defines, by qualified name; `inspect` would read all of it for each of them."""
    tree = module_tree(module)
    if tree is None:
        return {}
    found: dict[str, ast.ClassDef] = {}
    open_: list[tuple[str, ast.AST]] = [("", tree)]
    while open_:
        prefix, node = open_.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                found[f"{prefix}{child.name}"] = child
                open_.append((f"{prefix}{child.name}.", child))
            elif isinstance(child, ast.If | ast.Try):
                open_.append((prefix, child))
    return found


@cache
def _own_names(owner: object) -> frozenset[str]:
    """Return the names of the functions that a class and its bases define."""
    return frozenset(each.name for tree in _sources(owner) for each in tree.body if isinstance(each, _FUNCTIONS))


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _functions(owner: object, name: str) -> list[FunctionNode]:
    """Return the functions of that name in a class, else at the top of its module."""
    return _inside(owner).get(name) or [each for each in _top_functions(_module(owner)) if each.name == name]


@cache
def _inside(owner: object) -> dict[str, list[FunctionNode]]:
    """Return all functions in a class and its bases, by name; a large class has hundreds."""
    found: dict[str, list[FunctionNode]] = {}
    for tree in _sources(owner):
        for each in ast.walk(tree):
            if isinstance(each, _FUNCTIONS):
                found.setdefault(each.name, []).append(each)
    return found


@cache
def _top_functions(module: str) -> tuple[FunctionNode, ...]:
    tree = module_tree(module)
    return tuple(each for each in tree.body if isinstance(each, _FUNCTIONS)) if tree is not None else ()


def _passed_on(function: ast.AST, name: str) -> Iterator[tuple[str, int | str]]:
    """Yield the functions of ours that get a variable as it is, with the position or keyword."""
    for node in ast.walk(function):
        if not isinstance(node, ast.Call):
            continue
        match node.func:
            case ast.Name(id=called) | ast.Attribute(value=ast.Name(id="self" | "cls"), attr=called):
                yield from ((called, at) for at, each in enumerate(node.args) if _text(each) == name)
                yield from ((called, each.arg) for each in node.keywords if each.arg and _text(each.value) == name)


def _at(function: FunctionNode, position: int | str, *, bound: bool) -> str | None:
    """Return the parameter that stands at a position."""
    if isinstance(position, str):
        return position if position in _names(function) else None
    static = any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in function.decorator_list)
    names = [each.arg for each in [*function.args.posonlyargs, *function.args.args]][bound and not static :]
    return names[position] if position < len(names) else None


def _names(function: FunctionNode) -> set[str]:
    return {each.arg for each in [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]}


def _parts(tree: ast.AST, text: str) -> set[str]:
    """Return what is done with a variable: attributes read, methods called, operations of the language."""
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(ctx=ast.Load(), value=value, attr=name) if _text(value) == text:
                found.add(f"{name}()" if id(node) in called else name)
            case ast.Attribute(value=ast.Subscript(value=value, slice=at), attr=name) if _text(value) == text:
                found |= {f"{key}.{name}" for key in _key(at)}
            case ast.Call(func=ast.Name() | ast.Attribute() as function) if _text(function) == text:
                found.add("__call__()")
            case ast.Call(func=ast.Attribute(value=value, attr="get" | "pop" | "setdefault"), args=[first, *_]) if (
                _text(value) == text and _key(first)
            ):
                found.add("[]")  # something is looked up that need not be there
            case ast.withitem(context_expr=value) if _text(value) == text:
                found.add("__enter__()")
            case ast.Subscript(value=value, ctx=ast.Load() | ast.Store() as use) if _text(value) == text:
                found.add(_OPERATIONS[type(use)])
                found |= _key(node.slice) if isinstance(use, ast.Load) else set()
            case ast.For(iter=value) | ast.comprehension(iter=value) if _text(value) == text:
                found.add("__iter__()")
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[value]) if _text(value) == text:
                found.add("__contains__()")
            case ast.Call(func=ast.Name(id="len"), args=[value]) if _text(value) == text:
                found.add("__len__()")
    both = {part.removesuffix("()") for part in found if part.endswith("()")}
    return {part for part in found if part not in both}


def _text(node: ast.expr) -> str | None:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return f"self.{name}"
    return None


def _key(node: ast.expr) -> set[str]:
    """Return a text that something is looked up by, as a part in brackets."""
    return {f"[{node.value!r}]"} if isinstance(node, ast.Constant) and isinstance(node.value, str) else set()


def _is_given(value: ast.expr, parameter: str) -> bool:
    """Return whether an expression is the parameter, or may be: ``given or Default()``."""
    match value:
        case ast.BoolOp(values=values):
            return any(_text(each) == parameter for each in values)
        case ast.IfExp(body=one, orelse=other):
            return parameter in (_text(one), _text(other))
    return _text(value) == parameter


def _kept(function: FunctionNode, parameter: str) -> set[str]:
    """Return the attributes of ``self`` that hold the parameter as it was given."""
    return {
        target.attr
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and _is_given(node.value, parameter)
        for target in node.targets
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self"
    }
