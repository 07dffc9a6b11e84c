"""Decides whether a check without findings is a pass: what its calls did, and what kept it from testing more.

The rule, in `docs/check.md`: a pass needs calls that returned, and threads that touched something in common. A method
that raised in nine of ten calls is not tested, and neither are its pairs; at least half of the pairs must be left. If a
method without arguments always raises `TypeError` or `AttributeError`, the object was built from wrong parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from plait.generate.catalogue import Hints
from plait.judge.oracle.evidence import RAISED, RETURNED, WAITED, Evidence
from plait.model.command_results import CallRow
from plait.model.test import Test
from plait.subject.interface.members import Interface, Method

_NAMED = 6  # methods named in one sentence
_SELDOM = 10  # a method is not tested if fewer than one in so many calls returned
_OPTIONAL = ("NotImplementedError", "io.UnsupportedOperation")  # a feature that does not exist cannot be tested
_MISUSE = ("TypeError", "AttributeError")
LEFT_OPEN = ", which nothing gives it: left to subclasses"
"""Ends the error of a method that no instance of the class itself can perform."""


@dataclass(frozen=True, slots=True)
class Alone:
    """What calls of each method by itself, in one thread, have shown. Plain data, because it comes from a worker."""

    starters: frozenset[str] = frozenset()  # methods that start threads
    called: Mapping[str, int] = field(default_factory=dict)
    returned: Mapping[str, int] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)
    in_c: frozenset[str] = frozenset()  # methods written in C, in which plait cannot switch threads
    invariant: str = ""  # why the invariant of the settings is wrong already for a fresh object
    built: str = ""  # how the object was built
    recipe: str = ""  # where that is written, if it was taken from the project
    recipe_imports: tuple[str, ...] = ()
    # By method that raised at first: calls after which it returns.
    prepared: Mapping[str, Test] = field(default_factory=dict)
    endless: Mapping[str, str] = field(default_factory=dict)  # methods with an endless call, and that call


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The conclusion of a search without findings.

    ``reason`` says why there is no verdict, and is empty for a pass; ``notes`` say what a pass does not cover.
    """

    reason: str
    notes: tuple[str, ...]
    methods: dict[str, CallRow]


def conclude(interface: Interface, hints: Hints, alone: Alone, evidence: Evidence) -> Conclusion:
    """Return the conclusion of a search without findings, with the calls and returns of each method."""
    names = [each.name for each in interface.methods if not hints.leaves_out(each.name)]
    rows = {name: _row(name, alone, evidence) for name in dict.fromkeys(names)}
    tried = [name for name in rows if counts(name, rows[name], rows)]
    failing = [name for name in tried if not rows[name]["returned"] and not rows[name]["waited"]]
    seldom = [name for name in tried if _hardly_returns(rows[name])]
    notes: list[str] = []
    if alone.invariant:
        reason = f"the invariant of the settings {alone.invariant}: correct `invariant` under [tool.plait]"
    elif tried and 2 * _pairs(len(tried) - len(seldom)) < _pairs(len(tried)):
        said = f"{len(seldom)} of {len(tried)} methods" if len(seldom) < len(tried) else "all methods"
        often = "always" if len(seldom) == len(failing) else "almost always"
        reason = f"{said} {often} raised: {raised(seldom, rows)}. {remedy(interface, seldom, rows, alone)}"
    elif broken := [name for name in failing if _is_misbuilt(name, interface, rows)]:
        said = "the object seems to be built from the wrong parts"
        reason = f"{said}: {raised(broken, rows)}. {_factory(alone, broken)}"
    elif evidence.tests and not any(how != RAISED for _name, how in evidence.calls):
        every = sorted({name for name, _how in evidence.calls})
        reason = f"every call in a thread raised: {raised(every, rows)}. {remedy(interface, every, rows, alone)}"
    elif evidence.tests and not evidence.met:
        reason = _nothing_shared(interface, names, alone, evidence, notes)
    elif names and set(names) <= alone.in_c:
        reason = _IN_C.format(interface.subject)
    else:
        reason = ""
    if not reason and (absent := [name for name in rows if _is_left_open(rows[name])]):
        notes.append(f"not tested, for only subclasses can do it: {raised(absent, rows)}")
    if not reason and failing:
        notes.append(f"never returned, so not tested: {raised(failing, rows)}. "
                     f"{remedy(interface, failing, rows, alone)}")  # fmt: skip
    return Conclusion(reason, tuple(notes), {name: _told(row) for name, row in rows.items()})


_IN_C = (
    "all methods of {} are written in C, its own or inherited; plait cannot switch threads there: each call runs as "
    "one step. Check the Python class that uses it, or use --schedule native"
)


