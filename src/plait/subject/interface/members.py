"""The methods of a subject, found without calling any of them."""

from __future__ import annotations

import ast
import contextlib
import dis
import enum
import inspect
import itertools
import re
import textwrap
import types
import weakref
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    Protocol,
)

from plait.errors import NO_METHODS, UsageError
from plait.model.foreign import is_a, unwrapped
from plait.subject.interface import signature, stubs
from plait.subject.interface.signature import Parameter
from plait.subject.package.facts import CHANGERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


__all__ = ["Interface", "Method", "Parameter", "constructor_parameters", "snake_case", "written_in_c"]

_SILENT_BASES = (object, Generic, Protocol, enum.Enum)
_FACTORY_NAME = re.compile(r"^(from|create|new|make|open|build|of|with|default|get_instance|instance)(_|$)")
_MAX_MEMBERS = 3
"""The number of members of an enumeration that are tried: the others behave alike."""
_MAX_NESTED = 4
"""A class with more context managers than this gets no nested ones: their number is quadratic."""


@dataclass(frozen=True, slots=True)
class Method:
    """One way to call. ``form`` is that of `plait.model.test.Call`; ``name`` is unique within the interface."""

    name: str
    form: str
    kind: str = "method"
    parameters: tuple[Parameter, ...] = ()
    returns: str | None = None
    imports: tuple[str, ...] = ()
    waits: bool = False
    """True if its code, or that of another method it calls, waits for what other threads must bring about."""
    of: str = ""
    """The method on whose result it is called; empty: it is called on the object itself."""

    @property
    def classwide(self) -> bool:
        """True if it needs no instance."""
        return self.kind in ("making", "classmethod", "staticmethod")


@dataclass(frozen=True, slots=True)
class Interface:
    """All calls that a test can make: constructors, methods, and those that were left out with the reason."""

    subject: str
    imports: tuple[str, ...]
    constructors: tuple[Method, ...]
    methods: tuple[Method, ...]
    notes: tuple[str, ...] = field(default=())
    itself: Method | None = None
    """The class without any instance, where making one uses state of the class: nothing has been made yet then."""

    def method(self, name: str) -> Method:
        """Return the method of that name; `KeyError` if there is none."""
        for each in self.methods:
            if each.name == name:
                return each
        raise KeyError(name)


def snake_case(name: str) -> str:
    """``RateLimitItem`` as people name a parameter that takes one: ``rate_limit_item``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower().strip("_")


_RUN = "`run` is what its own thread does: `start` has it called, threads of a test do not call it"


def _is_not_called(cls: type, name: str, klass: type, attribute: Any) -> bool:
    """Return whether threads of a test must not call a public attribute."""
    if _is_thread(cls):
        kept = _is_of_threading(klass) and name in _BOOKKEEPING
        if kept or name == "run" or (name == "start" and _starts_itself(cls)):
            return True
    if name in _REFUSED and getattr(vars(klass).get("__dataclass_params__"), "frozen", False):
        return True
    return name in getattr(cls, "__members__", ()) or (name == "__iter__" and _iterates_itself(cls, attribute))


_PRIVATE = re.compile(r"_(?!_)")
_REFUSED = ("__setattr__", "__delattr__")
"""What a frozen data class has to raise: that it always does tells nothing against a test."""
_BOOKKEEPING = frozenset({"name", "ident", "native_id", "daemon", "getName", "setName", "isDaemon", "setDaemon"})
"""What `threading.Thread` itself keeps about its instances: no class of the user's has a part in it."""


def _starts_itself(cls: type) -> bool:
    """Return whether a thread's constructor starts it, so that callers cannot."""
    own = [each for each in cls.__mro__ if "__init__" in vars(each) and not _is_of_threading(each)]
    return any("start" in _called(vars(each)["__init__"]) for each in own)


def _is_thread(cls: type) -> bool:
    """Return whether instances are threads or processes, which call `run` themselves."""
    return any(
        (_is_of_threading(each) and each.__name__ == "Thread")
        or (each.__module__.startswith("multiprocessing.") and each.__name__ == "BaseProcess")
        for each in cls.__mro__[1:]
    )


