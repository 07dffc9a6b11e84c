"""Values for parameters without annotations, from what the code does with them.

The source of the class is searched for the attributes, calls and operations that are applied to a parameter. From these
a class of the package is found that has them, or a stand-in is made. Nothing is run.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import types
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.generate.values.names import by_name
from plait.generate.values.value import Value, literal
from plait.model.files import parse_source
from plait.model.foreign import is_a, module_of, own_name
from plait.subject.interface.members import refuses, snake_case

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import ModuleType

    from plait.subject.changes.scopes import FunctionNode

_PLAIN = (str, bytes, int, float, dict, list, set, tuple)
_MOST_PARTS = 24


_DEPTH = 2
"""How many calls deep a parameter is followed into functions that it is passed to."""
_RESUMED = frozenset({"__next__", "send", "throw"})
"""Parts that only iterators and generators have."""
_OPERATIONS = {ast.With: "__enter__()", ast.Load: "__getitem__()", ast.Store: "__setitem__()", ast.Del: "__delitem__()"}


def asked_of(owner: object, function: str, parameter: str) -> frozenset[str]:
    """Return the names of the attributes that a class uses of a parameter, and ``__call__`` if it calls it."""
    parts = used_parts(owner, function, parameter)
    plain = {part for part in parts if part == "__call__()" or not part.startswith(("__", "["))}
    return frozenset(part.removesuffix("()") for part in plain)


@cache
def used_parts(owner: object, function: str, parameter: str) -> frozenset[str]:
    """Return the parts that a class uses of an argument of one of its methods, as texts.

    These are ``attribute``, ``method()``, special methods such as ``__call__()``, and for subscripts ``['key']``,
    ``['key'].attribute`` and ``[]`` (a lookup that may fail). The search covers the method, all uses of attributes of
    ``self`` that hold the argument, and functions of the same class or module that the argument is passed to.
    """
    return frozenset(part for tree, text in followed(owner, function, parameter) for part in _parts(tree, text))


def followed(owner: object, function: str, parameter: str) -> Iterator[tuple[ast.AST, str]]:
    """Yield the code that an argument of a method reaches, each piece with the text that stands for the argument there.

    These are the method, functions of the same class or module that the argument is passed to, and if an attribute of
    ``self`` holds it, the whole class.
    """
    kept: dict[str, None] = {}
    seen: set[tuple[int, str]] = set()
    pending = [(node, parameter, 0) for node in _functions(owner, function) if parameter in _names(node)]
    while pending:
        node, name, depth = pending.pop()
        if (id(node), name) in seen:
            continue
        seen.add((id(node), name))
        yield node, name
        kept.update(dict.fromkeys(sorted(_kept(node, name))))
        if depth < _DEPTH:
            passed = _passed_on(node, name)
            pending += [
                (target, given, depth + 1)
                for called, position in passed for target in _functions(owner, called)
                if (given := _at(target, position, bound=called in _own_names(owner))) is not None
            ]  # fmt: skip
    yield from ((tree, f"self.{name}") for name in kept for tree in _sources(owner))


def standin(owner: object, function: str, parameter: str) -> Value | None:
    """Return a stand-in with the parts that the code uses of a parameter; a generator if the code resumes it.

    The result is None if nothing is used that tells something, or if a type of plain data has all of it. Attributes
    that the code only sets are not needed.
    """
    parts = used_parts(owner, function, parameter)
    parts = frozenset(part for part in parts if not part.startswith("["))
    asked = {part.removesuffix("()") for part in parts}
    if asked & _RESUMED and asked <= set(dir(types.GeneratorType)):
        return Value("counting()", "generator", ("from plait.generate.callables import counting",))
    telling = {part for part in asked if not part.startswith("__")}
    plain = any(asked <= set(dir(each)) for each in (*_PLAIN, type(asked_of)))
    if plain or not (telling or len(asked) > 1):
        return None
    text = ", ".join(map(repr, [parameter, *sorted(parts)[:_MOST_PARTS]]))
    return Value(f"Standin({text})", "Standin", ("from plait.generate.callables import Standin",))


def table_for(owner: object, function: str, parameter: str) -> list[Value]:
    """Return dictionaries with the keys that the code looks up in a parameter; empty if it looks up none."""
    parts = used_parts(owner, function, parameter)
    keys = sorted(part[1:-1] for part in parts if part.startswith("[") and part.endswith("]") and part != "[]")
    asked = {part.removesuffix("()") for part in parts if not part.startswith("[")}
    texts = asked & _ONLY_TEXTS
    if not asked <= {*dir(dict), *_REACHED, *texts} or not (keys or "[]" in parts or asked & _ONLY_MAPPINGS):
        return []
    if texts:  # a mapping whose values are texts: a loop over it reuses the name
        return [literal(each) for each in _REFERENCES]
    shown = []
    imports: dict[str, None] = {}
    for key in keys[:_MOST_PARTS]:
        asked_of_it = {part.rpartition(".")[2] for part in parts if part.startswith(f"[{key}].")}
        value = _plain_with(asked_of_it) or next(iter(by_name(ast.literal_eval(key))), None)
        shown.append(f"{key}: {'1' if value is None else value.text}")
        imports.update(dict.fromkeys(() if value is None else value.imports))
    return [Value("{" + ", ".join(shown) + "}", "dict", tuple(imports)), Value("{}", "dict")]


def _plain_with(asked: set[str]) -> Value | None:
    """Return plain data that has all of these attributes; None if there is none, or no attribute is named."""
    fitting = [text for text, plain in _PLAIN_DATA if asked <= set(dir(plain))]
    return literal(fitting[0]) if asked and fitting else None


_PLAIN_DATA = (("'a'", str), ("{'a': 1}", dict), ("['a']", list), ("b'a'", bytes), ("1", int), ("{'a'}", set))
_ONLY_MAPPINGS = frozenset({"get", "items", "keys", "values", "setdefault", "popitem"})
_REFERENCES = ("{'a': 'string:digits'}", "{'a': 'string:digits', 'b': 'string:printable'}", "{}")
"""Texts that name something which can be imported: most texts with parts do, and code that only splits them may."""
_ONLY_TEXTS = frozenset({"split", "rsplit", "partition", "rpartition", "startswith", "endswith", "strip", "lower"})
_REACHED = frozenset({"__getitem__", "__setitem__", "__contains__", "__iter__", "__len__"})


@cache
def uses_of(owner: object) -> dict[str, frozenset[str]]:
    """Return the attributes of ``self`` that each method of a class uses, directly or through methods that it calls."""
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


def left_to_others(cls: type, names: Iterable[str] | None = None) -> frozenset[str]:
    """Return what a class leaves to its subclasses, of all names or of these.

    These are methods that only raise NotImplementedError, attributes of ``self`` that its methods read and nothing
    sets, and attributes of the class that are None and that none of its methods sets.
    """
    given = provided(cls)
    if names is None:
        read = {
            node.attr for tree in _sources(cls) for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and _text(node.value) == "self"
        }  # fmt: skip
        names = {*read, *(name for each in cls.__mro__ for name in vars(each))}
        names = {name for name in names if not name.startswith("__")}
    if any("__getattr__" in vars(each) for each in cls.__mro__):
        names = given.intersection(names)
    return frozenset(name for name in names if name not in given or _is_open(cls, name))


def _is_open(cls: type, name: str) -> bool:
    found = inspect.getattr_static(cls, name, _MISSING)
    if found is None:
        return name not in _stored(cls)
    return found is not _MISSING and refuses(found, optional=True)


_MISSING = object()


@cache
def changes(cls: type) -> bool:
    """Return whether a method of a class, apart from its constructor, stores something in ``self``."""
    return any(
        isinstance(part, ast.Attribute | ast.Subscript) and isinstance(part.ctx, ast.Store | ast.Del)
        and (_text(part.value) or "").startswith("self")
        for name, bodies in _inside(cls).items() if name not in ("__init__", "__new__")
        for body in bodies for part in ast.walk(body)
    )  # fmt: skip


def connects(owner: object) -> bool:
    """Return whether the module of a class uses database connections of DB-API 2."""
    tree = module_tree(_module(owner))
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)} if tree is not None else set()
    return len({"cursor", "commit", "rollback", "threadsafety"} & used) > 1


def wanted(owner: object, name: str, asked: frozenset[str], homes: list[dict[str, Any]]) -> type | None:
    """Return the class of the package that a parameter takes, by its name and the attributes used of it; None if none.

    The class must have all of these attributes. A class whose name ends like the parameter's is preferred. Without one,
    the first class with the attributes is taken, if they are at least two and no type of plain data has them. For
    classes in ``homes``, attributes that instances get in their methods count as well; not for the other classes of
    the package, which may be thousands.
    """
    package = _module(owner).partition(".")[0]
    near = list(classes_in(homes, package))
    far = classes_in([vars(each) for each in package_modules(package)], package)
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
    """Return the imported modules of a package."""
    return [
        module for name, module in sorted(sys.modules.items())
        if module is not None and package and name.partition(".")[0] == package
    ]  # fmt: skip


def classes_in(homes: Iterable[dict[str, Any]], package: str) -> Iterator[type]:
    """Yield the classes of the package that these namespaces have, without exceptions and protocols."""
    for home in homes:
        for each in list(home.values()):
            if (
                is_a(each, type) and _module(each).partition(".")[0] == package
                and not issubclass(each, BaseException) and not getattr(each, "_is_protocol", False)
            ):  # fmt: skip
                yield each


def _module(owner: object) -> str:
    if is_a(owner, types.ModuleType):
        return own_name(owner)
    return module_of(owner) or ""  # None if a class defines `__module__` as something else than a text


def class_with(owner: object, asked: frozenset[str]) -> type | None:
    """Return the first class of the package that has these attributes as a class; None if there is none.

    Special names are ignored, because most classes have them.
    """
    package = _module(owner).partition(".")[0]
    telling = {each for each in asked if not each.startswith("__")}
    classes = classes_in([vars(each) for each in package_modules(package)], package) if telling else ()
    return next((each for each in classes if each is not owner and telling <= set(dir(each))), None)


@cache
def known_to(owner: object, function: str, parameter: str) -> tuple[str | int, ...]:
    """Return texts and numbers that a function compares a parameter with, or that are keys of a table it looks in.

    The names of attributes are among them if the function gets the attribute of that name from ``self``. Only tables of
    the module count that have elements when it has been imported. Without a name, the last parameter is meant.
    """
    space = vars(sys.modules[_module(owner)]) if _module(owner) in sys.modules else {}
    found: dict[str | int, None] = {}
    parts: list[ast.expr]
    for tree in _functions(owner, function):
        wanted = parameter or next((each.arg for each in reversed(tree.args.args)), "")
        for node in ast.walk(tree):
            match node:
                case ast.Compare(left=ast.Name(id=name), comparators=[other]) if name == wanted:
                    parts = other.elts if isinstance(other, ast.Tuple | ast.List | ast.Set) else [other]
                case ast.Subscript(value=ast.Name() as other, slice=ast.Name(id=name)) if name == wanted:
                    parts = [other]
                case ast.Call(
                    func=ast.Name(id="getattr") as other, args=[ast.Name(id="self"), ast.Name(id=name), *_]
                ) if name == wanted and isinstance(owner, type):
                    parts = [ast.Constant(each) for each in sorted(_stored(owner)) if not each.startswith("_")]
                case _:
                    continue
            table: Any = space.get(other.id) if isinstance(other, ast.Name) else None
            keys = list(table) if is_a(table, dict, list, tuple) else []
            keys += sorted(table, key=repr) if is_a(table, set, frozenset) else []
            keys += [each.value for each in parts if isinstance(each, ast.Constant)]
            found.update(dict.fromkeys(each for each in keys if type(each) in (str, int)))
    return tuple(found)[:_MOST_KNOWN]


_MOST_KNOWN = 4


def deciding(owner: object, function: str, parameter: str) -> tuple[str | int, ...]:
    """Return numbers beyond the limits that a function compares a parameter with, and keys that the class itself uses.

    These lead into branches that other values do not reach. Keys are returned if the function looks something up by the
    parameter.
    """
    numbers: dict[int, None] = {}
    looks_up = False
    for tree in _functions(owner, function):
        for node in ast.walk(tree):
            match node:
                case ast.Compare(
                    left=ast.Name(id=name), ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE() as by], comparators=[limit]
                ):
                    number = ast.unparse(limit)
                    if name == parameter and number.removeprefix("-").isdecimal():
                        numbers[int(number) + _BEYOND[type(by)]] = None
                    continue
                case ast.Compare(ops=[ast.In() | ast.NotIn()], left=ast.Name(id=name)):
                    pass
                case ast.Subscript(slice=ast.Name(id=name)):
                    pass
                case ast.Call(func=ast.Attribute(attr="get" | "pop" | "setdefault"), args=[ast.Name(id=name), *_]):
                    pass
                case _:
                    continue
            looks_up = looks_up or name == parameter
    return (*list(numbers)[:_MOST_DECIDING], *(_own_keys(owner)[:_MOST_DECIDING] if looks_up else ()))


_MOST_DECIDING = 2
_BEYOND: dict[type[ast.cmpop], int] = {ast.Gt: 1, ast.GtE: 0, ast.Lt: -1, ast.LtE: 0}


@cache
def _own_keys(owner: object) -> tuple[str, ...]:
    """Return the texts that the source of a class uses as keys."""
    found: dict[str, None] = {}
    for tree in _sources(owner):
        for node in ast.walk(tree):
            match node:
                case ast.Subscript(slice=ast.Constant(value=str() as key)):
                    found[key] = None
                case ast.Dict(keys=keys):
                    found.update((each.value, None) for each in keys
                                 if isinstance(each, ast.Constant) and isinstance(each.value, str))  # fmt: skip
    return tuple(found)


def delegated(owner: object) -> list[str]:
    """Return names that the ``__getattr__`` of a class may pass on to another object.

    These are public methods that the class lacks, of classes that its source mentions.
    """
    said = {node.id for tree in _sources(owner) for node in ast.walk(tree) if isinstance(node, ast.Name)}
    package = _module(owner).partition(".")[0]
    homes = [vars(sys.modules[_module(owner)])] if _module(owner) in sys.modules else []
    rows = [
        [name for name, value in vars(each).items() if not name.startswith("_") and callable(value)]
        for each in dict.fromkeys(classes_in(homes, package)) if each.__name__ in said and each is not owner
    ]  # fmt: skip
    names = [name for row in rows for name in row[:_MOST_PASSED_ON] if not hasattr(owner, name)]
    return list(dict.fromkeys(names))[: 2 * _MOST_PASSED_ON]


_MOST_PASSED_ON = 3


@cache
def provided(cls: type) -> frozenset[str]:
    """Return all attributes of instances: those of the class, and those that its source assigns to ``self``."""
    return frozenset(dir(cls)) | _stored(cls)


@cache
def _stored(cls: type) -> frozenset[str]:
    """Return the attributes that the source of a class assigns to ``self``."""
    return frozenset(
        node.attr for tree in _sources(cls) for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _text(node.value) == "self"
    )  # fmt: skip


_LACKS = re.compile(r"AttributeError: (?:type object )?'(\w+)'(?: object)? has no attribute '(\w+)'")


def left_open(owner: object, error: str) -> bool:
    """Return whether an error says that a class lacks an attribute that no code of its package ever sets.

    A method that uses such an attribute works only on subclasses that define it, not on instances of the class itself.
    """
    found = _LACKS.match(error)
    if found is None or not isinstance(owner, type) or found[1] != owner.__name__:
        return False
    name = found[2]
    if name in provided(owner) or any("__getattr__" in vars(each) for each in owner.__mro__):
        return False
    # Forms in which the attribute may be set: an assignment to an attribute of another variable than self; its name as
    # a text in a list or dictionary; and if the class sets attributes by computed names, a keyword argument.
    ways = [rf"(?<!self)\.{name}\s*(?::[^=\n]*)?=(?!=)", rf"['\"]{name}['\"]\s*(?:,|:|\]\s*=)"]
    computed = any(word in ast.unparse(tree) for tree in _sources(owner) for word in ("setattr(", "__dict__"))
    given = re.compile("|".join([*ways, rf"[(,]\s*{name}\s*=(?!=)"] if computed else ways))
    return all(_is_silent(each, given) for each in package_modules(_module(owner).partition(".")[0]))


def _is_silent(module: ModuleType, given: re.Pattern[str]) -> bool:
    """Return whether the source of a module has no match; False if it cannot be read."""
    file = getattr(module, "__file__", None)
    if not isinstance(file, str) or not file.endswith(".py"):
        return False
    try:
        return given.search(Path(file).read_text(encoding="utf-8")) is None
    except (OSError, UnicodeDecodeError):
        return False


@cache
def _sources(owner: object) -> tuple[ast.ClassDef, ...]:
    """Return the syntax trees of a class and its bases."""
    classes: Iterable[type] = owner.__mro__ if isinstance(owner, type) else ()
    found = (_defined(_module(each)).get(each.__qualname__) for each in classes)
    return tuple(each for each in found if each is not None)


@cache
def module_tree(module: str) -> ast.Module | None:
    """Return the syntax tree of an imported module; None if its source cannot be read."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if module in {"builtins", "typing", "abc"} or not isinstance(file, str) or not file.endswith(".py"):
        return None
    try:
        return parse_source(Path(file).read_bytes())
    except (OSError, SyntaxError):
        return None