def _nothing_shared(
    interface: Interface, names: Sequence[str], alone: Alone, evidence: Evidence, notes: list[str]
) -> str:
    """Return why tests in which no two threads touched the same thing are no evidence; empty if they are evidence."""
    if names and set(names) <= alone.in_c:
        return _IN_C.format(interface.subject)
    if not evidence.touched:
        notes.append("its calls touch nothing that threads could share: they cannot disturb each other")
        return ""
    return (
        "no two threads ever touched the same thing: each call kept to itself. Give `factories` and `values` under "
        "[tool.plait] that make calls meet, such as the same key or object in several calls"
    )


def _row(name: str, alone: Alone, evidence: Evidence) -> dict[str, Any]:
    together = Counter({how: count for (method, how), count in evidence.calls.items() if method == name})
    error = alone.errors.get(name, "")
    return {
        "called": alone.called.get(name, 0) + sum(together.values()),
        "returned": alone.returned.get(name, 0) + together[RETURNED],
        "waited": together[WAITED], "together": together[RETURNED],
        "error": error if error.endswith(LEFT_OPEN) else evidence.errors.get(name, error),
    }  # fmt: skip


def _hardly_returns(row: Mapping[str, Any]) -> bool:
    """Return whether a method raised in more than nine of ten calls.

    The `notify` of a condition, for example, returns once or twice, if another call happens to hold the lock.
    """
    return bool(row["called"] > _SELDOM * (row["returned"] + row["waited"]))


def _told(row: Mapping[str, Any]) -> CallRow:
    """Return a row for the result file. It includes an error only if no call returned."""
    told: CallRow = {"called": row["called"], "returned": row["returned"], "returned_together": row["together"]}
    if row["error"] and not row["returned"]:
        told["error"] = row["error"]
    return told


def _pairs(methods: int) -> int:
    return methods * (methods + 1) // 2


def _is_misbuilt(name: str, interface: Interface, rows: Mapping[str, Mapping[str, Any]]) -> bool:
    """Return whether a method without parameters fails as if an argument were wrong: the object was built wrongly.

    That does not apply to a method which itself builds another object of its class from too little, as methods
    inherited from dict may.
    """
    asked = [each for each in interface.methods if each.name == name and each.parameters]
    error = str(rows[name]["error"])
    builds = f"{interface.subject.rpartition(':')[2].rpartition('.')[2]}.__init__()" in error
    return not asked and error.startswith(_MISUSE) and not builds


def _factory(alone: Alone, names: Sequence[str]) -> str:
    built = f" (it was built by `{alone.built}`)" if alone.built else ""
    left = ", ".join(f'"{name}"' for name in names[:3])
    return (
        f"Say how to build one{built}: factories = [...] under [tool.plait] in pyproject.toml; or leave methods out: "
        f"exclude = [{left}]"
    )


def counts(name: str, row: Mapping[str, Any], rows: Mapping[str, Any]) -> bool:
    """Return whether a method counts for how much of the class was tested.

    Operators count only if there is nothing else. Methods of objects that other methods return do not count, nor do
    methods that are not implemented or left to subclasses.
    """
    special = "()." in name or (name.startswith("__") and any(not each.startswith("__") for each in rows))
    absent = (not row["returned"] and row["error"].startswith(_OPTIONAL)) or _is_left_open(row)
    return row["called"] > 0 and not special and not absent


def _is_left_open(row: Mapping[str, Any]) -> bool:
    """Return whether no instance of the class itself can perform a method."""
    return not row["returned"] and bool(row["error"].endswith(LEFT_OPEN))


def raised(names: Sequence[str], rows: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the methods with their errors, as one sentence of limited length."""
    shown = [f"`{name}` {rows[name]['error'] or 'raised'}" for name in names[:_NAMED]]
    return "; ".join(shown) + (f"; and {len(names) - _NAMED} more" if len(names) > _NAMED else "")


def remedy(interface: Interface, names: Sequence[str], rows: Mapping[str, Mapping[str, Any]], alone: Alone) -> str:
    """Return what to add to the settings: values for the methods' parameters, or how to build the object."""
    methods: dict[str, Method] = {each.name: each for each in interface.methods}
    asked = [
        each.name for name in names if name in methods for each in methods[name].parameters
        if each.required and each.kind in ("positional", "positional-only", "keyword")
    ]  # fmt: skip
    same = len({rows[name]["error"] for name in names if name in rows}) == 1 and len(names) > 1
    if same or not asked:
        return _factory(alone, names)
    common = [name for name, _count in Counter(asked).most_common(3)]
    values = ", ".join(f"{name} = [...]" for name in common)
    return (
        f"Give arguments that fit: values = {{ {values} }} under [tool.plait] in pyproject.toml; or say how to build "
        f"one (it was built by `{alone.built}`): factories = [...]"
    )
