"""The hooks that rewritten code calls right before each access (`plait.run.rewrite` says where).

Every hook returns the value with which the inline code continues (`plait.run.hooks.noop` says which), and does nothing
else while no controlled thread runs.

How a hook works
----------------
1. ``ENGINE.current`` is the running controlled thread; None in the set-up, in checks, and outside of executions.
2. The heap translates object and name to a location. Location 0 is no shared state: the hook returns.
3. `access` passes the point. It may switch to other threads, and returns when it is this thread's turn.
4. The hook returns, and the inline code performs the access. No other thread can run between 3 and 4.

A hook must not run code under test: an ``__eq__`` or a property that it called would be an access that the program does
not make. So classes are compared by identity, and attributes are looked up without calling descriptors.
"""

from __future__ import annotations

import builtins
import functools
import os
import types
from typing import Any

from plait.run.engine import ENGINE, access, amend_step, called_out
from plait.run.heap import OPAQUE
from plait.run.hooks.buffers import operand
from plait.run.hooks.containers import (
    CHANGE,
    KEY_DEFAULT,
    KEY_DEL,
    KEY_GET,
    KEY_SET,
    READING,
    SCAN,
    SEQUENCES,
    WINDOWS,
    fills_missing,
    is_c_callable,
    is_container,
    is_read,
    is_view,
    makes_in_python,
    operation,
    shown_container,
)
from plait.run.hooks.effects import EFFECTS, EFFECTS_BY_NAME, EFFECTS_OF, bound_effect, effect_of, held
from plait.run.hooks.iteration import iterate, scan_args, scan_too, walked
from plait.run.hooks.sections import NATIVE
from plait.run.hooks.set_order import is_set, steps_over
from plait.run.hooks.sets import change_in_place
from plait.run.hooks.stepwise import (
    FUNCTIONS,
    Membership,
    add_in_place,
    assign_slice,
    class_method,
    delete,
    stepwise_method,
)
from plait.run.hooks.variables import Cell, read_cell, read_global, write_cell, write_global
from plait.run.identity import identity
from plait.run.operations import KEY_INSERT, KEY_READ, KEY_WRITE, READ, WRITE
from plait.run.primitives.built_in import BuiltIn
from plait.run.primitives.file_lock import closing
from plait.run.primitives.site import place_of_primitive
from plait.run.rewrite import REFERENCES
from plait.run.vthread import VThread

_HEAP = ENGINE.heap
_MAX_TURNS = 300_000  # loop iterations and calls of one thread in one execution


def read(obj: Any, name: str, site: int) -> Any:
    """Announce the load of ``obj.name``.

    Here and in `write`, the common case of `access` (the schedule does not switch here) is inlined: these are the most
    frequent calls of all.
    """
    thread = ENGINE.current
    if thread is not None:
        key = identity(obj)
        record = _HEAP.objects.get(key)
        if record is None:
            record = _HEAP.new_record(obj, key)
        loc = record.get(name)
        if loc is None:
            loc = _HEAP.field(obj, record, name)
        if loc:
            e = ENGINE
            i = e.step
            if i < e.look_at and not e.special and (e.prefix[i] == thread.id if i < e.plen else e.free):
                e.step = i + 1
                e.trace.append((thread.id, loc, READ, site, e.enabled, thread.after))
                thread.after = None
            else:
                access(thread, loc, READ, site)
    return obj


def write(obj: Any, name: str, site: int) -> Any:
    """Announce the store or deletion of ``obj.name``."""
    thread = ENGINE.current
    if thread is not None:
        key = identity(obj)
        record = _HEAP.objects.get(key)
        if record is None:
            record = _HEAP.new_record(obj, key)
        loc = record.get(name)
        if not loc:
            loc = _HEAP.field(obj, record, name, store=True)
        if loc:
            e = ENGINE
            i = e.step
            if i < e.look_at and not e.special and (e.prefix[i] == thread.id if i < e.plen else e.free):
                e.step = i + 1
                e.trace.append((thread.id, loc, WRITE, site, e.enabled, thread.after))
                thread.after = None
            else:
                access(thread, loc, WRITE, site)
    return obj


