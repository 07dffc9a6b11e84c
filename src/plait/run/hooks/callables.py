"""The accesses of callables written in C: `setattr`, the descriptors of slots, the helpers of `operator`.

C code accesses attributes and elements without a hook. So each such callable has an *effect* here: a function that is
called before it, with its arguments, and announces what it is about to access. An effect adds no point after the call:
the caller decides where a GIL build may switch (see `plait.run.hooks.access`).
"""

from __future__ import annotations

import builtins
import copy
import dataclasses
import functools
import operator
import types
from _string import formatter_field_name_split, formatter_parser  # type: ignore[import-not-found]
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from plait.run.engine import ENGINE, access, also, called_out
from plait.run.hooks import access as hooks
from plait.run.hooks.access import delete_key, member, read, read_key, whole, whole_write, write, write_key
from plait.run.hooks.containers import is_c_callable, is_container
from plait.run.hooks.effects import EFFECTS, EFFECTS_BY_NAME, EFFECTS_OF, bound_effect, held
from plait.run.hooks.iteration import scan_args, scan_too
from plait.run.identity import identity
from plait.run.operations import READ, WRITE

if TYPE_CHECKING:
    from plait.run.vthread import VThread

Effect = Callable[["VThread", tuple[Any, ...], int], None]
_HEAP = ENGINE.heap


def _get(_thread: VThread, args: tuple[Any, ...], site: int) -> None:
    """Announce ``getattr(o, name)``."""
    if len(args) > 1 and type(args[1]) is str:
        read(args[0], args[1], site)


def _set(_thread: VThread, args: tuple[Any, ...], site: int) -> None:
    """Announce ``setattr(o, name, value)`` or ``delattr(o, name)``."""
    if len(args) > 1 and type(args[1]) is str:
        write(args[0], args[1], site)


def _vars(_thread: VThread, args: tuple[Any, ...], site: int) -> None:
    """Announce ``vars(o)``: the dictionary of the object escapes."""
    if args:
        read(args[0], "__dict__", site)


def _slot_get(_thread: VThread, args: tuple[Any, ...], site: int) -> None:
    """Announce ``Class.name.__get__(o)``, where ``name`` is a slot."""
    if len(args) > 1 and args[1] is not None:
        read(args[1], args[0].__name__, site)


def _slot_set(_thread: VThread, args: tuple[Any, ...], site: int) -> None:
    """Announce ``Class.name.__set__(o, value)`` or ``__delete__``."""
    if len(args) > 1:
        write(args[1], args[0].__name__, site)


def _keywords_set(_thread: VThread, args: tuple[Any, ...], site: int) -> None:
    """Announce ``SimpleNamespace.__init__(o, **attributes)``: the names are not known before the call."""
    if args:
        for name in list(vars(args[0])):
            write(args[0], name, site)


def _item(hook: Callable[[Any, Any, int], Any]) -> Effect:
    """Return the effect of ``operator.getitem`` and the like: the hook of the equivalent subscript."""

    def effect(_thread: VThread, args: tuple[Any, ...], site: int) -> None:
        if len(args) > 1:
            hook(args[0], args[1], site)

    return effect


def _in_place(thread: VThread, args: tuple[Any, ...], site: int) -> None:
    """Announce ``operator.iadd`` and the like: the left operand is changed if it is mutable, the right one read."""
    if args and is_container(type(args[0])):
        whole_write(args[0], site)
        scan_too(thread, args[1:], site, _HEAP.whole(args[0]))
    else:
        scan_args(thread, args, site)


def _nothing(_thread: VThread, _args: tuple[Any, ...], _site: int) -> None:
    """Announce nothing: the callable stores its arguments without accessing them."""


def _fields(thread: VThread, args: tuple[Any, ...], site: int) -> None:
    """Announce ``copy.copy(o)``: all attributes are read at one moment."""
    scan_args(thread, args[:1], site)
    if args and not is_container(type(args[0])):
        _touch_all(thread, args[0], READ, site)


