"""The values for a parameter from all sources, the most reliable first.

The sources are: values that the user states, values found in tests and in the code (`mining`), the annotation, the
name, and what the code does with the parameter (`duck`).
"""

from __future__ import annotations

import ast
import builtins
import collections.abc
import dataclasses
import enum
import importlib
import inspect
import re
import sys
import tempfile
import types
import typing
import warnings
from collections import Counter
from functools import cache, partial
from typing import Any

from plait.generate.values.annotation import by_annotation, by_members
from plait.generate.values.duck import (
    asked_of,
    changes,
    class_with,
    classes_in,
    connects,
    deciding,
    delegated,
    known_to,
    left_to_others,
    package_modules,
    provided,
    standin,
    table_for,
    wanted,
)  # fmt: skip
from plait.generate.values.fitting import fitting
from plait.generate.values.makers import Maker, import_line, makers_of
from plait.generate.values.names import DESCRIBED, NEVER_REPLACED, by_name, role
from plait.generate.values.recipes import Recipe, meant_by, recipes_for
from plait.generate.values.value import (
    OWN,
    Value,
    kind_of,
    literal,
)
from plait.model.foreign import is_a, module_of, short_name
from plait.subject.interface.members import (
    Method,
    Parameter,
    constructor_parameters,
    snake_case,
)
from plait.subject.interface.signature import annotation_text, read_signature

if typing.TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from plait.generate.catalogue import Hints
    from plait.generate.values.mining import Mined

_MAX_DEPTH = 2
"""How deep constructor calls are nested to make an argument."""
_MOST_COMPLETED = 4
_MOST_BELOW = 4
"""So many subclasses stand for an abstract class that a method takes."""
_MOST_IN_UNION = 3
"""So many more values a parameter gets whose annotation has several members, one of which allows anything."""
_USUAL = 2
"""Values that come before those on which the code decides."""
_MOST_LIMITS = 2
_MOST_MAKERS = 4
"""Most ways to get an instance from other functions; each is tried before random constructor calls."""
_GENERIC = ("'a'", "1", "lambda *args, **kwargs: None", "['a']", "{'a': 1}", "None")
_READY = {
    "threading.Lock": ("threading.Lock()", "import threading"),
    "_thread.lock": ("threading.Lock()", "import threading"),
    "_thread.Lock": ("threading.Lock()", "import threading"),
    "_thread.RLock": ("threading.RLock()", "import threading"),
    "threading._RLock": ("threading.RLock()", "import threading"),
    "logging.Logger": ("logging.getLogger('a')", "import logging"),
    "pathlib.Path": ("pathlib.Path('plait-a')", "import pathlib"),
    "re.Pattern": ("re.compile('a')", "import re"),
    "types.ModuleType": ("types.ModuleType('a')", "import types"),
    "io.StringIO": ("io.StringIO('ab')", "import io"),
    "io.BytesIO": ("io.BytesIO(b'ab')", "import io"),
    "typing.IO": ("io.StringIO('ab')", "import io"),
    "typing.TextIO": ("io.StringIO('ab')", "import io"),
    "typing.BinaryIO": ("io.BytesIO(b'ab')", "import io"),
}
_MOMENTS = {
    "datetime.datetime": ("datetime.datetime(2020, 1, 2)", "datetime.datetime(2100, 1, 2)"),
    "datetime.date": ("datetime.date(2020, 1, 2)", "datetime.date(2100, 1, 2)"),
    "datetime.time": ("datetime.time(10, 30)", "datetime.time(0, 0)"),
    "datetime.timedelta": ("datetime.timedelta(seconds=1)", "datetime.timedelta(0)", "datetime.timedelta(days=1)"),
}
"""Dates before and after now, and durations that pass within a test; drawn ones would be centuries away."""
_DRAWN = {"datetime", "decimal", "uuid", "fractions", "ipaddress", "zoneinfo"}