def _is_of_threading(cls: type) -> bool:
    """Return whether a class is `threading`'s own, or what stands for it while threads are controlled."""
    return cls.__module__ in ("threading", "plait.run.primitives.thread")


def class_interface(cls: type, name: str) -> Interface:
    """Return the interface of a class; UsageError if it cannot be tested."""
    if inspect.isabstract(cls):
        missing = ", ".join(sorted(getattr(cls, "__abstractmethods__", ())))
        raise UsageError(f"{name} is abstract (it leaves {missing} open); give a concrete subclass")
    if getattr(cls, "_is_protocol", False):
        raise UsageError(f"{name} is a Protocol and cannot be instantiated; give a class that implements it")
    if issubclass(cls, enum.Enum) and not cls.__members__:
        raise UsageError(f"{name} is an enumeration without members; give one that has some")
    module, _, qualname = name.rpartition(":") if ":" in name else name.rpartition(".")
    constructors = _members(cls, qualname) if issubclass(cls, enum.Enum) else _constructors(cls, qualname)
    methods: list[Method] = []
    notes = [_RUN] if _is_thread(cls) else []
    for found, klass, attribute in _attributes(cls):
        if _is_not_called(cls, found, klass, attribute):
            continue
        if found in FORMS:
            methods.extend(special_methods(found, klass, attribute))
        elif not found.startswith("_"):
            for each in _public(found, klass, attribute, notes):
                factory = _is_factory(each, cls, attribute)
                if factory:
                    constructors.append(each)
                if not factory or _shares_state(cls, attribute):
                    methods.append(each)
    if not issubclass(cls, enum.Enum) and _making_shares_state(cls):
        methods.append(Method(cls.__name__, f"{qualname}({{args}})", "making", constructors[0].parameters))
    classwide = [each for each in methods if each.classwide]
    itself = Method("class", qualname, "class") if any(_is_shared(each, cls) for each in classwide) else None
    waiting = _waiting_methods(cls)
    methods = [replace(each, waits=each.name.partition(".")[0] in waiting) for each in methods]
    methods.extend(_managed(methods))
    methods.extend(_module_functions(cls))
    _fix_factory_forms(constructors, qualname)
    called = {each.name for each in methods}
    makers = [
        f"`{each.name}`" for each in constructors[1:]
        if each.kind == "factory" and each.name.isidentifier() and each.name not in called
    ]  # fmt: skip
    if makers and not issubclass(cls, enum.Enum):
        verb = "makes" if len(makers) == 1 else "make"
        notes.append(f"{', '.join(makers)} {verb} instances: tests build objects with them, threads do not call them")
    asynchronous = [note.partition(" ")[0] for note in notes if " is asynchronous" in note]
    if asynchronous and not any(each.name not in _PASSIVE for each in methods):
        raise UsageError(
            f"{name} has only asynchronous methods ({', '.join(asynchronous[:6])}): they run in one thread, that of an "
            "event loop. Threads can share what such a class uses: check that, or the functions that call it"
        )
    if not any(each.name not in _PASSIVE for each in methods):
        alone = " of its own, and enumerated members do not change" if issubclass(cls, enum.Enum) else ""
        private = [each for each, value in vars(cls).items() if _PRIVATE.match(each) and inspect.isfunction(value)]
        alone += f" (`{'`, `'.join(private[:6])}` begin{'s' * (len(private) == 1)} with _)" if private else ""
        said = f"{name} has no public methods{alone}: there is nothing that two threads could call"
        raise UsageError(said, about=NO_METHODS)
    imports = (f"from {module} import {qualname.partition('.')[0]}",)
    return Interface(name, imports, tuple(constructors), tuple(methods), tuple(notes), itself)


def _iterates_itself(cls: type, attribute: Any) -> bool:
    """Return whether a class is an iterator whose ``__iter__`` hands out the object itself.

    ``list(x)`` is then many calls of ``__next__``, made by the caller: nobody promises that they are one step.
    """
    tree = tree_of(attribute) if "__next__" in dir(cls) and inspect.isfunction(attribute) else None
    returned = [node.value for node in ast.walk(tree) if isinstance(node, ast.Return)] if tree is not None else []
    first = next(iter(inspect.signature(attribute).parameters), "") if returned else ""
    return bool(returned) and all(isinstance(each, ast.Name) and each.id == first for each in returned)