# -- containers ---------------------------------------------------------------------------------------------------


def _sequence_key(container: Any, key: Any) -> Any:
    """Return an index as the key of a location; None if the operation affects the whole sequence."""
    if type(key) is int:
        return key if key >= 0 else None
    return None


def _on_key(thread: VThread, container: Any, key: Any, what: str, site: int) -> None:
    sequence = isinstance(container, SEQUENCES)
    # Location 0 means that the access affects the whole container: a slice, or a key whose comparison runs code.
    if sequence:
        key = _sequence_key(container, key)
        loc = 0 if key is None else _HEAP.key(container, key)
    else:
        loc = _HEAP.key(container, key)
    if not loc:
        access(thread, _HEAP.whole(container), READ if what is KEY_GET else WRITE, site)
        return
    if loc == _HEAP.roots[loc]:  # an instance dictionary: the key is a field
        access(thread, loc, READ if what is KEY_GET else WRITE, site)
        return
    if what is KEY_GET:
        access(thread, loc, KEY_READ, site)
        return
    if what is KEY_DEL or sequence:
        access(thread, loc, KEY_WRITE, site)
        return
    # Whether the key is new decides what commutes: insertions show in the order of iteration, replacements do not. It
    # is known only after the point, when it is this thread's turn, so the entry in the trace is amended then.
    access(thread, loc, KEY_INSERT, site)
    present = dict.__contains__(container, key) if isinstance(container, dict) else set.__contains__(container, key)
    if present:
        amend_step(KEY_READ if what is KEY_DEFAULT else KEY_WRITE)


def _on_container(thread: VThread, container: Any, what: str, args: tuple[Any, ...], site: int) -> None:
    if what is SCAN or what is CHANGE:
        loc = _HEAP.whole(container)
        access(thread, loc, READ if what is SCAN else WRITE, site)
        scan_too(thread, args, site, loc)
    elif args:
        _on_key(thread, container, args[0], what, site)
    else:
        access(thread, _HEAP.whole(container), WRITE, site)


def read_key(container: Any, key: Any, site: int) -> Any:
    """Announce the load of ``container[key]``."""
    thread = ENGINE.current
    if thread is not None:
        if is_container(type(container)):
            _subscript(thread, container, "__getitem__", key, site)
        elif type(container) in WINDOWS:
            _through(thread, container, "__getitem__", key, site)
    return key


def write_key(container: Any, key: Any, site: int) -> Any:
    """Announce the store of ``container[key]``."""
    thread = ENGINE.current
    if thread is not None:
        if is_container(type(container)):
            _subscript(thread, container, "__setitem__", key, site)
        elif type(container) in WINDOWS:
            _through(thread, container, "__setitem__", key, site)
    return key


def delete_key(container: Any, key: Any, site: int) -> Any:
    """Announce the deletion of ``container[key]``."""
    thread = ENGINE.current
    if thread is not None and is_container(type(container)):
        kind = type(container)
        if issubclass(kind, list) and kind.__delitem__ is list.__delitem__:
            return delete(thread, container, key, site)
        _subscript(thread, container, "__delitem__", key, site)
    return key


def _through(thread: VThread, window: Any, name: str, key: Any, site: int) -> None:
    """Announce a subscript of a proxy or a memory view, which accesses another container."""
    container = shown_container(window)
    if type(window) is memoryview:
        if container is not None:
            access(thread, _HEAP.whole(container), READ if name == "__getitem__" else WRITE, site)
    elif container is not None:
        _subscript(thread, container, name, key, site)


def _subscript(thread: VThread, container: Any, name: str, key: Any, site: int) -> None:
    kind = type(container)
    what = _method_kind(kind, name)
    if type(what) is str:
        if name == "__getitem__" and fills_missing(kind):
            what = KEY_DEFAULT
            if makes_in_python(container):
                _fill_missing(thread, container, key, site)
                return
        _on_container(thread, container, what, (key,), site)
    elif what is _FOREIGN:  # Python code that is not rewritten
        _on_container(thread, container, SCAN if name in READING else CHANGE, (key,), site)
        called_out(thread)


