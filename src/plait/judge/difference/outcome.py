"""The outcome of one execution: what its callers can observe (ConDiff's observable output, Definitions 2 and 5).

An outcome is plain data, and equal across processes and versions for equal behaviour. The `View` says what belongs to
it: always the results and the final state after all calls; on request also the states when single calls return, or the
answers of further calls made afterwards.
"""

from __future__ import annotations

import collections
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from plait.judge.oracle.specification import (
    ENDLESS,
    MASKED,
    UNFINISHED,
    CallResult,
    positions,
)
from plait.model.foreign import Canonical, attributes_of, is_a, qualified_name
from plait.model.test import Call
from plait.observe.canonical import (
    _Walk,
    exception_name,
    identities,
)
from plait.observe.stored import stored_names, stored_values
from plait.run.endings import OWN, RAISED, EndlessError, SetupBlockedError, patience
from plait.run.engine import ENGINE, FINISHED_RUN, access
from plait.run.heap import OPAQUE
from plait.run.hooks.containers import is_container
from plait.run.operations import READ
from plait.run.testbed import Done, Testbed

_ANSWER_S = 1.0  # of processor time to inspect the final state; a longer inspection counts as endless
LIMIT = 1000  # objects whose state is inspected when a call returns

Exits = Literal["no", "at", "after"]


@dataclass(frozen=True, slots=True)
class View:
    """What counts as behaviour.

    ``public`` are the methods to which an exception can be attributed. ``exits`` adds the states at the end of each
    call: ``at`` means all of it, at the call's last step (ConDiff's Table I); ``after`` means what any caller can read,
    the public attributes, at any moment since. ``probes`` are calls whose answers stand for the state if two versions
    represent it differently. ``ignored`` are attributes that only one version has. ``masked`` are methods whose results
    no schedule determines. With ``objects``, it matters whether two calls return the same object: a version that
    returns two where there must be one has lost a race.
    """

    public: frozenset[str] = frozenset()
    exits: Exits = "no"
    probes: tuple[Call, ...] = ()
    ignored: frozenset[Attribute] = frozenset()
    masked: frozenset[str] = frozenset()
    state: bool = True
    objects: bool = True

    def as_json(self) -> dict[str, Any]:
        """Return plain data for `from_json`, without default values."""
        found: dict[str, Any] = {"public": sorted(self.public)}
        if self.exits != "no":
            found["exits"] = self.exits
        if self.probes:
            found["afterwards"] = [call.expression for call in self.probes]
        if self.ignored:
            found["ignored"] = sorted(map(list, self.ignored))
        if self.masked:
            found["masked"] = sorted(self.masked)
        if not self.state:
            found["state"] = False
        if not self.objects:
            found["objects"] = False
        return found

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> View:
        """Return the inverse of `as_json`."""
        return cls(
            frozenset(data["public"]), data.get("exits", "no"),
            tuple(Call.from_line(line) for line in data.get("afterwards", ())),
            frozenset((owner, name) for owner, name in data.get("ignored", ())),
            frozenset(data.get("masked", ())), data.get("state", True), data.get("objects", True),
        )  # fmt: skip


class Outcome(NamedTuple):
    """One observable output: how the execution ended, each call's result, and the states that the view includes."""

    status: str
    results: tuple[CallResult, ...]
    exits: tuple[Canonical, ...] = ()
    state: Canonical = None
    answers: tuple[CallResult, ...] = ()
    # For each call, the first call that returned the same object; empty if none did.
    objects: tuple[int | None, ...] = ()