class Candidates:
    """Finds values for the parameters of one subject, in a process that has imported the subject."""

    def __init__(self, owner: object, mined: Mined, hints: Hints, *, seed: int, size: int) -> None:
        self._owner = owner
        self._mined = mined
        self._hints = hints
        self._seed = seed
        self._size = size
        classes = owner.__mro__ if isinstance(owner, type) else ()
        names = [each.__module__ for each in classes if each is not object] or [getattr(owner, "__name__", "")]
        self._built: dict[tuple[Any, ...], list[Value] | None] = {}
        self._homes = [vars(sys.modules[name]) for name in dict.fromkeys(names) if name in sys.modules]

    def of(self, method: Method, position: int, parameter: Parameter) -> tuple[list[Value], bool]:
        """Return at most ``size`` values, and whether these are guesses: no user and no annotation states the type."""
        stated = self._hints.values.get(f"{method.name}.{parameter.name}") or self._hints.values.get(parameter.name)
        if stated:
            return [dataclasses.replace(literal(text), imports=self._hints.imports) for text in stated], False
        texts = self._mined.compared.get(parameter.name, ())[:3]
        known = map(repr, known_to(self._owner, _function(method), parameter.name))
        mined = [*self._given(method, position, parameter), *map(literal, [*texts, *known])]
        used = self._mined.used.get((_function(method), parameter.name))
        asker = partial(asked_of, self._owner, _function(method), parameter.name)
        operand = method.name in _OPERATORS and not parameter.annotation  # mostly of the same class, whatever its name
        named = dataclasses.replace(parameter, name="other") if operand else parameter
        values, anything = self._ranked(named, mined, used, asker, self._homes, 0)
        other = standin(self._owner, _function(method), parameter.name) if anything else None
        if other is not None and role(parameter.name) not in NEVER_REPLACED:
            real = any(each.imports and "plait." not in each.imports[0] for each in values)  # a class of the package
            values = values if real else [other, *values]
        if anything and role(parameter.name) in (None, "value", "mapping"):
            values = [*table_for(self._owner, _function(method), parameter.name), *values]
        if anything and method.kind in ("constructor", "making") and role(parameter.name) is None:
            # A constructor seldom refuses what does not fit: only the methods do, and then every one of them.
            values = [*fitting(self._owner, _function(method), parameter.name)[:2], *values]
        if any(each.kind == "Database" for each in values) and connects(self._owner):
            values.sort(key=lambda each: each.kind != "Database")
        if method.name == "__getattr__":
            asked = [each for each in known_to(self._owner, "__getattr__", "") if str(each).isidentifier()]
            names = [*asked, *delegated(self._owner)]
            values = [*(literal(repr(name)) for name in names), *values]
        described = DESCRIBED.get((method.name, position), ())
        found = _first([*described, *values[:1], *self._limits(method, parameter, values), *values], self._size)
        return _first(
            [*found[:_USUAL], *self._deciding(method, parameter, found), *found[_USUAL:]], self._size
        ), anything

    def _limits(self, method: Method, parameter: Parameter, values: Sequence[Value]) -> list[Value]:
        """Return numbers with which the code compares the attribute that a call stores its argument in.

        An object made with such a number may be of no use, so constructors get none.
        """
        making = method.kind in ("constructor", "making")
        attribute = self._mined.stored.get((_function(method), parameter.name), "") if not making else ""
        kinds = {each.kind for each in values}
        limits = map(literal, self._mined.limits.get(attribute, ()))
        return [each for each in limits if each.kind in kinds][:_MOST_LIMITS]

    def _deciding(self, method: Method, parameter: Parameter, values: Sequence[Value]) -> list[Value]:
        """Return further values of the known kinds on which the code of a method decides; constructors get none."""
        if method.kind in ("constructor", "making"):
            return []
        found = [literal(repr(each)) for each in deciding(self._owner, _function(method), parameter.name)]
        kinds, known = {each.kind for each in values}, {each.text for each in values}
        return [each for each in found if each.kind in kinds and each.text not in known]

    def instead(self, method: Method, parameter: Parameter) -> list[Value]:
        """Return what to try if all other values fail: what fits the code, and a stand-in.

        A real class may fail, for instance because it needs a network.
        """
        found = list(fitting(self._owner, _function(method), parameter.name))
        if parameter.annotation or role(parameter.name) in NEVER_REPLACED:
            return found
        other = standin(self._owner, _function(method), parameter.name)
        return found if other is None else [*found, other]

    def own(self) -> list[Value]:
        """Return values that make another instance of the class under test."""
        return self._construct(self._owner, 0) if isinstance(self._owner, type) else []

    def completed(self) -> list[Recipe]:
        """Return recipes for subclasses that give what the class itself leaves to them: methods, or attributes.

        Only subclasses of the same package are taken; those that leave least to others come first. Calls of them that
        the package itself makes are preferred.
        """
        if not isinstance(self._owner, type) or not (open_ := left_to_others(self._owner)):
            return []
        package = self._owner.__module__.partition(".")[0]
        near = [each for each in _family(self._owner)[1:] if each.__module__.partition(".")[0] == package]
        rows = [(len(left_to_others(each, open_)), number, each) for number, each in enumerate(near)]
        found = []
        for left, _number, each in sorted(rows, key=lambda row: row[:2])[:_MOST_COMPLETED]:
            if left < len(open_):
                calls = recipes_for(each, None)[:1]
                written = [dataclasses.replace(call, origin=f"{call.origin}, a subclass") for call in calls]
                made = [value for value in self._construct(each, 1) if value.kind == each.__name__][:1]
                simple = [Recipe(value.text, value.imports, f"`{each.__qualname__}`, a subclass") for value in made]
                found += written or simple
        return found

    def filled(self) -> list[Recipe]:
        """Return recipes that make a collection with something in it, if nothing can be put in afterwards."""
        owner = self._owner
        if not isinstance(owner, type) or _FILLING.intersection(dir(owner)):
            return []
        return [Recipe(each.text, (_line_for(owner),), "a caller with elements") for each in _filled(owner)]

    def handed_out(self) -> list[Recipe]:
        """Return recipes that get an instance from another function of the package, those with few arguments first."""
        found = self._handed_out(self._owner, 0) if isinstance(self._owner, type) else []
        return found[:_MOST_MAKERS]

    def _handed_out(self, cls: type, depth: int) -> list[Recipe]:
        found = [recipe for each in makers_of(cls) for recipe in self._made_by(each, cls, depth)]
        return sorted(found, key=lambda each: each.text.count(","))

    def _made_by(self, maker: Maker, cls: type, depth: int) -> list[Recipe]:
        """Return calls of a maker with the simplest arguments; none if a required argument has no value.

        The object that a method is called on may come from another maker: ``Client().database('a').collection('a')``.
        """
        name = maker.name if maker.owner is None else f"{maker.owner.__qualname__}.{maker.name}"
        line = import_line(maker.module, name.partition(".")[0])
        fixed = isinstance(maker.attribute, staticmethod)
        calls: dict[str, tuple[str, ...]] = {"": ()}
        if not isinstance(maker.attribute, property):
            bound = maker.owner is not None and not fixed
            read = read_signature(maker.function, module=maker.module, qualname=name, bound=bound)
            calls = {} if read is None or not line else self._calls_of(maker, _telling(read))
        starts = [Value(name, "function")]
        if maker.owner is not None and not fixed and not isinstance(maker.attribute, classmethod):
            owners = [*_filled(maker.owner), *self._construct(maker.owner, 1)[:1]]
            if depth == 0:
                further = self._handed_out(maker.owner, 1)[:1]
                owners = [*(Value(each.text, "object", each.imports) for each in further), *owners]
            starts = [Value(f"{each.text}.{maker.name}", "function", each.imports) for each in owners]
        made = frozenset(map(short_name, _family(cls)))
        return [
            Recipe(each.text + called, tuple(dict.fromkeys([line, *each.imports, *needed])), f"`{name}`", made)
            for each in starts for called, needed in calls.items()
        ]  # fmt: skip

    def _calls_of(self, maker: Maker, parameters: Sequence[Parameter]) -> dict[str, tuple[str, ...]]:
        """Return arguments in parentheses, with their imports: the simplest ones, and those with a file that exists."""
        owner = maker.owner or sys.modules[maker.module]
        found = {}
        for preferred in ("", "file"):
            given = self._given_simply(owner, maker.name, parameters, maker.module, 1, preferred)
            if given is not None:
                called = f"({', '.join(shown for shown, _ in given)})"
                found[called] = tuple(each for _, lines in given for each in lines)
        return found

    def _given_simply(
        self, owner: object, function: str, parameters: Iterable[Parameter], module: str, depth: int,
        preferred: str = "",
    ) -> list[tuple[str, tuple[str, ...]]] | None:  # fmt: skip
        """Return the simplest argument for each required parameter, with its imports; None if one has no value.

        A value of the ``preferred`` kind is taken where there is one.
        """
        found = []
        for each in parameters:
            if each.required:
                asker = partial(asked_of, owner, function, each.name)
                values, _ = self._ranked(each, [], None, asker, [vars(sys.modules[module])], depth)
                usable = [value for value in values if value is not OWN]
                value = next((value for value in usable if value.kind == preferred), next(iter(usable), None))
                if value is None:
                    return None
                shown = f"{each.name}={value.text}" if each.kind == "keyword" else value.text
                found.append((shown, value.imports))
        return found

    def _ranked(
        self, parameter: Parameter, mined: list[Value], used: str | None, asked: Callable[[], frozenset[str]],
        homes: list[dict[str, Any]], depth: int,
    ) -> tuple[list[Value], bool]:  # fmt: skip
        def build(dotted: str) -> list[Value] | None:
            return self._build(dotted, homes, depth)

        annotated = by_annotation(parameter.annotation, build) if parameter.annotation else None
        named = by_name(parameter.name)
        if depth == 0 and (role(parameter.name) == "other" or self._like_owner(parameter.name, asked)):
            named = [OWN, *self.own()[:1], literal("['a', 'b']"), literal("1")]
        if annotated is not None:
            kinds = {each.kind for each in annotated}
            kinds |= {"int"} if "float" in kinds else set()
            fitting = [each for each in [*mined, *named] if each.kind in kinds]
            # The name gives better values than the annotation, which would allow the empty string as a key. But if the
            # name has only one number or text, those of the annotation are added: many faults need two different keys.
            kinds_of = Counter(each.kind for each in _first(fitting, len(fitting)))
            covered = {kind for kind, count in kinds_of.items() if count > 1 or kind not in ("int", "str")}
            return _first([*fitting, *(each for each in annotated if each.kind not in covered)], self._size), False
        if parameter.annotation and (members := by_members(parameter.annotation, build)):
            members.sort(key=_is_plain)  # what the package makes for this parameter says most
            known = {each.text for each in members}
            named = [each for each in named if each.text not in known]
            return _first([*mined[:3], *members, *named], self._size + _MOST_IN_UNION), True
        evident = by_annotation(used, build) if used else None
        if evident and not {each.kind for each in evident} & {each.kind for each in named}:
            named = [*evident, *named]
        meant = self._classes_for(parameter.name, asked) if role(parameter.name) == "type" else []
        named = [*(Value(each.__qualname__, "type", (_line_for(each),)) for each in meant), *named]
        if not named:
            named = self._like_class(parameter.name, asked(), homes, depth) or _like_default(parameter.default)
        return _first([*mined[:3], *named] if named else [*mined, *map(literal, _GENERIC)], self._size), True

    def _given(self, method: Method, position: int, parameter: Parameter) -> list[Value]:
        given = self._mined.given
        texts = [*given.get((method.name, position), ())[:2], *given.get((method.name, parameter.name), ())[:2]]
        return [literal(text) for text in dict.fromkeys(texts)]

    def _build(self, dotted: str, homes: list[dict[str, Any]], depth: int) -> list[Value] | None:
        """Return values for a name in an annotation; None if the name cannot be resolved or allows anything."""
        key = (dotted, depth, *map(id, homes))
        if key not in self._built:  # large classes use the same names hundreds of times
            self._built[key] = self._build_anew(dotted, homes, depth)
        return self._built[key]

    def _build_anew(self, dotted: str, homes: list[dict[str, Any]], depth: int) -> list[Value] | None:
        if dotted.rpartition(".")[2] == "Self":
            return [OWN, *self.own()[:1]]
        found = _resolve(dotted, homes)
        if found is None:
            return None
        if isinstance(found, typing.TypeVar):
            bound = _evaluated(found, "__bound__")
            return by_annotation(bound, lambda name: self._build(name, homes, depth + 1)) if bound else None
        if isinstance(found, typing.NewType):
            found = found.__supertype__
        if not isinstance(found, type):
            text = _evaluated(found, "__value__") if _is_alias(found) else annotation_text(found)
            same = text is None or text == dotted
            return None if same or depth > _MAX_DEPTH else by_annotation(
                str(text), lambda name: self._build(name, homes, depth + 1)
            )  # fmt: skip
        if found is object:
            return None
        return self._of_class(found, depth)

    def _of_class(self, cls: type, depth: int) -> list[Value]:
        if isinstance(self._owner, type) and cls in self._owner.__mro__ and depth == 0:
            return [OWN, *self.own()[:1]]
        ready = _READY.get(f"{cls.__module__}.{cls.__qualname__}")
        if ready is not None:
            return [Value(ready[0], cls.__name__, (ready[1],))]
        if cls.__module__ == "builtins":
            return by_annotation(cls.__name__, lambda _: []) or []
        if (said := _MOMENTS.get(f"{cls.__module__}.{cls.__qualname__}")) is not None:
            return [Value(text, cls.__name__, ("import datetime",)) for text in said]
        if cls.__module__ in _DRAWN:
            return draw(cls, seed=self._seed, count=3)
        if typing.is_typeddict(cls):
            return [self._table_of(cls, depth)]
        below = _concretes(cls)[: _MOST_BELOW if depth == 0 else 1] if inspect.isabstract(cls) else [cls]
        made = [self._construct(each, depth) for each in below or [cls]]
        if len(made) > 1:
            made = [values[:1] for values in made]
        return [*self._ready_made(cls), *(value for values in made for value in values)] or self._drawn_data(cls)

    def _ready_made(self, cls: type) -> list[Value]:
        """Return public instances of the class that the subject's module has as globals."""
        for home in self._homes[:1]:
            names = [name for name, each in list(home.items()) if type(each) is cls and not name.startswith("_")]
            if "__name__" in home:
                line = f"from {home['__name__']} import"
                return [Value(name, cls.__name__, (f"{line} {name}",)) for name in names[:2]]
        return []

    def _table_of(self, cls: type, depth: int) -> Value:
        """Return a dictionary with the required keys of a `TypedDict`."""
        homes = [vars(sys.modules[cls.__module__])] if cls.__module__ in sys.modules else []
        parts: list[str] = []
        imports: dict[str, None] = {}
        annotations = _annotations_of(cls)
        for key in sorted(vars(cls).get("__required_keys__", ())):
            said = annotation_text(annotations.get(key, Any)) or "Any"
            values = by_annotation(said, lambda name: self._build(name, homes, depth + 1)) or [
                *by_name(key), literal("1")
            ]  # fmt: skip
            parts.append(f"{key!r}: {values[0].text}")
            imports.update(dict.fromkeys(values[0].imports))
        return Value("{" + ", ".join(parts) + "}", "dict", tuple(imports))

    def _drawn_data(self, cls: type) -> list[Value]:
        plain = dataclasses.is_dataclass(cls) or (issubclass(cls, tuple) and hasattr(cls, "_fields"))
        return draw(cls, seed=self._seed, count=2) if plain and "<locals>" not in cls.__qualname__ else []

    def _construct(self, cls: type, depth: int) -> list[Value]:
        """Return up to two calls of the class with the simplest values for its required parameters.

        For an enumeration, return its members.
        """
        if issubclass(cls, enum.Enum):
            found_in = (f"from {cls.__module__} import {cls.__qualname__.partition('.')[0]}",)
            return [Value(f"{cls.__qualname__}.{name}", cls.__name__, found_in) for name in cls.__members__]
        concrete = _concrete(cls)
        if concrete is None and _is_open(cls):
            return self._implemented(cls, depth)
        if concrete is None or depth > _MAX_DEPTH:
            return []
        homes = [vars(sys.modules[concrete.__module__])]
        columns: list[tuple[Parameter, list[Value]]] = []
        for each in constructor_parameters(concrete):
            if each.required:
                asker = partial(asked_of, concrete, "__init__", each.name)
                values, _ = self._ranked(each, [], None, asker, homes, depth + 1)
                fitting = [value for value in values if value is not OWN]
                if not fitting:
                    return []
                columns.append((each, fitting))
        found = []
        line = f"from {concrete.__module__} import {concrete.__qualname__.partition('.')[0]}"
        for rank in range(2):
            row = [(each, values[min(rank, len(values) - 1)]) for each, values in columns]
            inside = ", ".join(
                f"{each.name}={value.text}" if each.kind == "keyword" else value.text for each, value in row
            )
            imports = tuple(dict.fromkeys([line, *(needed for _, value in row for needed in value.imports)]))
            found.append(Value(f"{concrete.__qualname__}({inside})", concrete.__name__, imports))
        return _first(found, 2)

    def _implemented(self, cls: type, depth: int) -> list[Value]:
        """Return an instance of a generated subclass that implements the abstract methods of a class."""
        line = f"from {cls.__module__} import {cls.__qualname__.partition('.')[0]}"
        own = "from plait.generate.callables import implemented"
        protocol = getattr(cls, "_is_protocol", False)
        required = () if protocol else constructor_parameters(cls)
        within = depth <= _MAX_DEPTH
        given = self._given_simply(cls, "__init__", required, cls.__module__, depth + 1) if within else None
        if given is None:
            return []
        imports = tuple(dict.fromkeys([line, own, *(needed for _, lines in given for needed in lines)]))
        shown = [text for text, _ in given]
        return [Value(f"implemented({cls.__qualname__})({', '.join(shown)})", cls.__name__, imports)]

    def _like_owner(self, name: str, asked: Callable[[], frozenset[str]]) -> bool:
        """Return whether a parameter is named like the class under test, and the class has all that is used of it.

        The last word of the class's name is enough if something is used of the parameter: ``window`` of a `MapWindow`.
        """
        owner = self._owner
        if not isinstance(owner, type):
            return False
        own = snake_case(owner.__name__)
        named = own == name or (own.endswith(f"_{name}") and any(not each.startswith("_") for each in asked()))
        return named and asked() <= provided(owner)

    def _classes_for(self, name: str, asked: Callable[[], frozenset[str]]) -> list[type]:
        """Return the classes that a parameter may take: those that it is named for, else one with what is used of it.

        ``storage_class`` takes a concrete class of the package whose name, or the name of whose base, is ``Storage``.
        """
        stem = _TYPE_SUFFIX.sub("", name)
        if isinstance(self._owner, type) and stem != name:
            package = (module_of(self._owner) or "").partition(".")[0]
            homes = [*self._homes, *map(vars, package_modules(package))]
            for each in dict.fromkeys(classes_in(homes, package)):
                if each is not self._owner and snake_case(each.__name__) in (stem, f"base_{stem}", f"abstract_{stem}"):
                    return _concretes(each)[:_MOST_BELOW]
        found = class_with(self._owner, asked())
        return [] if found is None else [found]

    def _like_class(self, name: str, asked: frozenset[str], homes: list[dict[str, Any]], depth: int) -> list[Value]:
        """Return instances of a class of the package that has the parameter's name, or the attributes used of it."""
        inside = [vars(each) for each in self._owner.__mro__] if isinstance(self._owner, type) and not depth else []
        for home in (*homes, *inside):
            for each in list(home.values()):
                if is_a(each, type) and snake_case(each.__name__) == name and each is not self._owner:
                    return self._construct(each, depth + 1)
        found = wanted(self._owner, name, asked, homes)
        return self._construct(found, depth + 1) if found is not None else []