def _is_shared(method: Method, cls: type) -> bool:
    attribute = inspect.getattr_static(cls, method.name, None)
    return method.kind == "making" or (attribute is not None and _shares_state(cls, attribute))


def _making_shares_state(cls: type) -> bool:
    """Return whether making an instance uses what all instances share: a singleton, a registry, a table of instances.

    Calls of the class from several threads can then disturb each other, before any object is shared.
    """
    if any("__call__" in vars(meta) for meta in inspect.getmro(type(cls)) if meta not in (type, object)):
        return True
    for klass in cls.__mro__:
        for name in ("__new__", "__init__"):
            attribute = vars(klass).get(name) if klass is not object else None
            function = getattr(attribute, "__func__", attribute)
            if type(function) is types.FunctionType and (_shares_state(cls, attribute) or _changes_module(function)):
                return True
    return False


def _changes_module(function: types.FunctionType, depth: int = 3) -> bool:
    """Return whether a function, or one of its module that it calls, changes names or containers at the top."""
    if _changes_table(function):
        return True
    called = [function.__globals__.get(name) for name in function.__code__.co_names] if depth else []
    return any(
        type(each) is types.FunctionType
        and each.__globals__ is function.__globals__
        and (_rebinds_global(each) or _changes_module(each, depth - 1))
        for each in called
    )


def _rebinds_global(function: types.FunctionType) -> bool:
    tree = tree_of(function)
    return tree is not None and any(isinstance(node, ast.Global) for node in ast.walk(tree))


def _changes_table(function: types.FunctionType) -> bool:
    """Return whether a function changes a container, or moves a counter, at the top of its module."""
    tables = (dict, list, set, weakref.WeakValueDictionary, weakref.WeakKeyDictionary, weakref.WeakSet, itertools.count,
              types.GeneratorType)  # fmt: skip
    named = {name for name in function.__code__.co_names if is_a(function.__globals__.get(name), *tables)}
    tree = tree_of(function) if named else None
    for node in ast.walk(tree) if tree is not None else ():
        changed: ast.AST | None = None
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            changed = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGERS:
            changed = node.func.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "next":
            changed = node.args[0] if node.args else None
        if isinstance(changed, ast.Name) and changed.id in named:
            return True
    return False


def _attributes(cls: type) -> Iterator[tuple[str, type, Any]]:
    """Yield each attribute once, as the instance sees it: the most derived definition, own class first."""
    seen: set[str] = set()
    for klass in cls.__mro__:
        if klass in _SILENT_BASES:
            continue
        for name, value in vars(klass).items():
            if name not in seen:
                seen.add(name)
                yield name, klass, value


def _public(name: str, klass: type, attribute: Any, notes: list[str]) -> list[Method]:
    module, qualname = klass.__module__, f"{klass.__qualname__}.{name}"
    if isinstance(attribute, staticmethod | classmethod):
        kind = "classmethod" if isinstance(attribute, classmethod) else "staticmethod"
        function = attribute.__func__
        return callable_methods(name, function, module, qualname, bound=kind == "classmethod", kind=kind, notes=notes)
    if isinstance(attribute, property):
        return _property(name, attribute)
    if isinstance(attribute, type | types.MemberDescriptorType):  # nested classes; slots, which are plain data
        return []
    if _is_data(attribute):
        return [Method(name, f"{{receiver}}.{name}", "property")]
    if callable(attribute):
        kind = "classmethod" if isinstance(attribute, types.ClassMethodDescriptorType) else "method"
        return callable_methods(name, attribute, module, qualname, bound=True, kind=kind, notes=notes)
    if isinstance(attribute, cached_property):
        return [Method(name, f"{{receiver}}.{name}", "property", returns=_returns(attribute.func))]
    if hasattr(type(attribute), "__get__"):
        return [Method(name, f"{{receiver}}.{name}", "property")]
    return []


def _is_data(attribute: Any) -> bool:
    """Return whether a descriptor says what an instance's attribute is, so that it is read even if it can be called."""
    own = type(attribute)
    return not inspect.isroutine(attribute) and hasattr(own, "__get__") and hasattr(own, "__set__")


