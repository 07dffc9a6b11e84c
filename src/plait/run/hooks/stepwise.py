"""Operations that C code performs in several visible steps, performed in the same steps under the scheduler.

CPython documents which operations are atomic without the GIL. The others are here: consumers of iterables, searches
through a list, sorting, filling a container from an iterable. Each performer does exactly what the C code does, with
points between the steps, and returns `NATIVE` if the call is one step after all. With the GIL the same points belong to
one step, until Python code runs in between (an `__eq__`, a key function, a generator).
"""

from __future__ import annotations

import collections
import functools
import itertools
import types
from collections.abc import Sequence
from typing import Any

from plait.run.engine import ENGINE, access, also
from plait.run.hooks import sets
from plait.run.hooks.containers import FROZEN, is_container
from plait.run.hooks.iteration import FEW, Feeding, Walk, is_plain, scan_args, scan_too, walked
from plait.run.hooks.sections import NATIVE, Function, Method, compares_in_python, feed, is_iterable, section
from plait.run.hooks.set_order import by_first_touch
from plait.run.operations import KEY_READ, READ, SHIFT, SHIFT_ALL, WRITE
from plait.run.vthread import VThread

_HEAP = ENGINE.heap
_DICT_VIEWS = frozenset({type({}.keys()), type({}.values()), type({}.items())})
_COPIED = frozenset({list, tuple, set, frozenset, dict}) | _DICT_VIEWS  # `list` takes them at one moment
_HASHED = frozenset({set, frozenset, dict})
_SETS = frozenset({set, frozenset})
_FAST = frozenset({list, tuple})


# -- functions ----------------------------------------------------------------------------------------------------