def _fill_missing(thread: VThread, container: Any, key: Any, site: int) -> None:
    """Fill a missing key in steps, as `collections.defaultdict` does: look it up, call the factory, store.

    The value is stored even if another thread has stored one meanwhile.
    """
    _on_key(thread, container, key, KEY_GET, site)
    if dict.__contains__(container, key):
        return
    made = container.default_factory()
    thread.may_switch = True  # the factory is Python code
    if type(container).__setitem__ is dict.__setitem__:
        _on_key(thread, container, key, KEY_SET, site)
        dict.__setitem__(container, key, made)
    else:
        container[key] = made


def perform_key(container: Any, key: Any, site: int) -> Any:
    """``container[key]``, where no temporary is possible."""
    read_key(container, key, site)
    return container[key]


def member(container: Any, key: Any, site: int, single: bool = False) -> Any:
    """Announce ``key in container``; in a ``single`` comparison, return an object that may answer for the container."""
    thread = ENGINE.current
    if thread is not None:
        kind = type(container)
        if single and issubclass(kind, list) and kind.__contains__ is list.__contains__:
            return Membership(container, site)
        if is_container(kind):
            _subscript(thread, container, "__contains__", key, site)
        elif is_view(kind):
            scan_args(thread, (container,), site)
    return container


def perform_member(key: Any, container: Any, site: int) -> bool:
    """``key in container``, where no temporary is possible."""
    return key in member(container, key, site, True)


def whole(value: Any, site: int) -> Any:
    """Announce that a truth test, ``len``, an operator, unpacking or a built-in reads the value as a whole."""
    thread = ENGINE.current
    if thread is not None and is_read(type(value)):
        scan_args(thread, (value,), site)
    return value


def unpacked(value: Any, site: int) -> Any:
    """Announce that a value is unpacked: without the GIL the elements are read one after the other."""
    thread = ENGINE.current
    if thread is not None and is_read(type(value)):
        if not ENGINE.gil and (is_container(type(value)) or is_view(type(value))):
            steps = walked(value, site)
            return (
                list(steps) if isinstance(value, list | dict) else steps
            )  # what they hold is counted if it does not fit
        scan_args(thread, (value,), site)
        return steps_over(value) if is_set(value) else value
    return value


def size(value: Any, site: int) -> Any:
    """Announce a truth test or ``len``: the length of a container is read without its lock."""
    thread = ENGINE.current
    if thread is not None and is_read(type(value)):
        thread.loose = True
        scan_args(thread, (value,), site)
        thread.loose = False
    return value


def store_slice(value: Any, container: Any, key: Any, site: int) -> None:
    """``container[key] = value`` where the key is written as a slice."""
    thread = ENGINE.current
    if thread is not None:
        kind = type(container)
        if issubclass(kind, list) and kind.__setitem__ is list.__setitem__:
            assign_slice(thread, container, key, value, site)
            return
        write_key(container, key, site)
    container[key] = value


def in_place(operand: Any, left: Any, site: int) -> Any:
    """Announce ``left += operand`` and its like on a container; return what stands for the operand."""
    thread = ENGINE.current
    if thread is not None and is_container(type(left)):
        return add_in_place(thread, left, operand, site)
    return operand


def joined_in_place(operand: Any, left: Any, site: int) -> Any:
    """Announce ``left |= operand`` on a container; where it is done already, return what changes nothing more."""
    thread = ENGINE.current
    if thread is not None and is_container(type(left)) and change_in_place(thread, left, operand, site, "|"):
        return frozenset()
    return in_place(operand, left, site)


def reduced_in_place(operand: Any, left: Any, site: int) -> Any:
    """Announce ``left -= operand`` on a container; where it is done already, return what changes nothing more."""
    thread = ENGINE.current
    if thread is not None and is_container(type(left)) and change_in_place(thread, left, operand, site, "-"):
        return frozenset()
    return in_place(operand, left, site)