def _property(name: str, attribute: property) -> list[Method]:
    found = []
    if attribute.fget is not None:
        found.append(Method(name, f"{{receiver}}.{name}", "property", returns=_returns(attribute.fget)))
    if attribute.fset is not None:
        read = signature.read_signature(attribute.fset, module="", qualname=name, bound=True) or ()
        value = read[0] if read else Parameter("value")
        # `value` says nothing; the property's own name says what is stored there.
        renamed = Parameter(name, "positional", value.annotation or _returns(attribute.fget))
        found.append(Method(f"{name}.setter", f"{{receiver}}.{name} = {{0}}", "property-set", (renamed,)))
    if attribute.fdel is not None:
        found.append(Method(f"{name}.deleter", f"del {{receiver}}.{name}", "property-delete"))
    return found


def special_methods(name: str, klass: type | types.ModuleType, attribute: Any) -> list[Method]:
    if attribute is None or refuses(attribute) or (name in ORDER and not inspect.isfunction(attribute)):
        return []
    form = FORMS[name]
    if name in ARGUMENTS:
        stated = tuple(Parameter(each, "positional-only") for each in ARGUMENTS[name])
        return [Method(name, form, "protocol", stated)]
    qualname = f"{getattr(klass, '__qualname__', '')}.{name}"
    module = getattr(klass, "__module__", "")
    function = getattr(attribute, "__func__", attribute)
    bound = not isinstance(attribute, staticmethod)
    parameters = signature.read_signature(function, module=module, qualname=qualname, bound=bound)
    if "{args}" in form:
        applied = name == "__call__" and _hands_out_function(function)
        return [Method(name, f"{form}()" if applied else form, "protocol", parameters or ())]
    # Operators take exactly the operands they show.
    shown = form.count("{0}") + form.count("{1}")
    operands = [each for each in parameters or () if each.kind in {"positional", "positional-only"}][:shown]
    names = ("key", "value") if "item" in name or name == "__contains__" else ("other",)
    operands += [Parameter(each) for each in names[len(operands) : shown]]
    fixed = tuple(Parameter(each.name, "positional-only", each.annotation) for each in operands)
    return [Method(name, form, "protocol", fixed)]


def callable_methods(
    name: str, function: Any, module: str, qualname: str, *, bound: bool, kind: str, notes: list[str]
) -> list[Method]:
    inner = unwrapped(function)
    if inspect.iscoroutinefunction(inner) or inspect.isasyncgenfunction(inner):
        notes.append(f"{name} is asynchronous: left out")
        return []
    parameters = signature.read_signature(function, module=module, qualname=qualname, bound=bound)
    if parameters is None:
        notes.append(f"{name} has no known signature: called without arguments")
    returns = _returns(function) or stubs.returns(module, qualname)
    form = f"{{receiver}}.{name}({{args}})"
    if _makes_context(function, returns):
        form, kind = f"with {form}: pass", "context"
    elif inspect.isgeneratorfunction(inner) or _head(returns) in {"Generator", "Iterator"}:
        form, kind = f"list({form})", "generator"
    elif _hands_out_function(function):
        form = f"{form}()"
    return [Method(name, form, kind, parameters or (), returns)]


def refuses(function: Any, *, optional: bool = False) -> bool:
    """Return whether a function does nothing but raise, which no argument changes.

    What says that it is not implemented is another matter (``optional``): a subclass may do it.
    """
    code = getattr(function, "__code__", None)
    if code is None or "RAISE_VARARGS" not in {each.opname for each in dis.get_instructions(code)}:
        return False
    tree = tree_of(function)
    body = tree.body[0].body if tree is not None and isinstance(tree.body[0], ast.FunctionDef) else []
    told = body[1:] if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) else body
    if len(told) != 1 or not isinstance(told[0], ast.Raise) or told[0].exc is None:
        return False
    raised = told[0].exc.func if isinstance(told[0].exc, ast.Call) else told[0].exc
    return (ast.unparse(raised) == "NotImplementedError") == optional