def _annotations_of(cls: type) -> dict[str, Any]:
    """Return the annotations of a class; empty if they cannot be evaluated, as names for type checkers only."""
    try:
        return dict(cls.__annotations__)
    except Exception:  # Python 3.14 evaluates them here
        return {}


def _is_plain(value: Value) -> bool:
    """Return whether a value is no object of a class of the package."""
    return value.kind in ("type", "callable") or not value.imports or "plait." in value.imports[0]


_OPERATORS = frozenset(
    f"__{before}{name}__" for before in ("", "r", "i") for name in ("or", "and", "xor", "add", "sub")
)
_FILLING = frozenset({
    "__setitem__", "add", "append", "insert", "put", "push", "update", "extend", "set", "register", "enqueue",
})  # fmt: skip
_TYPE_SUFFIX = re.compile(r"_?(?:class|cls|klass|type|factory|impl)_?$")


def _line_for(cls: type) -> str:
    return f"from {cls.__module__} import {cls.__qualname__.partition('.')[0]}"


def _family(cls: type) -> list[type]:
    """Return a class and all classes derived from it."""
    found = [cls]
    for each in found:
        below: list[type] = type.__subclasses__(each)
        found += [one for one in below if one not in found]
    return found


def _telling(parameters: Sequence[Parameter]) -> list[Parameter]:
    """Return the parameters, of which the first is made required if none is and its default is None.

    A decorator that is called without a function returns another decorator instead of an instance.
    """
    first = parameters[:1] if not any(each.required for each in parameters) else ()
    optional = [each for each in first if each.kind in ("positional", "positional-only") and each.default == "None"]
    return [dataclasses.replace(each, default=None) if each in optional else each for each in parameters]