class Watch:
    """Observes the executions of one test bed."""

    def __init__(self, bed: Testbed, view: View) -> None:
        self.bed = bed
        self.view = view
        self._where = positions(bed)
        bed.on_return = self._exit if view.exits != "no" else None

    def outcome(self) -> Outcome:
        """Return the outcome of the execution that has just ended. Call this from the engine's ``finish``."""
        bed, view = self.bed, self.view
        results: list[CallResult] = [UNFINISHED] * len(self._where)
        exits: list[Any] = [None] * len(self._where) if view.exits != "no" else []
        for done in bed.done:
            position = self._where[done.thread, done.index]
            method = bed.test.suffixes[done.thread - 1][done.index].method
            results[position] = MASKED if method in view.masked else _observed_result(done, view)
            if exits:
                exits[position] = done.seen
        objects = self._objects() if view.objects else ()
        state = None
        answers: tuple[CallResult, ...] = ()
        if ENGINE.status == FINISHED_RUN:
            if view.state:
                state = settled([bed.values[name] for name in bed.variables], view.ignored)
            if view.probes:
                answers = _answers(bed, view)
        return Outcome(ENGINE.status, tuple(results), tuple(exits), state, answers, objects)

    def _objects(self) -> tuple[int | None, ...]:
        """Return which calls returned the same object, among objects that compare by identity."""
        returned: list[Any] = [None] * len(self._where)
        for done in self.bed.done:
            if self.bed.test.suffixes[done.thread - 1][done.index].method not in self.view.masked:
                returned[self._where[done.thread, done.index]] = done.value
        found = [None if each is None else each[0] for each in identities(returned, [])]
        return tuple(found) if sum(each is not None for each in found) > 1 else ()

    def _exit(self, bed: Testbed, done: Done) -> Any:
        """Observe a call that has returned. This reads everything reachable, so it depends on all writes.

        With ``at``, the reads belong to the call's last step, if the call has made one.
        """
        thread = ENGINE.thread
        values = [bed.values[name] for name in bed.variables]
        public = self.view.exits == "after"
        reads = list(locations(values, public=public))
        trace = ENGINE.trace
        joins = self.view.exits == "at" and len(trace) > done.start and trace[-1][0] == thread.id
        for number, loc in enumerate(reads or [0]):
            if number or joins:
                ENGINE.note(thread, loc, READ, 0)
            else:
                thread.may_switch = True
                access(thread, loc, READ, 0)
        return passing(values, self.view.ignored, public=public)


def _answers(bed: Testbed, view: View) -> tuple[CallResult, ...]:
    """Return what a caller learns about the final state: the results of further calls, one after another."""
    found: list[CallResult] = []
    for call in view.probes:
        try:
            with patience(_ANSWER_S):
                value = eval(call.expression, bed.space, dict(bed.values))
            found.append(("returned", result_value(value, view.ignored)))
        except (EndlessError, SetupBlockedError) as end:
            found.append(ENDLESS if isinstance(end, EndlessError) else ("blocked",))
            break
        except OWN:
            raise
        except RAISED as error:
            found.append(("raised", exception_name(error)))
    return (*found, *[UNFINISHED] * (len(view.probes) - len(found)))


def _observed_result(done: Done, view: View) -> CallResult:
    """Return a call's value, or its exception with the innermost public method that it passed through."""
    if done.error is None:
        return ("returned", result_value(done.value, view.ignored))
    method = ""
    trace = done.error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_name
        if name in view.public:
            method = name
        trace = trace.tb_next
    return ("raised", exception_name(done.error), method)


def locations(values: list[Any], *, public: bool = False) -> Iterator[int]:
    """Yield the locations of every reachable field and container, including fields that do not exist yet."""
    heap = ENGINE.heap
    seen: set[int] = set()
    waiting = list(reversed(values))
    while waiting and len(seen) < LIMIT:
        value = waiting.pop()
        kind = type(value)
        if kind in _ATOMS or kind in OPAQUE or id(value) in seen or is_a(value, *_CODE):
            continue
        seen.add(id(value))
        if is_container(kind):
            yield heap.whole(value)
            waiting.extend(_parts(value))
        elif issubclass(kind, tuple | frozenset):
            waiting.extend(value)
        held = attributes_of(value)
        record = heap.record(value)
        for name in dict.fromkeys((*(held or ()), *stored_names(kind))):
            if public and name.startswith("_"):
                continue
            loc = record.get(name)
            if loc is None:
                loc = heap.field(value, record, name)
            if loc:
                yield loc
            waiting += stored_values(value, name)


_ATOMS = frozenset({int, float, bool, complex, str, bytes, type(None)})
_CODE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, type, types.ModuleType)