def whole_both(left: Any, right: Any, site: int) -> Any:
    """Announce an operator that reads both values at one moment; return the right one."""
    thread = ENGINE.current
    if thread is not None:
        if type(left) is bytearray or type(right) is bytearray:
            return operand(thread, left, right, site)
        scan_args(thread, (left, right), site)
    return right


def whole_write(value: Any, site: int) -> Any:
    """Announce that a C function changes the container it is given (``heappush`` and the like)."""
    thread = ENGINE.current
    if thread is not None and is_container(type(value)):
        access(thread, _HEAP.whole(value), WRITE, site)
    return value


# -- calls --------------------------------------------------------------------------------------------------------

_PYTHON, _C, _FIELD, _TYPE, _SUPER, _FOREIGN = range(6)
_kinds: dict[type, dict[str, Any]] = {}


def forget_kinds() -> None:
    """Clear what is cached about types, because other modules have come under control."""
    _kinds.clear()


def _method_kind(kind: type, name: str) -> Any:
    """Return how ``value.name(...)`` runs for a type: a container operation's name, or one of the constants."""
    kinds = _kinds.get(kind)
    if kinds is None:
        kinds = _kinds[kind] = {}
    what = kinds.get(name)
    if what is None:
        what = kinds[name] = _classify(kind, name)
    return what


def _classify(kind: type, name: str) -> Any:
    if kind is super:
        return _SUPER
    if issubclass(kind, type):
        return _TYPE
    if kind in OPAQUE:
        return _PYTHON
    for owner in kind.__mro__:
        found = owner.__dict__.get(name)
        if found is not None:
            if isinstance(found, types.FunctionType | classmethod | staticmethod | property):
                return _PYTHON if "_p_m" in getattr(_inner(found), "__globals__", ("_p_m",)) else _FOREIGN
            what: Any = operation(found, name) if is_container(kind) else None
            if what is None:
                what = effect_of(found, name)
            return what if what is not None else (_C if is_c_callable(found) else _FIELD)
    return _FIELD


def _inner(found: Any) -> Any:
    """Return the function of a method of any kind."""
    return found.fget if isinstance(found, property) else getattr(found, "__func__", found)


def _called(thread: VThread, obj: Any, name: str, site: int, args: tuple[Any, ...]) -> None:
    what = _method_kind(type(obj), name)
    if what is _PYTHON:
        return
    if what is _FOREIGN:
        if is_container(type(obj)):
            _on_container(thread, obj, SCAN if name in READING else CHANGE, args, site)
        else:
            scan_args(thread, args, site)
        called_out(thread)  # no marker at its entry
        return
    if what is _C:
        scan_args(thread, args, site)
        called_out(thread)
        return
    if type(what) is str:
        _on_container(thread, obj, what, args, site)
        thread.may_switch = not (name == "append" and type(obj) is list)
        return
    if type(what) is types.FunctionType:
        what(thread, (obj, *args), site)
        called_out(thread)
        return
    if what is _FIELD:
        _called_field(thread, obj, name, site, args)
    elif what is _TYPE:
        _called_on_type(thread, obj, name, site, args)
    else:
        _called_on_super(thread, obj, name, site, args)


def _called_field(thread: VThread, obj: Any, name: str, site: int, args: tuple[Any, ...]) -> None:
    """Announce the read of a callee that is data: an attribute that holds a callable, or a module's function."""
    read(obj, name, site)
    value = held(obj, name)
    if value is not None:
        _function(thread, value, site, args)


def _called_on_type(thread: VThread, cls: type, name: str, site: int, args: tuple[Any, ...]) -> None:
    """``dict.get(container, key)`` and other calls through a class."""
    for owner in cls.__mro__:
        found = owner.__dict__.get(name)
        if found is not None:
            what = operation(found, name) if args and is_container(type(args[0])) else None
            effect = effect_of(found, name) if what is None else None
            if what is not None:
                _on_container(thread, args[0], what, args[1:], site)
            elif effect is not None:
                effect(thread, args, site)
            elif _is_foreign(found):
                scan_args(thread, args, site)
            if is_c_callable(found):
                called_out(thread)
            return