def _function(method: Method) -> str:
    return "__init__" if method.kind in ("constructor", "making") else method.name.partition(".")[0]


def _first(values: Iterable[Value], count: int) -> list[Value]:
    return list({value.text: value for value in reversed(list(values))}.values())[::-1][:count]


def _filled(cls: type) -> list[Value]:
    """Return a call that makes a non-empty collection, if the class is one.

    The constructor is assumed to take the same argument as that of `dict` or `list`.
    """
    if not issubclass(cls, collections.abc.Collection) or inspect.isabstract(cls):
        return []
    inside = "{'a': 1, 'b': 2}" if issubclass(cls, collections.abc.Mapping) else "['a', 'b']"
    return [Value(f"{cls.__qualname__}({inside})", cls.__name__)]


def _like_default(default: str | None) -> list[Value]:
    if default in {None, "...", "None"}:
        return []
    kind = literal(str(default)).kind
    return [literal(str(default)), *(by_annotation(kind, lambda _: []) or [])]


def _is_open(cls: type) -> bool:
    """Return whether a class is abstract or a protocol, and can be made concrete by a generated subclass."""
    named = "<locals>" not in cls.__qualname__ and cls.__module__ not in ("typing", "collections.abc")
    return named and (bool(getattr(cls, "_is_protocol", False)) or inspect.isabstract(cls))