def _touch_all(thread: VThread, obj: Any, mode: int, site: int) -> None:
    record = _HEAP.record(obj)
    locs = [record.get(name) or _HEAP.field(obj, record, name) for name in _field_names(obj)]
    for index, loc in enumerate(filter(None, locs)):
        (also if index else access)(thread, loc, mode, site)


def replace_fields(obj: Any, _name: str, site: int) -> Any:
    """Announce the store or deletion of ``obj.__dict__``: all attributes change at one moment."""
    thread = ENGINE.current
    if thread is not None:
        _touch_all(thread, obj, WRITE, site)
    return obj


def _field_names(obj: Any) -> list[str]:
    kind = type(obj)
    if kind.__module__ == "builtins" or issubclass(kind, type | types.ModuleType):
        return []
    names = [name for name in getattr(obj, "__dict__", ()) if type(name) is str]
    for owner in kind.__mro__:
        names += [name for name, found in vars(owner).items() if type(found) is types.MemberDescriptorType]
    return names


def _format(_thread: VThread, args: tuple[Any, ...], site: int) -> None:
    """Announce ``"{0.x} {1[0]}".format(...)``: the attributes and elements that the text names."""
    if not args or type(args[0]) is not str:
        return
    scan_args(_thread, args[1:], site)
    automatic = 0
    try:
        for _text, field, _spec, _conversion in formatter_parser(args[0]):
            if field is None:
                continue
            first, rest = formatter_field_name_split(field)
            if first == "":
                first, automatic = automatic, automatic + 1
            if type(first) is int and first + 1 < len(args):
                _follow(args[first + 1], [(is_attribute, name) for is_attribute, name in rest], site)
    except ValueError:
        return  # the call will raise it


def _follow(value: Any, steps: list[tuple[bool, Any]], site: int) -> None:
    """Announce the reads along a path of attributes and elements, as far as no code under test runs on it."""
    for index, (is_attribute, name) in enumerate(steps):
        if is_attribute:
            read(value, name, site)
            found = held(value, name)
        else:
            read_key(value, name, site)
            found = value.get(name) if type(value) is dict else None
        if found is None or index + 1 == len(steps):
            return
        value = found


def _attributes(function: Any, _thread: VThread, args: tuple[Any, ...], site: int) -> None:
    """Announce a call of an `operator.attrgetter`."""
    if args:
        for path in function.__reduce__()[1]:
            _follow(args[0], [(True, name) for name in path.split(".")], site)


def _items(function: Any, _thread: VThread, args: tuple[Any, ...], site: int) -> None:
    """Announce a call of an `operator.itemgetter`."""
    if args:
        for key in function.__reduce__()[1]:
            read_key(args[0], key, site)


def _method(function: Any, thread: VThread, args: tuple[Any, ...], site: int) -> None:
    """Announce a call of an `operator.methodcaller`."""
    if args:
        maker, given = function.__reduce__()[:2]
        name, given = (maker.args[0], given) if isinstance(maker, functools.partial) else (given[0], given[1:])
        before = thread.may_switch
        hooks.called(thread, args[0], name, site, given)
        thread.may_switch = thread.may_switch and before  # no thread switch between the method and its caller in C


def _names(module: Any, *names: str) -> list[Any]:
    return [getattr(module, name) for name in names if hasattr(module, name)]


_FUNCTIONS: dict[Effect, list[Any]] = {
    _get: [getattr, hasattr],
    _set: [setattr, delattr],
    _vars: [vars],
    _slot_get: [types.MemberDescriptorType.__get__],
    _slot_set: [types.MemberDescriptorType.__set__, types.MemberDescriptorType.__delete__],
    _item(read_key): [operator.getitem],
    _item(write_key): [operator.setitem],
    _item(delete_key): [operator.delitem],
    _item(member): [operator.contains],
    _in_place: _names(operator, "iadd", "iand", "iconcat", "imul", "ior", "isub", "ixor"),
    _nothing: [types.MappingProxyType, memoryview, functools.partial, staticmethod, classmethod],
    _fields: [copy.copy, copy.deepcopy, dataclasses.replace, dataclasses.asdict, dataclasses.astuple],
    _keywords_set: [types.SimpleNamespace.__init__],
    _format: [str.__dict__["format"]],
}
EFFECTS.update({identity(function): effect for effect, functions in _FUNCTIONS.items() for function in functions})
EFFECTS_BY_NAME.update({"__getattribute__": _get, "__setattr__": _set, "__delattr__": _set})
EFFECTS_OF.update({operator.attrgetter: _attributes, operator.itemgetter: _items, operator.methodcaller: _method})