def _makes_context(function: Any, returns: str | None) -> bool:
    code = getattr(function, "__code__", None)
    decorated = code is not None and code.co_filename == contextlib.contextmanager.__code__.co_filename
    return (decorated and hasattr(function, "__wrapped__")) or _head(returns) in {
        "ContextManager", "AbstractContextManager", "_GeneratorContextManager",
    }  # fmt: skip


def _head(annotation: str | None) -> str | None:
    return None if annotation is None else annotation.partition("[")[0].rpartition(".")[2]


def _returns(function: Callable[..., Any] | None) -> str | None:
    return None if function is None else signature.return_annotation(function)


def _managed(methods: list[Method]) -> list[Method]:
    """Ways to enter and leave at once: the object itself, and two of its context managers inside each other."""
    found = []
    if {"__enter__", "__exit__"} <= {each.name for each in methods}:
        waits = any(each.waits for each in methods if each.name in ("__enter__", "__exit__"))
        found.append(Method("with", "with {receiver}: pass", "context", waits=waits))
    plain = [each for each in methods if each.kind == "context" and not any(one.required for one in each.parameters)]
    if 1 < len(plain) <= _MAX_NESTED:
        for outer in plain:
            for inner in plain:
                if inner is not outer:
                    both = f"with {{receiver}}.{outer.name}(), {{receiver}}.{inner.name}(): pass"
                    waits = outer.waits or inner.waits
                    found.append(Method(f"{outer.name}+{inner.name}", both, "context", waits=waits))
    return found


def _module_functions(cls: type) -> list[Method]:
    """Functions beside the class whose first parameter is an instance of it."""
    module = inspect.getmodule(cls)
    found = []
    for name, value in vars(module).items() if module is not None else ():
        if name.startswith("_") or type(value) is not types.FunctionType or value.__module__ != cls.__module__:
            continue
        parameters = signature.read_signature(value, module=cls.__module__, qualname=name, bound=False) or ()
        first = parameters[0] if parameters else None
        if first is None or first.kind not in {"positional", "positional-only"}:
            continue
        mentioned = first.annotation is not None and _head(first.annotation) == cls.__name__
        if not mentioned and (first.annotation is not None or first.name != snake_case(cls.__name__)):
            continue
        rest = parameters[1:]
        form = f"{name}({{receiver}}, {{args}})" if rest else f"{name}({{receiver}})"
        if inspect.isgeneratorfunction(value):
            form = f"list({form})"
        line = (f"from {cls.__module__} import {name}",)
        found.append(Method(name, form, "function", rest, _returns(value), line))
    return found


def _members(cls: type[enum.Enum], qualname: str) -> list[Method]:
    """Return the members of an enumeration, in place of constructors."""
    names = list(cls.__members__)[:_MAX_MEMBERS]
    return [Method(name, f"{qualname}.{name}", "factory") for name in names]


def _constructors(cls: type, qualname: str) -> list[Method]:
    """Ways to make one; a descriptor that wants to know its name gets it in a class."""
    name, call, parameters = qualname.rpartition(".")[2], f"{qualname}({{args}})", constructor_parameters(cls)
    found = [Method(name, call, "constructor", parameters)]
    if hasattr(cls, "__get__") and hasattr(cls, "__set_name__"):
        form = f"vars(type('Owner', (), {{{{'part': {call}}}}}))['part']"
        found.append(Method(f"{name} in a class", form, "factory", parameters))
    return found


def constructor_parameters(cls: type) -> tuple[Parameter, ...]:
    """Return what a call of the class takes, whether `__init__`, `__new__`, a metaclass or a stub says so."""
    definers = [
        (klass, name)
        for klass in cls.__mro__
        if klass not in _SILENT_BASES
        for name in ("__init__", "__new__")
        if name in vars(klass)
    ]
    read: tuple[Parameter, ...] | None = None
    if not definers and type(cls).__call__ is type.__call__:
        return ()
    if not definers or any(inspect.isfunction(getattr(cls, name)) for _, name in definers):
        read = signature.read_signature(cls, module="", qualname=cls.__qualname__, bound=False)
    silent = read is None or (read and all(each.kind in {"varargs", "varkeywords"} for each in read))
    if silent:
        for klass, name in definers:
            found = vars(klass)[name]
            again = signature.read_signature(
                getattr(found, "__func__", found),
                module=klass.__module__, qualname=f"{klass.__qualname__}.{name}", bound=True,
            )  # fmt: skip
            if again and not all(each.kind in {"varargs", "varkeywords"} for each in again):
                return again
    return read or ()