def _called_on_super(thread: VThread, proxy: Any, name: str, site: int, args: tuple[Any, ...]) -> None:
    """``super().name(...)`` that ends in a built-in container's method."""
    obj = proxy.__self__
    if obj is None or issubclass(type(obj), type):
        return
    mro = type(obj).__mro__
    for owner in mro[mro.index(proxy.__thisclass__) + 1 :]:
        found = owner.__dict__.get(name)
        if found is not None:
            what = operation(found, name) if is_container(type(obj)) else None
            effect = effect_of(found, name) if what is None else None
            if what is not None:
                _on_container(thread, obj, what, args, site)
            elif effect is not None:
                effect(thread, (obj, *args), site)
            if is_c_callable(found):
                called_out(thread)
            return


def call(obj: Any, name: str, site: int, *args: Any) -> Any:
    """Announce ``obj.name(*args)``; return the last argument."""
    thread = ENGINE.current
    if thread is not None:
        kinds = _kinds.get(type(obj))
        if kinds is None or kinds.get(name) is not _PYTHON:
            _called(thread, obj, name, site, args)
    return args[-1]


def call_bare(obj: Any, name: str, site: int) -> Any:
    """Announce ``obj.name()``; return the object."""
    thread = ENGINE.current
    if thread is not None:
        kinds = _kinds.get(type(obj))
        if kinds is None or kinds.get(name) is not _PYTHON:
            _called(thread, obj, name, site, ())
    return obj


def call_named(obj: Any, name: str, site: int, value: Any) -> Any:
    """Announce ``obj.name(..., key=value)``; return the value."""
    thread = ENGINE.current
    if thread is not None:
        _called(thread, obj, name, site, ())
        what = _method_kind(type(obj), name)
        if what in (_C, _FOREIGN) or type(what) is types.FunctionType:
            scan_args(thread, (value,), site)
    return value


def perform_call(obj: Any, name: str, site: int, /, *args: Any, **named: Any) -> Any:
    """``obj.name(...)``, where no temporary is possible."""
    thread = ENGINE.current
    if thread is not None:
        _called(thread, obj, name, site, args)
    return getattr(obj, name)(*args, **named)


_BUILT_IN = frozenset(value for value in vars(builtins).values() if type(value) is type and is_c_callable(value))


def _is_foreign(function: Any) -> bool:
    """Return whether a call runs code that is not rewritten: C code, or Python not under test (nor plait's own)."""
    function = getattr(function, "__func__", function)
    if type(function) is types.FunctionType:
        space = function.__globals__
        return "_p_m" not in space and not str(space.get("__name__")).startswith("plait.")
    if isinstance(function, type):
        made = function.__init__ if type(function.__init__) is types.FunctionType else function.__new__  # type: ignore[misc]
        return type(made) is not types.FunctionType or _is_foreign(made)
    return is_c_callable(function)


_BOUND = frozenset({types.MethodWrapperType, types.BuiltinFunctionType})