def _parts(container: Any) -> list[Any]:
    if issubclass(type(container), dict):
        return [part for key in list(dict.__iter__(container)) for part in (key, dict.get(container, key))]
    walks: tuple[tuple[type, Any], ...] = (
        (list, list.__iter__), (set, set.__iter__), (collections.deque, collections.deque.__iter__),
    )  # fmt: skip
    return next((list(walk(container)) for base, walk in walks if issubclass(type(container), base)), [])


# -- states ------------------------------------------------------------------------------------------------------------
# The state of objects in a form in which two versions of a class can be compared.
#
# As `plait.observe.canonical`, but without details that a change may alter: attributes that only one version has, and
# the type of a lock.


Attribute = tuple[str, str]  # class, name


def settled(values: Sequence[Any], ignored: frozenset[Attribute]) -> tuple[Canonical, ...]:
    """Return the states of several objects when no call is running; a lock that is held then stays held."""
    walk = _StateWalk(ignored, locks=True, public=False)
    return tuple(walk.of(value) for value in values)


def passing(values: Sequence[Any], ignored: frozenset[Attribute], *, public: bool) -> tuple[Canonical, ...]:
    """Return states as `settled` does, but while calls may be running, so it does not matter who holds a lock.

    With ``public``, only attributes without a leading underscore are included: what callers are meant to read.
    """
    walk = _StateWalk(ignored, locks=False, public=public)
    return tuple(walk.of(value) for value in values)


def result_value(value: Any, ignored: frozenset[Attribute]) -> Canonical:
    """Return a call's result as its caller sees it: objects by their content and public attributes."""
    return passing([value], ignored, public=True)[0]


class _StateWalk(_Walk):
    def __init__(self, ignored: frozenset[Attribute], *, locks: bool, public: bool) -> None:
        super().__init__()
        self._ignored = ignored
        self._locks = locks
        self._public = public

    def _object(self, value: Any, kind: type, way: int) -> Canonical:
        found = super()._object(value, kind, way)
        if kind in OPAQUE:
            return ("primitive", *found[2:]) if self._locks else ("primitive",)
        return found

    def _attributes(self, value: Any, kind: type) -> list[tuple[str, Any]]:  # type: ignore[override]  # on more
        owner = qualified_name(kind)
        return [
            (name, held)
            for name, held in _Walk._attributes(value, kind)
            if (owner, name) not in self._ignored and not (self._public and name.startswith("_"))
        ]


def features(value: Canonical) -> frozenset[tuple[str, Any]]:
    """Return what kind of state an object is in, by attribute: empty or not, None or not, the sign of a number."""
    return frozenset((path, _outline(held)) for path, held in atoms(value))


def _outline(value: Any) -> Any:
    if not isinstance(value, tuple) or not value:
        return (value > 0) - (value < 0) if type(value) is int else value
    kind, *rest = value
    if kind in ("str", "bytes"):
        return (kind, bool(rest[0]))
    if kind in ("mapping", "items", "set", "tuple"):
        return (kind, min(len(rest), 2))
    if not isinstance(kind, str):
        return tuple(_outline(part) for part in value)
    return (kind, *(_outline(part) for part in rest if isinstance(part, tuple) and part[:1] != ("state",)))


def has_state(value: Any) -> bool:
    """Return whether a canonical value is that of an object with attributes."""
    return (
        type(value) is tuple and len(value) > 1 and type(value[0]) is str
        and type(value[-1]) is tuple and value[-1][:1] == ("state",)
        # Otherwise the word was a string of the code under test.
        and all(type(item) is tuple and len(item) == 2 for item in value[-1][1:])
    )  # fmt: skip


def attributes(value: Any) -> Iterator[Attribute]:
    """Yield all attributes that occur in a canonical value."""
    if type(value) is not tuple or not value:
        return
    if has_state(value):
        yield from ((value[0], item[0]) for item in value[-1][1:])
    for part in value:
        yield from attributes(part)


def atoms(value: Canonical, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the attributes of a canonical object with nested ones as paths; anything else counts as one value."""
    if has_state(value):
        for name, held in value[-1][1:]:
            yield from atoms(held, f"{path}.{name}" if path else name)
        if len(value) > 2:
            yield (path or "content", value[1:-1])
    elif path:
        yield (path, value)
    elif value is not None:
        yield ("content", value)