def _consumer(atomic: frozenset[type], first: int = 0, *, deep: bool = False) -> Function:
    """Return the performer of a function that reads an iterable element by element, but some types at one moment."""

    def perform(thread: VThread, native: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        if len(args) <= first:
            return NATIVE
        if type(args[first]) in atomic:
            return _in_order(thread, native, site, args, named) if type(args[0]) in _SETS else NATIVE
        given = walked(args[first], site, deep=deep)
        if given is args[first]:
            return NATIVE
        result = native(*args[:first], given, *args[first + 1 :], **named)
        thread.may_switch = True
        return result

    return perform


def _in_order(thread: VThread, native: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Perform a function that reads a set at one moment, where the order of the set's elements needs to be fixed."""
    if by_first_touch(args[0]) is None:
        return NATIVE
    scan_args(thread, args, site)
    result = native(by_first_touch(args[0]) or args[0], *args[1:], **named)  # as it is behind the point
    thread.may_switch = True
    return result


def _best(thread: VThread, native: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Perform `min` or `max` of a single iterable."""
    return _walk_first(thread, native, site, args, named) if len(args) == 1 else NATIVE


def _pairs(thread: VThread, native: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Perform ``dict(iterable)``."""
    if len(args) != 1 or hasattr(type(args[0]), "keys"):
        return NATIVE
    return _walk_first(thread, native, site, args, named)


def _lazy(first: int, many: int | None, atomic: frozenset[type] = frozenset()) -> Function:
    """Return the performer of a constructor of iterators in C: it passes iterables that have points."""

    def perform(thread: VThread, native: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        last = len(args) if many is None else first + many
        given = [
            walked(arg, site) if first <= at < last and type(arg) not in atomic else arg for at, arg in enumerate(args)
        ]
        if atomic:
            scan_args(thread, tuple(given), site)
        result = native(*given, **named)
        thread.may_switch = True
        return result

    return perform


def _next(thread: VThread, native: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Perform `next` of a shared iterator over a list: reading the position and storing it are two steps."""
    if args and type(args[0]) is types.GeneratorType:
        return _resumed(thread, native, site, args)
    if not args or type(args[0]) is not _LIST_ITERATOR or ENGINE.gil:
        return NATIVE
    iterator: Any = args[0]
    loc = _HEAP.loc_of(iterator, "next")
    access(thread, loc, READ, site)
    state: Any = iterator.__reduce__()
    if len(state) < 3:
        return native(*args)
    items, at = state[1][0], state[2]
    also(thread, _HEAP.key(items, at), KEY_READ, site)
    found = list.__getitem__(items, slice(at, at + 1))
    access(thread, loc, WRITE, site)
    thread.may_switch = True
    if found:
        iterator.__setstate__(at + 1)
        return found[0]
    iterator.__setstate__(len(items))
    return native(*args)


_ENTERED: dict[int, VThread] = {}  # generators that a thread is about to resume, or has resumed, by their `id`


def _resumed(thread: VThread, native: Any, site: int, args: tuple[Any, ...]) -> Any:
    """Perform `next` of a generator: both builds look for other threads once it is running, before its first step.

    Who asks it meanwhile gets the `ValueError` of CPython. Between the two points the generator is not resumed yet, so
    that a body without any point of its own has this moment, too.
    """
    generator: Any = args[0]
    loc = _HEAP.loc_of(generator, "next")
    access(thread, loc, WRITE, site)
    holder = _ENTERED.get(id(generator))
    if holder is not None and holder is not thread and holder in ENGINE.threads:
        raise ValueError("generator already executing")
    if holder is thread or generator.gi_frame is None:  # it asks itself, or has come to its end
        return NATIVE
    _ENTERED[id(generator)] = thread
    try:
        thread.may_switch = True
        access(thread, loc, WRITE, site)
        result = native(*args)
    finally:
        _ENTERED.pop(id(generator), None)  # a thread that could not be unwound may come here much later
    thread.may_switch = True  # behind a call into C
    return result


_LIST_ITERATOR: Any = type(iter([]))
_walk_first = _consumer(frozenset(), deep=True)

FUNCTIONS: dict[Any, Function] = {
    list: _consumer(_COPIED), sorted: _consumer(_COPIED), tuple: _consumer(_FAST),
    set: _consumer(_HASHED), frozenset: _consumer(_HASHED), dict: _pairs, sum: _walk_first, any: _walk_first,
    all: _walk_first, min: _best, max: _best, collections.deque: _consumer(frozenset()),
    functools.reduce: _consumer(frozenset(), 1, deep=True),
    bytes: _consumer(frozenset({bytearray, bytes})), bytearray: _consumer(frozenset({bytearray, bytes})),
    map: _lazy(1, None), filter: _lazy(1, 1), zip: _lazy(0, None), enumerate: _lazy(0, 1), next: _next,
    itertools.accumulate: _lazy(0, 1), itertools.chain: _lazy(0, None), itertools.compress: _lazy(0, 2),
    itertools.cycle: _lazy(0, 1), itertools.dropwhile: _lazy(1, 1), itertools.filterfalse: _lazy(1, 1),
    itertools.groupby: _lazy(0, 1), itertools.islice: _lazy(0, 1), itertools.pairwise: _lazy(0, 1),
    itertools.starmap: _lazy(1, 1), itertools.takewhile: _lazy(1, 1), itertools.tee: _lazy(0, 1),
    itertools.zip_longest: _lazy(0, None), itertools.product: _lazy(0, None, _FAST),
    itertools.permutations: _lazy(0, 1, _FAST), itertools.combinations: _lazy(0, 1, _FAST),
    itertools.combinations_with_replacement: _lazy(0, 1, _FAST),
    **({itertools.batched: _lazy(0, 1)} if hasattr(itertools, "batched") else {}),
    **dict.fromkeys(FROZEN, _pairs), **sets.FUNCTIONS,
}  # fmt: skip


# -- methods ------------------------------------------------------------------------------------------------------


def equal(thread: VThread, element: Any, wanted: Any, site: int) -> bool:
    """Compare as C code does in a search: identity first, then ``==``, which reads containers that are compared."""
    if element is wanted:
        return True
    scan_too(thread, (element, wanted), site, 0)
    return bool(element == wanted)


def _found(thread: VThread, items: list[Any], wanted: Any, site: int) -> bool:
    """Return ``wanted in items``, found step by step."""
    walk, at = Walk(items, site, keys=True), 0
    while True:
        walk.point(thread)
        if at >= list.__len__(items):
            return False
        if equal(thread, list.__getitem__(items, at), wanted, site):
            return True
        at += 1


class Membership:
    """An object that answers ``in`` for a list: the search has a point per element."""

    __slots__ = ("_items", "_site")

    def __init__(self, items: list[Any], site: int) -> None:
        self._items = items
        self._site = site

    def __contains__(self, wanted: Any) -> bool:
        thread = ENGINE.current
        return wanted in self._items if thread is None else _found(thread, self._items, wanted, self._site)


def _contains(thread: VThread, native: Any, items: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    if len(args) != 1 or named:
        return NATIVE
    return _found(thread, items, args[0], site)


def _index(thread: VThread, native: Any, items: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Perform ``list.index``: its bounds are fixed at the start, but it ends where the list ends meanwhile."""
    if not 1 <= len(args) <= 3 or named or any(type(bound) is not int for bound in args[1:]):
        return NATIVE
    walk = Walk(items, site, keys=True)
    walk.point(thread)
    size = list.__len__(items)
    at, stop = (max(bound + size, 0) if bound < 0 else bound for bound in (*args[1:], *(0, size)[len(args) - 1 :]))
    if len(args) < 3:
        stop = -1
    walk.position = at
    fresh = at == 0
    while stop < 0 or at < stop:
        if not fresh:
            walk.point(thread)
        fresh = False
        if at >= list.__len__(items):
            break
        if equal(thread, list.__getitem__(items, at), args[0], site):
            return at
        at += 1
    return [].index(args[0])  # raises what this version of Python raises


def _count(thread: VThread, native: Any, items: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    if len(args) != 1 or named:
        return NATIVE
    walk, at, many = Walk(items, site, keys=True), 0, 0
    while True:
        walk.point(thread)
        if at >= list.__len__(items):
            return many
        many += equal(thread, list.__getitem__(items, at), args[0], site)
        at += 1


def _sort(thread: VThread, native: Any, items: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Perform ``list.sort``: the list is empty while the elements are sorted."""
    key = named.get("key")
    if args or not named.keys() <= {"key", "reverse"} or not (key is None or callable(key)):
        return NATIVE
    # CPython takes the elements out of the list before it sorts. If no Python code is called, the list keeps its lock:
    # only reads without the lock, such as `len`, see the empty list. Otherwise other threads may run and change the
    # list, and the real `sort` notices this at the end.
    loc = _HEAP.whole(items)
    if key is None and not any(map(compares_in_python, set(map(type, items)))):
        with section(thread, items, site):
            if not ENGINE.gil and list.__len__(items) > 1:
                content = list.copy(items)
                list.clear(items)
                try:
                    content.sort(**named)
                finally:
                    access(thread, loc, SHIFT_ALL, site)
                    list.extend(items, content)
            else:
                native(**named)
        thread.may_switch = True
        return None
    access(thread, loc, WRITE, site)
    many, done = list.__len__(items), 0

    def of(element: Any) -> Any:
        nonlocal done
        result = element if key is None else key(element)
        done += 1
        if done == many:  # the last moment at which other threads may see the empty list
            access(thread, loc, WRITE, site)
        return result

    step = ENGINE.step
    try:
        native(**{**named, "key": of})
    finally:
        if ENGINE.step != step and ENGINE.current is not None:
            also(thread, loc, WRITE, site)
        thread.may_switch = True
    return None


def _extend(atomic: frozenset[type]) -> Method:
    """Return the performer of a method that reads an iterable element by element, but known types at one moment."""

    def perform(
        thread: VThread, native: Any, target: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]
    ) -> Any:
        if len(args) != 1 or named or args[0] is target or not is_iterable(args[0]):
            return NATIVE
        if type(args[0]) in atomic:
            if type(args[0]) not in _SETS or by_first_touch(args[0]) is None:
                return NATIVE
            access(thread, _HEAP.whole(target), WRITE, site)
            scan_too(thread, args, site, _HEAP.whole(target))
            native(by_first_touch(args[0]) or args[0])
            thread.may_switch = True
            return None
        feed(thread, native, target, args[0], site)
        thread.may_switch = True
        return None

    return perform


def _update_dict(
    thread: VThread, native: Any, target: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    """Perform ``dict.update``: from a dict at one moment, else pair by pair or key by key."""
    if len(args) != 1 or named or not is_iterable(args[0]):
        return NATIVE
    source = args[0]
    kind = type(source)
    if issubclass(kind, dict) and kind.__iter__ is dict.__iter__:
        return NATIVE
    if not hasattr(source, "keys"):
        feed(thread, native, target, source, site)
    else:
        scan_args(thread, (source,), site)
        for key in list(source.keys()):
            if is_container(kind):
                access(thread, _HEAP.key(source, key) or _HEAP.whole(source), READ, site)
            value = source[key]
            access(thread, _HEAP.whole(target), WRITE, site)
            dict.__setitem__(target, key, value)
    thread.may_switch = True
    return None


def _extend_bytes(
    thread: VThread, native: Any, target: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    """Perform ``bytearray.extend``: collect the elements one by one, then append them at one moment."""
    if len(args) != 1 or named or type(args[0]) in (bytes, bytearray):
        return NATIVE
    given = walked(args[0], site)
    if given is args[0] and type(given) is not types.GeneratorType:
        return NATIVE
    more = bytearray()
    more.extend(given)
    access(thread, _HEAP.whole(target), WRITE, site)
    native(more)
    thread.may_switch = True
    return None


def _update_ordered(
    thread: VThread, native: Any, target: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    """Perform ``OrderedDict.update``: store key by key, without a lock."""
    if len(args) != 1 or named or not is_iterable(args[0]):
        return NATIVE
    source = args[0]
    if type(source) is dict:
        access(thread, _HEAP.whole(source), READ, site)
        source = list(source.items())
    elif hasattr(source, "keys"):
        return NATIVE
    native(Feeding(walked(source, site), target, site, WRITE))
    thread.may_switch = True
    return None


# -- elements that move -------------------------------------------------------------------------------------------


def _store(
    thread: VThread, items: list[Any], site: int, cells: Sequence[tuple[int, Any]], *, begun: bool = False
) -> None:
    """Store elements in this order, inside a section: reads that take no lock see each step.

    The first store belongs to the section's first step, unless that has ``begun``. A list that grows has its new length
    at once. No thread ever sees an unset cell at the new end, because a read that finds one takes the lock. After the
    first few cells, all others are stored in one step.
    """
    # A point per cell for all of a long list would give nearly equivalent schedules only: the first cells show every
    # kind of intermediate state.
    first = not begun
    for number, (at, value) in enumerate(cells):
        if at >= list.__len__(items):
            list.append(items, value)
        else:
            if not first and number < FEW and not ENGINE.gil:
                access(thread, _HEAP.key(items, at), SHIFT, site)
            list.__setitem__(items, at, value)
        first = False


def _close_up(thread: VThread, items: list[Any], start: int, stop: int, site: int) -> int:
    """Move the elements after ``items[start:stop]`` to its beginning; the caller cuts what is left at the end.

    Return the new length of the list when it is the thread's turn to cut it.
    """
    size = list.__len__(items)
    _store(thread, items, site, [(at + start - stop, items[at]) for at in range(stop, size)])
    if stop < size and not ENGINE.gil:
        access(thread, _HEAP.whole(items), SHIFT_ALL, site)
    return size - (stop - start)


def _insert(thread: VThread, native: Any, items: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Perform ``list.insert``: move the following elements, the last one first."""
    if len(args) != 2 or named or type(args[0]) is not int:
        return NATIVE
    with section(thread, items, site):
        size = list.__len__(items)
        at = min(max(args[0] + size, 0) if args[0] < 0 else args[0], size)
        moved = [(to, items[to - 1]) for to in range(size, at, -1)]
        _store(thread, items, site, [*moved, (at, args[1])])
    thread.may_switch = True
    return None


def _pop(thread: VThread, native: Any, items: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Perform ``list.pop(i)``: move the following elements, the first one first, then shorten the list."""
    if len(args) != 1 or named or type(args[0]) is not int:
        return NATIVE
    with section(thread, items, site):
        thread.may_switch = True
        size = list.__len__(items)
        at = args[0] + size if args[0] < 0 else args[0]
        if not 0 <= at < size - 1:
            return native(*args)
        value = list.__getitem__(items, at)
        list.__delitem__(items, slice(_close_up(thread, items, at, at + 1, site), None))
        thread.may_switch = True
        return value


def _remove(thread: VThread, native: Any, items: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Perform ``list.remove``: the search keeps the lock unless it runs Python code."""
    if len(args) != 1 or named:
        return NATIVE
    wanted = args[0]
    if any(map(compares_in_python, {type(wanted), *map(type, items)})):
        return _search_and_remove(thread, items, wanted, site)
    with section(thread, items, site):
        thread.may_switch = True
        try:
            at = list.index(items, wanted)
        except ValueError:
            return native(wanted)
        size = _close_up(thread, items, at, at + 1, site)
        list.__delitem__(items, slice(size, None))
        thread.may_switch = True
    return None


def _search_and_remove(thread: VThread, items: list[Any], wanted: Any, site: int) -> None:
    walk, at = Walk(items, site), 0

    def stands_here() -> bool:
        return at < list.__len__(items) and list.__getitem__(items, at) is wanted

    while True:
        if stands_here():
            access(thread, _HEAP.whole(items), WRITE, site)
            if stands_here():  # no Python code is asked about the object itself: it is found and removed in one step
                list.__delitem__(items, at)
                thread.may_switch = True
                return
        walk.point(thread)
        if at >= list.__len__(items):
            [].remove(wanted)  # raises what this version of Python raises
        if equal(thread, list.__getitem__(items, at), wanted, site):
            access(thread, _HEAP.whole(items), WRITE, site)
            list.__delitem__(items, slice(at, at + 1))  # whatever stands there by now
            thread.may_switch = True
            return
        at += 1


def _reverse(thread: VThread, native: Any, items: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Perform ``list.reverse``: swap elements from both ends."""
    if args or named:
        return NATIVE
    with section(thread, items, site):
        size = list.__len__(items)
        pairs = [(low, size - 1 - low) for low in range(size // 2)]
        _store(thread, items, site, [cell for low, high in pairs for cell in ((low, items[high]), (high, items[low]))])
    thread.may_switch = True
    return None


def delete(thread: VThread, items: list[Any], key: Any, site: int) -> Any:
    """Announce ``del items[key]``: move the following elements, and return the index or slice left to delete."""
    size = list.__len__(items)
    loc = _HEAP.whole(items)
    if type(key) is slice and key.step in (None, 1):
        whole = all(bound is None or type(bound) is int for bound in (key.start, key.stop))
    else:
        whole = type(key) is int
    if not whole or ENGINE.gil:
        access(thread, loc, WRITE, site)
        return key
    with section(thread, items, site):
        size = list.__len__(items)
        if type(key) is slice:
            start, stop, _step = key.indices(size)
            stop = max(start, stop)
        else:
            start = key + size if key < 0 else key
            stop = start + 1
            if not 0 <= start < size:
                return key
        return slice(_close_up(thread, items, start, stop, site) if start < stop else size, None)


def assign_slice(thread: VThread, items: Any, key: slice, value: Any, site: int) -> None:
    """Perform ``items[key] = value``: read an iterable first; a list is read together with the first step."""
    bounds = all(bound is None or type(bound) is int for bound in (key.start, key.stop))
    if not bounds or key.step not in (None, 1) or not is_iterable(value):
        access(thread, _HEAP.whole(items), WRITE, site)
        scan_too(thread, (value,), site, 0)
        items[key] = value
        return
    if type(value) not in _FAST:
        value = list(walked(value, site))
    with section(thread, items, site):
        scan_too(thread, (value,), site, _HEAP.whole(items))
        new, size = list(value), list.__len__(items)
        start, stop, _step = key.indices(size)
        stop = max(start, stop)
        more = len(new) - (stop - start)
        if ENGINE.gil or size + more == 0:
            items[key] = new
            return
        end, length = start + len(new), size + more
        final = [*items[:start], *new, *items[stop:]]
        inside = [(at, final[at]) for at in range(start, min(end, size))]
        if more > 0:
            grown = [(at, final[at]) for at in range(size, length)]
            _store(thread, items, site, [*grown, *((at, final[at]) for at in range(size - 1, end - 1, -1)), *inside])
            return
        behind = [(at, final[at]) for at in range(end, length)] if more else []
        _store(thread, items, site, behind)
        if more:
            if behind:
                access(thread, _HEAP.whole(items), SHIFT_ALL, site)
            list.__delitem__(items, slice(length, None))
        _store(thread, items, site, inside, begun=more < 0)


def add_in_place(thread: VThread, target: Any, operand: Any, site: int) -> Any:
    """Announce ``target += operand``, or ``|=`` of a dict; return the operand to use."""
    kind = type(target)
    known: frozenset[type] | None = None
    if issubclass(kind, list) and kind.__iadd__ is list.__iadd__:
        known = _COPIED
    elif (issubclass(kind, collections.deque) and kind.__iadd__ is collections.deque.__iadd__) or (
        issubclass(kind, dict) and kind.__ior__ is dict.__ior__ and not hasattr(operand, "keys")
    ):
        known = frozenset()
    if known is None or type(operand) in known or operand is target or not is_iterable(operand):
        access(thread, _HEAP.whole(target), WRITE, site)
        thread.may_switch = True
        return operand
    given = walked(operand, site)
    if not is_plain(given):
        return Feeding(given, target, site, WRITE)
    opened = section(thread, target, site)
    opened.__enter__()
    return Feeding(given, target, site, SHIFT_ALL, opened)


METHODS: dict[tuple[type, str], Method] = {
    (list, "insert"): _insert, (list, "pop"): _pop, (list, "remove"): _remove, (list, "reverse"): _reverse,
    (list, "index"): _index, (list, "count"): _count, (list, "sort"): _sort, (list, "__contains__"): _contains,
    (list, "extend"): _extend(_COPIED), (collections.deque, "extend"): _extend(frozenset()),
    (collections.deque, "extendleft"): _extend(frozenset()), (dict, "update"): _update_dict,
    (collections.OrderedDict, "update"): _update_ordered,
    (bytearray, "extend"): _extend_bytes,
    **sets.METHODS,
}  # fmt: skip


def _chain_all(thread: VThread, native: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Perform ``itertools.chain.from_iterable``: the iterable, and each iterable in it, has points."""
    if len(args) != 1 or named:
        return NATIVE
    thread.may_switch = True
    return native(map(functools.partial(walked, site=site), walked(args[0], site)))


def class_method(owner: Any, name: str) -> Function | None:
    """Return the performer of ``owner.name``, where that belongs to the class; None if it is one step."""
    if owner is itertools.chain and name == "from_iterable":
        return _chain_all
    if name == "fromkeys" and issubclass(owner, (dict, *FROZEN)):
        return _consumer(frozenset({*_HASHED, tuple}))
    return None


def stepwise_method(descriptor: Any, name: str) -> Method | None:
    """Return the performer of a C method, found by the class that defines it; None if the method is one step."""
    return METHODS.get((getattr(descriptor, "__objclass__", None), name))  # type: ignore[arg-type]
