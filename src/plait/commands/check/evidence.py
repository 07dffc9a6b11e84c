"""Whether a check that found nothing is a pass: what its calls did, and what kept it from testing more.

The rule, in `docs/check.md`: a pass needs calls that returned and threads that touched something together. A method
that raised in nine of ten calls is not tested, with none of its pairs: at least half of the pairs must be left. A
method without arguments that always raises `TypeError` or `AttributeError` says that the object was built from the
wrong parts.
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

_NAMED = 6  # methods in one sentence
_SELDOM = 10  # a method that returned in fewer than one of so many calls is not tested
_OPTIONAL = ("NotImplementedError", "io.UnsupportedOperation")  # what is not there cannot be tested
_MISUSE = ("TypeError", "AttributeError")
LEFT_OPEN = ", which nothing gives it: left to subclasses"
"""What follows the error of a method that no instance of the class itself can do."""


@dataclass(frozen=True, slots=True)
class Alone:
    """What calling each method by itself, in one thread, has shown. Plain data: it comes from a worker."""

    starters: frozenset[str] = frozenset()  # methods that start threads
    called: Mapping[str, int] = field(default_factory=dict)
    returned: Mapping[str, int] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)
    in_c: frozenset[str] = frozenset()  # methods whose code plait cannot look into
    invariant: str = ""  # what is wrong with the invariant of the settings for an object nobody has touched
    built: str = ""  # how the object was built
    recipe: str = ""  # where that is written down, if it is
    recipe_imports: tuple[str, ...] = ()
    prepared: Mapping[str, Test] = field(default_factory=dict)  # of methods that raised at first: calls that return
    endless: Mapping[str, str] = field(default_factory=dict)  # methods whose calls had no end, with one of them


@dataclass(frozen=True, slots=True)
class Conclusion:
    """``reason`` says why there is no verdict, empty for a pass; ``notes`` what a pass does not cover."""

    reason: str
    notes: tuple[str, ...]
    methods: dict[str, CallRow]


def conclude(interface: Interface, hints: Hints, alone: Alone, evidence: Evidence) -> Conclusion:
    """Return what a search without findings amounts to, and how often each method was called and returned."""
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
    if not reason and (absent := [name for name in rows if is_left_open(rows[name])]):
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
    """Return why tests in which no two threads touched the same thing are no evidence; empty if they are."""
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
    """Return whether a method raised in at least nine of ten calls.

    A condition's `notify` returns once or twice, where another call happened to take the lock before: no evidence.
    """
    return bool(row["called"] > _SELDOM * (row["returned"] + row["waited"]))


def _told(row: Mapping[str, Any]) -> CallRow:
    """Return a row as the result file has it: an error is worth a word where nothing ever returned."""
    told: CallRow = {"called": row["called"], "returned": row["returned"], "returned_together": row["together"]}
    if row["error"] and not row["returned"]:
        told["error"] = row["error"]
    return told


def _pairs(methods: int) -> int:
    return methods * (methods + 1) // 2


def _is_misbuilt(name: str, interface: Interface, rows: Mapping[str, Mapping[str, Any]]) -> bool:
    """Return whether a method fails in the way of a wrong argument although it has none: the object is to blame.

    Not if it is the method that gives its own class too little to build another one, as what is inherited of dict may.
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
    """Return whether a method says something about how much of the class was tested.

    Operators do only where there is nothing else; methods of what others hand out do not, nor does what says that it is
    not implemented or what is left to subclasses.
    """
    special = "()." in name or (name.startswith("__") and any(not each.startswith("__") for each in rows))
    absent = (not row["returned"] and row["error"].startswith(_OPTIONAL)) or is_left_open(row)
    return row["called"] > 0 and not special and not absent


def is_left_open(row: Mapping[str, Any]) -> bool:
    """Return whether no instance of the class itself can do what a method asks of it."""
    return not row["returned"] and bool(row["error"].endswith(LEFT_OPEN))


def raised(names: Sequence[str], rows: Mapping[str, Mapping[str, Any]]) -> str:
    """Return which methods raised what, most of them on one line."""
    shown = [f"`{name}` {rows[name]['error'] or 'raised'}" for name in names[:_NAMED]]
    return "; ".join(shown) + (f"; and {len(names) - _NAMED} more" if len(names) > _NAMED else "")


def remedy(interface: Interface, names: Sequence[str], rows: Mapping[str, Mapping[str, Any]], alone: Alone) -> str:
    """Return what to write into the settings: values for the methods' parameters, or how to build the object."""
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