def _function(thread: VThread, function: Any, site: int, args: tuple[Any, ...], *, announced: bool = False) -> None:  # noqa: C901, PLR0912 - one case per built-in function, in the hot path
    """Announce a call of ``function``; ``announced`` arguments are read as a whole already."""
    kind = type(function)
    if kind is types.FunctionType:
        if "_p_m" not in function.__globals__:
            if args and not announced and _is_foreign(function):
                EFFECTS.get(identity(function), scan_args)(thread, args, site)
            called_out(thread)  # no marker at its entry
        return
    if kind is type and function in _BUILT_IN:  # the short way for `range`, `int`, `str`...
        if args and not announced:
            scan_args(thread, args, site)
        called_out(thread)
        return
    if function is next and args:
        iterator = args[0]
        if not isinstance(iterator, types.GeneratorType) and is_c_callable(getattr(type(iterator), "__next__", None)):
            access(thread, _HEAP.loc_of(iterator, "next"), WRITE, site)
            if not announced:
                scan_too(thread, args[:1], site, 0)
        called_out(thread)
    elif kind is types.MethodType:
        _function(thread, function.__func__, site, (function.__self__, *args))
    elif kind is functools.partial:
        _function(thread, function.func, site, (*function.args, *args))
        called_out(thread)
    elif kind is BuiltIn:
        called_out(thread)
    elif kind in EFFECTS_OF:
        EFFECTS_OF[kind](function, thread, args, site)
        called_out(thread)
    elif is_c_callable(function):
        bound = getattr(function, "__self__", None)
        effect = EFFECTS.get(identity(function))
        if effect is None and type(function) in _BOUND and type(bound) is not types.ModuleType:
            effect = bound_effect(function, bound)
            if effect is not None:
                args = (bound, *args)
        elif effect is None and type(function) is types.WrapperDescriptorType:
            effect = EFFECTS_BY_NAME.get(function.__name__)
        if effect is not None and not announced:
            effect(thread, args, site)
        elif bound is not None and is_container(type(bound)):  # a bound method kept in a variable
            what = operation(getattr(type(bound), function.__name__, None), function.__name__)
            if what is not None:
                _on_container(thread, bound, what, args, site)
        elif function is os.close and args:
            closing(args[0])
        elif args and not announced:
            scan_args(thread, args, site)
        called_out(thread)
    elif args and isinstance(function, type) and _is_foreign(function):
        scan_args(thread, args, site)


def walker(func: Any, site: int, *args: Any) -> Any:
    """Do what `function` does, for a built-in whose arguments were announced one by one."""
    thread = ENGINE.current
    if thread is not None:
        _function(thread, func, site, args, announced=True)
    return args[-1]


def function(func: Any, site: int, *args: Any) -> Any:
    """Announce ``func(*args)``; return the last argument."""
    thread = ENGINE.current
    if thread is not None:
        _function(thread, func, site, args)
    return args[-1]


def function_bare(func: Any, site: int) -> Any:
    """Announce ``func()``; return the function."""
    thread = ENGINE.current
    if thread is not None:
        _function(thread, func, site, ())
    return func


def function_named(func: Any, site: int, value: Any) -> Any:
    """Announce ``func(..., key=value)``; return the value."""
    thread = ENGINE.current
    if thread is not None:
        _function(thread, func, site, (value,) if _is_foreign(func) else ())
    return value


def perform_function(func: Any, site: int, /, *args: Any, **named: Any) -> Any:
    """``func(...)``, where no temporary is possible."""
    thread = ENGINE.current
    if thread is not None:
        _function(thread, func, site, args)
    return func(*args, **named)


class _Function:
    """A function whose calls are announced, or performed step by step, once their arguments are known."""

    __slots__ = ("_native", "_perform", "_site")

    def __init__(self, native: Any, site: int, perform: Any) -> None:
        self._native = native
        self._site = site
        self._perform = perform

    def __call__(self, /, *args: Any, **named: Any) -> Any:
        thread, native = ENGINE.current, self._native
        if thread is not None:
            if self._perform is not None:
                result = self._perform(thread, native, self._site, args, named)
                if result is not NATIVE:
                    thread.may_switch = True  # it was written in C
                    return result
            _function(thread, native, self._site, (*args, *named.values()) if named and _is_foreign(native) else args)
        return native(*args, **named)


class _Method:
    """The same as `_Function` for the method ``name`` of ``obj``, which changes or reads ``container``."""

    __slots__ = ("_container", "_name", "_native", "_obj", "_perform", "_site")

    def __init__(self, obj: Any, name: str, native: Any, site: int, container: Any, perform: Any) -> None:
        self._obj = obj
        self._name = name
        self._native = native
        self._site = site
        self._container = container
        self._perform = perform

    def __call__(self, /, *args: Any, **named: Any) -> Any:
        thread, native = ENGINE.current, self._native
        if thread is not None:
            if self._perform is not None:
                result = self._perform(thread, native, self._container, self._site, args, named)
                if result is not NATIVE:
                    thread.may_switch = True
                    return result
            _called(thread, self._obj, self._name, self._site, args)
            if named and _method_kind(type(self._obj), self._name) in (_C, _FOREIGN):
                scan_args(thread, tuple(named.values()), self._site)
        return native(*args, **named)