def _is_factory(method: Method, cls: type, attribute: Any) -> bool:
    if method.kind not in {"classmethod", "staticmethod"}:
        return False
    if method.returns is not None:
        return _head(method.returns) in {cls.__name__, "Self"}
    if _FACTORY_NAME.match(method.name):
        return True
    return method.kind == "classmethod" and _returns_own_instance(getattr(attribute, "__func__", attribute))


def _shares_state(cls: type, attribute: Any) -> bool:
    """Return whether a class method uses data of its class or module: one that hands out a single object may race."""
    tree = tree_of(getattr(attribute, "__func__", attribute))
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Global):
            return True
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            held = inspect.getattr_static(cls, node.attr, None)
            code = callable(held) or is_a(held, classmethod, staticmethod, property) or node.attr.startswith("__")
            names = {"cls", *(klass.__name__ for klass in cls.__mro__)}
            if node.value.id in names and not code:
                return True
    return False


def tree_of(function: Any) -> ast.Module | None:
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, ValueError, SyntaxError):  # a value: decorators that go round in a circle
        return None


def _returns_own_instance(function: Any) -> bool:
    tree = tree_of(function)
    return tree is not None and any(
        isinstance(node, ast.Return)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == "cls"
        for node in ast.walk(tree)
    )


def _fix_factory_forms(constructors: list[Method], qualname: str) -> None:
    """Give factories the form of a call on the class: there is no receiver yet."""
    for index, each in enumerate(constructors[1:], start=1):
        form = each.form.replace("{receiver}", qualname)
        constructors[index] = Method(each.name, form, "factory", each.parameters, each.returns, each.imports)


_C_CODE = (
    types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType, types.GetSetDescriptorType,
    types.ClassMethodDescriptorType, types.MemberDescriptorType, types.MethodWrapperType,
)  # fmt: skip


def written_in_c(owner: object, names: Iterable[str]) -> frozenset[str]:
    """Return those of a class's methods that run no Python code that could be rewritten: C code, or generated code."""
    found = set()
    for name in names if type(owner) is not types.FunctionType else ():  # what a decorator makes is Python code
        attribute = inspect.getattr_static(owner, name.partition(".")[0], None)
        attribute = attribute.fget if is_a(attribute, property) else getattr(attribute, "__func__", attribute)
        generated = type(attribute) is types.FunctionType and attribute.__code__.co_filename.startswith("<")
        if generated or is_a(attribute, *_C_CODE):
            found.add(name)
    return frozenset(found)


# -- protocol ----------------------------------------------------------------------------------------------------------
# How the special methods of Python are written as calls that a reader would write.


FORMS = {
    "__len__": "len({receiver})",
    "__bool__": "bool({receiver})",
    "__contains__": "{0} in {receiver}",
    "__getitem__": "{receiver}[{0}]",
    "__setitem__": "{receiver}[{0}] = {1}",
    "__delitem__": "del {receiver}[{0}]",
    "__iter__": "list({receiver})",
    "__reversed__": "list(reversed({receiver}))",
    "__next__": "next({receiver}, None)",
    "__call__": "{receiver}({args})",
    "__enter__": "{receiver}.__enter__()",
    "__exit__": "{receiver}.__exit__(None, None, None)",
    "__getattr__": "getattr({receiver}, {0})",
    "__setattr__": "setattr({receiver}, {0}, {1})",
    "__delattr__": "delattr({receiver}, {0})",
    "__get__": "{receiver}.__get__({args})",
    "__set__": "{receiver}.__set__({args})",
    "__delete__": "{receiver}.__delete__({args})",
    # In place: an assignment would make the shared variable local to the thread that executes it.
    "__iadd__": "{receiver}.__iadd__({0})",
    "__isub__": "{receiver}.__isub__({0})",
    "__imul__": "{receiver}.__imul__({0})",
    "__ior__": "{receiver}.__ior__({0})",
    "__iand__": "{receiver}.__iand__({0})",
    "__ixor__": "{receiver}.__ixor__({0})",
    "__add__": "{receiver} + {0}",
    "__sub__": "{receiver} - {0}",
    "__mul__": "{receiver} * {0}",
    "__or__": "{receiver} | {0}",
    "__and__": "{receiver} & {0}",
    "__xor__": "{receiver} ^ {0}",
    "__int__": "int({receiver})",
    "__float__": "float({receiver})",
    "__index__": "{receiver}.__index__()",
    "__bytes__": "bytes({receiver})",
    "__eq__": "{receiver} == {0}",
    "__lt__": "{receiver} < {0}",
    "__le__": "{receiver} <= {0}",
    "__gt__": "{receiver} > {0}",
    "__ge__": "{receiver} >= {0}",
    "__hash__": "hash({receiver})",
    "__repr__": "repr({receiver})",
    "__str__": "str({receiver})",
}
"""The forms of calls of special methods. Those that are not here (finalizers, pickling, copying) are never called."""

