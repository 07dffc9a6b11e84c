"""Methods and operators of sets that C code performs in several steps which other threads can see."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from plait.run.engine import ENGINE, access
from plait.run.hooks.containers import is_container
from plait.run.hooks.iteration import FEW, scan_too, walked
from plait.run.hooks.sections import NATIVE, Function, Method, compares_in_python, feed, is_iterable, section
from plait.run.hooks.set_order import by_first_touch
from plait.run.operations import READ, SHIFT_ALL, WRITE
from plait.run.vthread import VThread

_HEAP = ENGINE.heap


def _one_by_one(
    thread: VThread, target: Any, source: Any, site: int, change: Callable[[Any, Any], object],
    at_once: Callable[[Any], object],
) -> None:  # fmt: skip
    """Change a set by each element of another set, which is read in the first step.

    Both are locked, but asking for the length or for an element takes no lock, and sees the intermediate states.
    Elements that compare in Python are changed in one step: C code has their hashes, but here their ``__hash__`` would
    run.
    """
    with section(thread, target, site):
        scan_too(thread, (source,), site, _HEAP.whole(target))
        elements = by_first_touch(source) or list(source)
        few = 0 if ENGINE.gil or any(map(compares_in_python, set(map(type, elements)))) else FEW
        if not few:
            at_once(source)
            return
        for number, element in enumerate(elements):
            if 0 < number < few:
                access(thread, _HEAP.whole(target), SHIFT_ALL, site)
            change(target, element)


def _subtract(
    thread: VThread, native: Any, target: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    """Perform ``set.difference_update``: argument by argument, sets and dicts are each read at one moment."""
    if named or not all(map(is_iterable, args)):
        return NATIVE
    for source in args:
        if source is target:
            access(thread, _HEAP.whole(target), WRITE, site)
            native(source)
        elif isinstance(source, set | frozenset) or type(source) is dict:
            _one_by_one(thread, target, source, site, set.discard, native)
        else:
            feed(thread, native, target, source, site)
    thread.may_switch = True
    return None


def _update(thread: VThread, native: Any, target: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Perform ``set.update``: argument by argument, sets and dicts are each read at one moment."""
    if named or not all(map(is_iterable, args)):
        return NATIVE
    for source in args:
        if isinstance(source, set | frozenset) or type(source) is dict:
            _one_by_one(thread, target, source, site, set.add, native)
        else:
            feed(thread, native, target, source, site)
    thread.may_switch = True
    return None


def _with_others(
    thread: VThread, native: Any, target: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    """Perform ``set.union`` and the like: other arguments than sets and dicts are read element by element."""
    given = [source if isinstance(source, set | frozenset | dict) else walked(source, site) for source in args]
    if named or all(new is old for new, old in zip(given, args, strict=True)):
        return NATIVE
    access(thread, _HEAP.whole(target), READ, site)
    scan_too(thread, tuple(given), site, _HEAP.whole(target))
    result = native(*given)
    thread.may_switch = True
    return result


def _change_by(
    thread: VThread, native: Any, target: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    """Perform ``set.symmetric_difference_update`` or ``intersection_update``: the change itself is one step."""
    if named or not all(map(is_iterable, args)):
        return NATIVE
    given = [source if isinstance(source, set | frozenset | dict) else walked(source, site) for source in args]
    if all(new is old for new, old in zip(given, args, strict=True)):
        return NATIVE
    given = [new if new is old else list(new) for new, old in zip(given, args, strict=True)]
    access(thread, _HEAP.whole(target), WRITE, site)
    scan_too(thread, tuple(given), site, _HEAP.whole(target))
    native(*given)
    thread.may_switch = True
    return None


# -- operators ----------------------------------------------------------------------------------------------------


def change_in_place(thread: VThread, target: Any, operand: Any, site: int, sign: str) -> bool:
    """Perform ``target |= operand`` or ``target -= operand`` step by step; return False if it is one step.

    The steps are those of `set.update` and `set.difference_update`.
    """
    kind, (name, change, at_once) = type(target), _IN_PLACE[sign]
    if not issubclass(kind, set) or getattr(kind, name) is not getattr(set, name):
        return False
    if not isinstance(operand, set | frozenset) or operand is target:
        return False
    _one_by_one(thread, target, operand, site, change, functools.partial(at_once, target))
    thread.may_switch = True
    return True


_IN_PLACE: dict[str, tuple[str, Callable[[Any, Any], object], Callable[..., object]]] = {
    "|": ("__ior__", set.add, set.update), "-": ("__isub__", set.discard, set.difference_update),
}  # fmt: skip


def _operator(sign: str) -> Method:
    """Return the performer of ``s.__ior__(other)`` and the like."""

    def perform(
        thread: VThread, native: Any, target: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]
    ) -> Any:
        done = len(args) == 1 and not named and change_in_place(thread, target, args[0], site, sign)
        return target if done else NATIVE

    return perform


def _function(sign: str) -> Function:
    """Return the performer of ``operator.ior(s, other)`` and the like."""

    def perform(thread: VThread, native: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        done = len(args) == 2 and is_container(type(args[0])) and change_in_place(thread, *args, site, sign)
        return args[0] if done else NATIVE

    return perform


_READERS = ("union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint")

FUNCTIONS: dict[Any, Function] = {operator.ior: _function("|"), operator.isub: _function("-")}
METHODS: dict[tuple[type, str], Method] = {
    (set, "update"): _update, (set, "difference_update"): _subtract, (set, "intersection_update"): _change_by,
    (set, "symmetric_difference_update"): _change_by, (set, "__ior__"): _operator("|"),
    (set, "__isub__"): _operator("-"),
    **{(set, name): _with_others for name in _READERS},
}  # fmt: skip