def callee(function: Any, site: int) -> Any:
    """Return the object to call in place of a function that C code may perform in several steps."""
    kind = type(function)
    if ENGINE.current is None or (kind is types.FunctionType and "_p_m" in function.__globals__):
        return function
    return _Function(function, site, FUNCTIONS.get(function) if kind in _HASHABLE else None)


_HASHABLE = (type, types.BuiltinFunctionType)  # without running code under test


def method(obj: Any, name: str, site: int) -> Any:
    """Return the object to call in place of ``obj.name``, a method that C code may perform in several steps."""
    if ENGINE.current is None:
        return getattr(obj, name)
    kind = type(obj)
    what = _method_kind(kind, name)
    if what is _PYTHON:
        return getattr(obj, name)
    if what is _FIELD:
        read(obj, name, site)
        return callee(getattr(obj, name), site)
    if what is _TYPE:
        native, of_class = getattr(obj, name), class_method(obj, name)
        return _Method(obj, name, native, site, None, None) if of_class is None else _Function(native, site, of_class)
    receiver, found = _above(obj, name) if what is _SUPER else (obj, getattr(kind, name, None))
    perform = stepwise_method(found, name) if is_container(type(receiver)) else None
    return _Method(obj, name, getattr(obj, name), site, receiver, perform)


def _above(proxy: Any, name: str) -> tuple[Any, Any]:
    """Return the receiver of a `super` object, and the attribute as it is found for that receiver."""
    obj = proxy.__self__
    if obj is None or issubclass(type(obj), type):
        return None, None
    mro = type(obj).__mro__
    for owner in mro[mro.index(proxy.__thisclass__) + 1 :]:
        if name in owner.__dict__:
            return obj, owner.__dict__[name]
    return obj, None


# -- markers ------------------------------------------------------------------------------------------------------


def marker() -> None:
    """Mark a function's entry or a loop's jump back: a GIL build may switch, and endless loops pass here."""
    thread = ENGINE.current
    if thread is not None:
        thread.may_switch = True
        thread.turns += 1
        if thread.turns > _MAX_TURNS:
            ENGINE.endless(thread, place_of_primitive())
    elif ENGINE.thread.dying:
        ENGINE.linger()


def element(value: Any) -> Any:
    """Return a value in a comprehension after passing `marker`: it is entered there, or its loop jumps back."""
    thread = ENGINE.current
    if thread is not None:
        thread.may_switch = True
    return value


called, called_function = _called, _function

HOOKS: dict[str, Any] = {
    **REFERENCES,
    "_p_r": read, "_p_w": write, "_p_d": write, "_p_rk": read_key, "_p_wk": write_key, "_p_dk": delete_key,
    "_p_xk": perform_key, "_p_in": member, "_p_xin": perform_member, "_p_o": whole, "_p_oo": whole_both,
    "_p_un": unpacked, "_p_ow": whole_write, "_p_z": size, "_p_ia": in_place, "_p_ij": joined_in_place,
    "_p_ir": reduced_in_place, "_p_ss": store_slice,
    "_p_nf": callee, "_p_nm": method,
    "_p_it": iterate, "_p_c": call, "_p_c0": call_bare, "_p_ck": call_named, "_p_xc": perform_call,
    "_p_f": function, "_p_l": walker, "_p_f0": function_bare, "_p_fk": function_named, "_p_xf": perform_function,
    "_p_rg": read_global,
    "_p_wg": write_global, "_p_cell": Cell, "_p_rc": read_cell, "_p_wc": write_cell, "_p_m": marker, "_p_e": element,
}  # fmt: skip
