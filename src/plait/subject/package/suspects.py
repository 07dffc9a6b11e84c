"""Suspects: places that may be unsafe for threads, by source text alone. They rank what to test, and are no verdict."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from plait.subject.package.facts import CHANGE, READ, WRITE, ClassFacts, FunctionFacts, ModuleFacts, Use

_MIXED, _LOST, _TESTED, _WALKED, _ORDER, _WAIT, _PLAIN = 6.0, 3.0, 3.0, 3.0, 6.0, 5.0, 1.0


@dataclass(frozen=True, slots=True)
class Suspect:
    """A place that may be unsafe. ``score`` orders suspects; ``methods`` are those that may disturb each other."""

    score: float
    what: str
    module: str
    line: int
    methods: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "score": self.score, "what": self.what, "module": self.module, "line": self.line,
            "methods": list(self.methods),
        }  # fmt: skip


def class_suspects(module: str, facts: ClassFacts) -> list[Suspect]:
    """Return the suspects in one object that threads share, the worst first."""
    by_state: dict[str, list[tuple[FunctionFacts, Use]]] = defaultdict(list)
    for function, use in facts.later_uses():
        if use.state not in facts.local:
            by_state[use.state].append((function, use))
    found = [each for state, uses in by_state.items() for each in _of_state(module, state, uses)]
    found += _of_orders(module, facts.functions.values())
    for function in facts.functions.values():
        for line in function.careless_waits:
            what = f"{function.name} waits for a condition without a loop: it may be woken up for nothing"
            found.append(Suspect(_WAIT, what, module, line, (function.name,)))
    return sorted(found, key=lambda each: (-each.score, each.line, each.what))


def module_suspects(facts: ModuleFacts) -> list[Suspect]:
    """Return the suspects in the names at the top of a module, the worst first."""
    by_state: dict[str, list[tuple[FunctionFacts, Use]]] = defaultdict(list)
    functions = [*facts.functions.values(), *(each for owner in facts.classes.values() for each in
                                              owner.functions.values())]  # fmt: skip
    for function in functions:
        for use in function.uses:
            if use.state in facts.state or ("." in use.state and not use.state.startswith("self.")):
                by_state[use.state].append((function, use))
    found = [each for state, uses in by_state.items() for each in _of_state(facts.name, state, uses)]
    found += _of_orders(facts.name, facts.functions.values())
    return sorted(found, key=lambda each: (-each.score, each.line, each.what))


def _of_state(module: str, state: str, uses: Sequence[tuple[FunctionFacts, Use]]) -> list[Suspect]:
    """Return the suspects in one attribute or name: at most one of each kind."""
    writes = [(function, use) for function, use in uses if use.mode != READ]
    if not writes:
        return []
    found = []
    open_writes = [(function, use) for function, use in writes if not use.locks]
    locked = [use for _, use in uses if use.locks]
    lock = _most_used(locked) if locked else ""
    beside = [(function, use) for function, use in uses if lock and lock not in use.locks and _meets(use, writes)]
    if beside:
        function, use = beside[0]
        what = f"{function.name} touches {state} without {lock}, which others hold"
        found.append(Suspect(_MIXED, what, module, use.line, _names(uses)))
    changes = [(function, use) for function, use in open_writes if use.mode == CHANGE]
    if changes:
        function, use = changes[0]
        what = f"{function.name} reads and changes {state} in steps, without a lock"
        found.append(Suspect(_LOST, what, module, use.line, _names(uses)))
    for function, use in open_writes:
        earlier = [one for other, one in uses if other is function and one.tested and one.line <= use.line]
        if earlier:
            what = f"{function.name} tests {state} and acts on it later, without a lock"
            found.append(Suspect(_TESTED, what, module, earlier[0].line, _names(uses)))
            break
    walks = [(function, use) for function, use in uses if use.walked and use.mode == READ]
    if walks and open_writes:
        function, use = walks[0]
        what = f"{function.name} iterates over {state}, which {open_writes[0][0].name} changes"
        found.append(Suspect(_WALKED, what, module, use.line, _names(uses)))
    if open_writes and not found:
        function, use = open_writes[0]
        what = f"{function.name} writes {state} without a lock"
        found.append(Suspect(_PLAIN, what, module, use.line, _names(uses)))
    return found


def _meets(use: Use, writes: Iterable[tuple[FunctionFacts, Use]]) -> bool:
    """Return whether an access and a write may happen at the same time: they hold no lock together."""
    return any(not (use.locks & write.locks) for _, write in writes)


def _most_used(uses: Iterable[Use]) -> str:
    counted: dict[str, int] = defaultdict(int)
    for use in uses:
        for lock in use.locks:
            counted[lock] += 1
    return max(sorted(counted), key=counted.__getitem__)


def _names(uses: Iterable[tuple[FunctionFacts, Use]]) -> tuple[str, ...]:
    return tuple(sorted({function.name for function, _ in uses}))


def _of_orders(module: str, functions: Iterable[FunctionFacts]) -> list[Suspect]:
    """Return pairs of locks that are taken in both orders."""
    seen: dict[tuple[str, str], tuple[str, int]] = {}
    found = []
    for function in functions:
        for outer, inner, line in function.orders:
            seen.setdefault((outer, inner), (function.name, line))
            other = seen.get((inner, outer))
            if other is not None:
                what = f"{function.name} takes {outer}, then {inner}; {other[0]} takes them the other way round"
                found.append(Suspect(_ORDER, what, module, line, tuple(sorted({function.name, other[0]}))))
    return found


def changes_after_import(facts: ModuleFacts) -> list[dict[str, Any]]:
    """Return the names at the top of a module, and class attributes, that functions change after import."""
    rows: dict[str, dict[str, Any]] = {}
    functions = [(name, each) for name, each in facts.functions.items()]
    functions += [(f"{owner.name}.{name}", each) for owner in facts.classes.values()
                  for name, each in owner.functions.items()]  # fmt: skip
    for name, function in functions:
        for use in function.uses:
            is_class = use.state.startswith("cls.")
            if use.mode in (WRITE, CHANGE) and (is_class or use.state in facts.state):
                state = use.state if not is_class else f"{name.rpartition('.')[0]}.{use.state[4:]}"
                row = rows.setdefault(state, {"name": state, "module": facts.name, "line": use.line, "by": [],
                                              "locked": True})  # fmt: skip
                row["locked"] = row["locked"] and bool(use.locks)
                if name not in row["by"]:
                    row["by"].append(name)
    return sorted(rows.values(), key=lambda row: (row["locked"], row["name"]))