def _concrete(cls: type) -> type | None:
    """Return the class itself if it can be instantiated, else the first such subclass from the same package."""
    return next(iter(_concretes(cls)), None)


def _concretes(cls: type) -> list[type]:
    """Return the class itself if it can be instantiated, else all such subclasses from the same package.

    Those whose methods change their instances come first: threads can disagree about these only.
    """
    if getattr(cls, "_is_protocol", False) or "<locals>" in cls.__qualname__ or cls.__module__ == "typing":
        return []
    if not inspect.isabstract(cls):
        return [cls]
    package = cls.__module__.partition(".")[0]
    below = [each for each in _family(cls)[1:] if each.__module__.partition(".")[0] == package]
    usable = [each for each in below if not inspect.isabstract(each) and "<locals>" not in each.__qualname__]
    return sorted(usable, key=lambda each: (not changes(each), each.__module__, each.__qualname__))


def _resolve(dotted: str, homes: list[dict[str, Any]]) -> Any:
    head, *rest = dotted.split(".")
    finders: list[Callable[[str], Any]] = [home.get for home in homes]
    finders += [partial(_meant, home) for home in homes]
    finders += [sys.modules.get, *(vars(each).get for each in (builtins, typing, collections.abc, types))]
    for find in finders:
        found = find(head)
        for part in rest:
            found = inspect.getattr_static(found, part, None)
        if found is not None:
            return found
    return None