ARGUMENTS: dict[str, tuple[str, ...]] = {
    "__getattr__": ("attr",), "__setattr__": ("attr", "value"), "__delattr__": ("attr",),
    "__enter__": (), "__exit__": (), "__next__": (),
}  # fmt: skip
"""Parameters of the forms that do not follow the method's own signature."""

ORDER = frozenset({"__lt__", "__le__", "__gt__", "__ge__"})
"""Built-in classes define them all, mostly to refuse; only a Python definition says they mean something."""

_PASSIVE = frozenset({"__eq__", "__hash__", "__repr__", "__str__", *ORDER})
"""Methods that nearly every class has; a class needs others to be worth testing."""


# -- wrapping ----------------------------------------------------------------------------------------------------------
# Functions that make functions: decorators, and functions that return a closure.


def _hands_out_function(function: Any) -> bool:
    """Return whether a function returns one that it makes and that needs no arguments, as most wrappers do.

    What such a function is about happens when its result is called: applying a decorator alone does next to nothing.
    """
    source = tree_of(function)
    tree = source.body[0] if source is not None and source.body else None
    if not isinstance(tree, ast.FunctionDef):
        return False
    own = list(nodes_inside(tree))
    made = {node.name: node.args for node in own if isinstance(node, ast.FunctionDef)}
    returned = [node.value for node in own if isinstance(node, ast.Return)]
    signatures = [made[value.id] for value in returned if isinstance(value, ast.Name) and value.id in made]
    return any(map(_needs_nothing, signatures))


def nodes_inside(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Yield the nodes of a function's body, but not those of the functions in it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))


def _needs_nothing(arguments: ast.arguments) -> bool:
    positional = len(arguments.posonlyargs) + len(arguments.args)
    return positional == len(arguments.defaults) and None not in arguments.kw_defaults


# -- waiting -----------------------------------------------------------------------------------------------------------
# Which methods of a class wait for other threads, read from its source.


def _waiting_methods(cls: type) -> frozenset[str]:
    """Return methods and properties whose code calls ``wait`` or ``wait_for_anything``, directly or through others."""
    calls: dict[str, set[str]] = {}
    for klass in cls.__mro__:
        for name, attribute in vars(klass).items():
            if name not in calls and klass is not object:
                calls[name] = _called(attribute)
    found = {name for name, called in calls.items() if any(map(_waits, called))}
    while more := {name for name, called in calls.items() if name not in found and called & found}:
        found |= more
    return frozenset(found)


def _waits(called: str) -> bool:
    """So conditions, events, barriers and futures call it, and what others write around them; a lock does not count."""
    return called == "wait" or called.startswith("wait_")


def _called(attribute: Any) -> set[str]:
    """Return the names that the code behind an attribute calls as methods, or enters."""
    function = attribute.fget if isinstance(attribute, property) else getattr(attribute, "__func__", attribute)
    if not inspect.isfunction(function):
        return set()
    tree = tree_of(function)
    if tree is None:
        return set()
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {called.attr for called in calls if isinstance(called, ast.Attribute)}