@cache
def _defined(module: str) -> dict[str, ast.ClassDef]:
    """Return the classes that a module defines, by qualified name.

    `inspect.getsource` would read the whole module again for each of them.
    """
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
    """Return the functions of that name in a class and its bases, else at the top level of its module."""
    return _inside(owner).get(name) or [each for each in _top_functions(_module(owner)) if each.name == name]


@cache
def _inside(owner: object) -> dict[str, list[FunctionNode]]:
    """Return all functions in a class and its bases, by name."""
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
    """Yield the functions and methods that a variable is passed to unchanged, each with the position or keyword."""
    for node in ast.walk(function):
        if not isinstance(node, ast.Call):
            continue
        match node.func:
            case ast.Name(id=called) | ast.Attribute(value=ast.Name(id="self" | "cls"), attr=called):
                yield from ((called, at) for at, each in enumerate(node.args) if _text(each) == name)
                yield from ((called, each.arg) for each in node.keywords if each.arg and _text(each.value) == name)


def _at(function: FunctionNode, position: int | str, *, bound: bool) -> str | None:
    """Return the name of the parameter that gets the argument at a position or keyword; None if there is none."""
    if isinstance(position, str):
        return position if position in _names(function) else None
    static = any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in function.decorator_list)
    names = [each.arg for each in [*function.args.posonlyargs, *function.args.args]][bound and not static :]
    return names[position] if position < len(names) else None