def _meant(home: dict[str, Any], name: str) -> Any:
    """Return what a module imports under ``if TYPE_CHECKING``, if that is loaded for other reasons."""
    return meant_by(name, str(home.get("__name__", "")))


def _is_alias(value: Any) -> bool:
    """Return whether a value was made by ``type Name = ...``."""
    return sys.version_info >= (3, 12) and isinstance(value, typing.TypeAliasType)


def _evaluated(owner: Any, name: str) -> str | None:
    """Return the text of a lazily evaluated type; None if there is none, or if evaluating it fails."""
    try:
        found = getattr(owner, name)
    except Exception:  # the expression may raise anything; often its names are imported for type checkers only
        return None
    return None if found is None else annotation_text(found)


# -- drawn -------------------------------------------------------------------------------------------------------------
# Values of types that follow rules of their own, drawn from Hypothesis once and kept as source text.


_DRAWS = 30


def draw(wanted: type, *, seed: int, count: int) -> list[Value]:
    """Return up to ``count`` values of the type whose repr evaluates to an equal value, shortest first.

    The same seed gives the same values. Hypothesis keeps its files in a temporary folder, which is removed afterwards.
    """
    return list(_drawn(wanted, seed))[:count]


@cache
def _drawn(wanted: type, seed: int) -> tuple[Value, ...]:
    found: dict[str, Value] = {}
    for value in _examples(wanted, seed):
        text = repr(value)
        imports = _imports(text, type(value))
        if imports is not None and _reads_back(text, imports, value):
            found.setdefault(text, Value(text, kind_of(text), imports))
    return tuple(sorted(found.values(), key=lambda each: (len(each.text), each.text)))