# -- hooks ----------------------------------------------------------------------------------------------------------


def get_attribute(obj: Any, name: Any, site: int, last: Any) -> Any:
    """Announce ``getattr`` or ``hasattr``; return the last argument."""
    if ENGINE.current is not None and type(name) is str:
        read(obj, name, site)
        called_out(ENGINE.current)
    return last


def set_attribute(obj: Any, name: Any, site: int, last: Any) -> Any:
    """Announce ``setattr`` or ``delattr``; return the last argument."""
    if ENGINE.current is not None and type(name) is str:
        write(obj, name, site)
        called_out(ENGINE.current)
    return last


def match_subject(value: Any, names: tuple[str, ...], site: int) -> Any:
    """Announce that a ``match`` statement reads its subject."""
    if ENGINE.current is not None:
        whole(value, site)
        for name in names:
            read(value, name, site)
    return value


# -- callables that C code calls ------------------------------------------------------------------------------------


def announced(function: Any, site: int) -> Any:
    """Return a callable to pass to C code (`map`, `sorted`...); one written in C is wrapped, to announce its calls."""
    if ENGINE.current is None or not _touches(function):
        return function

    def announce(*args: Any, **named: Any) -> Any:
        thread = ENGINE.current
        if thread is not None:
            before = thread.may_switch
            hooks.called_function(thread, function, site, args)
            thread.may_switch = thread.may_switch and before  # C code calls C code: no thread switch in between
        return function(*args, **named)

    return announce


def _touches(function: Any) -> bool:
    """Return whether a call accesses something that has no hook of its own."""
    if type(function) in EFFECTS_OF:
        return True
    if type(function) is functools.partial:
        return _touches(function.func)
    if isinstance(function, type) or not is_c_callable(function):
        return False
    bound = getattr(function, "__self__", None)
    if bound is None or bound is builtins or isinstance(bound, types.ModuleType):
        return identity(function) in EFFECTS or type(function) is types.WrapperDescriptorType
    return is_container(type(bound)) or bound_effect(function, bound) is not None


def callee_of_star(function: Any, site: int) -> Any:
    """Announce ``function()`` or ``function(*args)``, whose arguments are not known; return the object to call."""
    if ENGINE.current is not None and identity(function) in EFFECTS:
        return announced(function, site)
    return hooks.function_bare(function, site)


def own_names(names: Any) -> Any:
    """Return the result of ``locals()``, ``vars()`` or ``dir()`` without the names that rewriting has added."""
    thread = ENGINE.current
    if thread is not None:
        thread.may_switch = True
    if type(names) is list:
        return [name for name in names if not str(name).startswith("_p_")]
    for name in [name for name in names if name.startswith("_p_")]:
        del names[name]
    return names


def module_names(space: dict[str, Any]) -> dict[str, Any]:
    """Return the result of ``globals()``: its keys are treated as the module's variables from now on."""
    thread = ENGINE.current
    if thread is not None:
        _HEAP.alias_module(space)
        thread.may_switch = True
    return space


hooks.HOOKS.update({
    "_p_ga": get_attribute, "_p_sa": set_attribute, "_p_da": set_attribute, "_p_fn": announced, "_p_wd": replace_fields,
    "_p_f0": callee_of_star, "_p_lo": own_names, "_p_gl": module_names, "_p_mt": match_subject,
})  # fmt: skip
HOOKS = hooks.HOOKS