def _names(function: FunctionNode) -> set[str]:
    return {each.arg for each in [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]}


def _parts(tree: ast.AST, text: str) -> set[str]:
    """Return the parts that the code uses of a variable, in the notation of `used_parts`."""
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
                found.add("[]")  # a lookup of a key that may be missing
            case ast.withitem(context_expr=value) if _text(value) == text:
                found.add("__enter__()")
            case ast.Subscript(value=value, ctx=use) if _text(value) == text:
                found.add(_OPERATIONS[type(use)])
                found |= _key(node.slice) if isinstance(use, ast.Load) else set()
            case ast.For(iter=value) | ast.comprehension(iter=value) if _text(value) == text:
                found.add("__iter__()")
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[value]) if _text(value) == text:
                found.add("__contains__()")
            case ast.Call(func=ast.Name(id="len"), args=[value]) if _text(value) == text:
                found.add("__len__()")
            case ast.Call(func=ast.Name(id="next"), args=[value, *_]) if _text(value) == text:
                found.add("__next__()")
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
    """Return the key of a subscript in brackets, if it is a literal text; else nothing."""
    return {f"[{node.value!r}]"} if isinstance(node, ast.Constant) and isinstance(node.value, str) else set()


def _is_given(value: ast.expr, parameter: str) -> bool:
    """Return whether the value of an expression is, or may be, the parameter, as in ``given or Default()``."""
    match value:
        case ast.BoolOp(values=values):
            return any(_text(each) == parameter for each in values)
        case ast.IfExp(body=one, orelse=other):
            return parameter in (_text(one), _text(other))
    return _text(value) == parameter


def _kept(function: FunctionNode, parameter: str) -> set[str]:
    """Return the attributes of ``self`` to which a function assigns the parameter, also by `setattr` and the like."""
    found = set()
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=targets, value=value) if _is_given(value, parameter):
                found |= {
                    each.attr for each in targets if isinstance(each, ast.Attribute) and _text(each.value) == "self"
                }
                found |= {name for each in targets if (name := _in_dict(each)) is not None}
            case ast.Call(
                func=ast.Name(id="setattr"), args=[ast.Name(id="self"), ast.Constant(value=str(name)), value]
            ):
                found |= {name} if _is_given(value, parameter) else set()
            case ast.Call(func=ast.Attribute(attr="__setattr__"), args=[*_, ast.Constant(value=str(name)), value]):
                found |= {name} if _is_given(value, parameter) else set()
    return found


def _in_dict(target: ast.expr) -> str | None:
    """Return the attribute that ``self.__dict__['name']`` stands for; None for other targets."""
    match target:
        case ast.Subscript(value=value, slice=ast.Constant(value=str(name))) if _text(value) == "self.__dict__":
            return name
    return None