def _examples(wanted: type, seed: int) -> list[Any]:
    # Imported late: it takes a third of a second, and most subjects do not need it.
    import hypothesis  # noqa: PLC0415
    from hypothesis import configuration, strategies  # noqa: PLC0415

    drawn: list[Any] = []
    quiet = hypothesis.settings(
        database=None, max_examples=_DRAWS, deadline=None, phases=(hypothesis.Phase.generate,),
        suppress_health_check=list(hypothesis.HealthCheck), verbosity=hypothesis.Verbosity.quiet,
    )  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="plait-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        configuration.set_hypothesis_home_dir(folder)
        try:

            @hypothesis.seed(seed)
            @quiet
            @hypothesis.given(strategies.from_type(wanted))
            def collect(value: Any) -> None:
                drawn.append(value)

            collect()
        except Exception:  # a type without a strategy, or one whose constructor refuses what was drawn
            return drawn
        finally:
            configuration.set_hypothesis_home_dir(None)
    return drawn


def _imports(text: str, made: type) -> tuple[str, ...] | None:
    """Return the import lines for the names in ``text``; None if the type's module does not have one of them."""
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return None
    module = importlib.import_module(made.__module__)
    lines = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Name) or hasattr(builtins, node.id):
            continue
        if hasattr(module, node.id):
            lines.add(f"from {made.__module__} import {node.id}")
        elif node.id == made.__module__.partition(".")[0]:
            lines.add(f"import {made.__module__}")
        else:
            return None
    # A module such as datetime has a class of the same name; in a dotted repr, the first name is the module.
    if text.startswith(f"{made.__module__}.{made.__qualname__}"):
        return (f"import {made.__module__}",)
    return tuple(sorted(lines))


def _reads_back(text: str, imports: tuple[str, ...], value: Any) -> bool:
    scope: dict[str, Any] = {}
    try:
        exec("\n".join(imports), scope)
        return bool(eval(text, scope) == value)
    except Exception:  # code of the type runs here and may raise anything
        return False
