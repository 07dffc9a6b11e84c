"""Runs calls one after another and tells a generator how each went."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import CodeType
from typing import ClassVar

from plait.explore.runner import execute
from plait.generate.outcome import CallOutcome, is_absent
from plait.model.foreign import exception_text, short_name
from plait.model.test import Call, Test
from plait.observe.canonical import canonical, exception_name
from plait.run.endings import OWN, RAISED, EndlessError, SetupBlockedError, memory_is_exhausted, patience
from plait.run.engine import ENGINE
from plait.run.testbed import namespace

MAX_CACHED = 20_000  # calls behind others whose outcome is kept
ALONE_S = 1.0  # of processor time for a call that nothing disturbs, after which it counts as one without an end


_PARTS = 4  # of that time by which it is counted
_DEEP = 200  # frames below a call, from which on a `RecursionError` is the interpreter's and not the class's own
_RECURSIONS = 3  # calls of a method that went so deep, after which none is made: one may be the fault of its argument


class KnownCalls:
    """What sequential runs of this process have shown, of one state of the modules under test.

    Runs are a tree of calls: a node is a run up to a call, named by a number; the first one is of an import list. Of a
    node is known how its call went and, as a digest, the state that the receiver was left in. Whether a call changes
    the receiver can so be told without a look at the states before it, and what is known to its end is not run.
    """

    def __init__(self, spaces: dict[tuple[str, ...], dict[str, object]] | None = None) -> None:
        self.spaces: dict[tuple[str, ...], dict[str, object]] = {} if spaces is None else spaces
        self.roots: dict[tuple[str, ...], int] = {}
        self.nodes: dict[tuple[int, str], tuple[int, CallOutcome, int]] = {}  # its number, the outcome, the digest

    def root(self, imports: tuple[str, ...]) -> int:
        """Return the node before the first call."""
        return self.roots.setdefault(imports, -1 - len(self.roots))

    def add(self, node: int, call: Call, outcome: CallOutcome, digest: int) -> int:
        """Note how a call went behind a node; returns the node behind it."""
        before = self.nodes.get((node, call.source))
        number = len(self.nodes) if before is None else before[0]
        self.nodes[node, call.source] = (number, outcome, digest)
        return number

    def recall(self, test: Test) -> list[CallOutcome] | None:
        """Return the outcomes of a test if all of them are known."""
        node = self.root(test.imports)
        found: list[CallOutcome] = []
        for number, call in enumerate(test.prefix):
            known = self.nodes.get((node, call.source))
            if known is None:
                return None
            node, outcome, _digest = known
            found.append(outcome)
            if _ends(outcome, number):
                break
        return found


def _ends(outcome: CallOutcome, number: int) -> bool:
    """Return whether no call behind this one is made."""
    return outcome.status in ("blocked", "endless") or (outcome.status == "raised" and not number)


class SequentialRunner:
    """`plait.generate.outcome.RunSequentially` over the code under test, with quiet hooks and virtual time.

    All runners of a process that are not ``apart`` share what they have seen.
    """

    announce: ClassVar[Callable[[Test], None] | None] = None  # told what runs before it runs
    endless: ClassVar[dict[str, str]] = {}  # methods whose calls had no end, with one of them; they are not made again
    ends: ClassVar[dict[str, frozenset[str]]] = {}  # of these: calls behind which they end, if all of them are made
    trying: ClassVar[str] = ""  # a method that is called although it has had no end
    recursions: ClassVar[Counter[str]] = Counter()  # calls of each method that called themselves without an end
    listener: ClassVar[Callable[[Test, object], None] | None] = None  # told what the generator gets to know
    _shared: ClassVar[tuple[object, KnownCalls]] = (
        None,
        KnownCalls(),
    )  # the state of the modules, and what is known of it

    def __init__(self, *, apart: bool = False) -> None:
        self._apart = apart
        self._own = KnownCalls()
        self._told: set[Test] = set()

    def __reduce__(self) -> tuple[type[SequentialRunner], tuple[()]]:
        """Leave out what was cached: a generator travels between processes."""
        return (SequentialRunner, ())

    def __call__(self, test: Test) -> list[CallOutcome]:
        """Return one outcome per call that was made; see `RunSequentially`."""
        known = self._known()
        found = known.recall(test)
        if found is None:
            if len(known.nodes) >= MAX_CACHED:
                known.nodes.clear()
            found = []
            announce = type(self).announce
            if announce is not None:
                announce(test)
            outcomes = found
            execute(lambda: self._run(test, outcomes, known))
        listener = type(self).listener
        if listener is not None and test not in self._told:
            self._told.add(test)
            listener(test, found)
        return found

    def _known(self) -> KnownCalls:
        modules = ENGINE.modules
        if self._apart or modules is None:
            return self._own
        state = (modules, ENGINE.any_timeouts)
        if SequentialRunner._shared[0] != state:
            SequentialRunner._shared = (state, KnownCalls())
        return SequentialRunner._shared[1]

    def _run(self, test: Test, found: list[CallOutcome], known: KnownCalls) -> Sequence[Callable[[], object]]:
        space = known.spaces.get(test.imports)
        if space is None:
            space = known.spaces[test.imports] = namespace(test.imports)
        values: dict[str, object] = {}
        receiver = test.prefix[0].result if test.prefix else None
        node, digest = known.root(test.imports), 0

        def goes_on(number: int, call: Call) -> bool:
            nonlocal node, digest
            before = known.nodes.get((node, call.source))
            outcome = self._perform(call, test.prefix[:number], space, values)
            if before is not None and before[1].status == outcome.status:  # made again for what it leaves behind
                node, outcome, digest = before
            else:
                if outcome.status == "ok":
                    now = hash(canonical(values.get(receiver))) if receiver is not None else 0
                    outcome = replace(outcome, changed=number > 0 and now != digest)
                    digest = now
                node = known.add(node, call, outcome, digest)
            found.append(outcome)
            return not _ends(outcome, number)

        if test.prefix and goes_on(0, test.prefix[0]) and len(test.prefix) > 1:
            with patience(ALONE_S, _PARTS) as guard:
                for number, call in enumerate(test.prefix[1:], 1):
                    guard.renew()
                    if not goes_on(number, call):
                        break
        return []

    def _perform(
        self, call: Call, behind: Sequence[Call], space: dict[str, object], values: dict[str, object]
    ) -> CallOutcome:
        """Make one call; whether it has changed anything is not known yet."""
        number = len(behind)
        main = ENGINE.main
        before = main.waits
        ENGINE.time.lapses = 0
        if number and call.method in self.endless and not self._may_end(call, behind):
            return CallOutcome("endless")
        try:
            result = _evaluated(call.expression, space, values)
        except EndlessError:
            return self._without_end(call, number)
        except SetupBlockedError:
            return CallOutcome("blocked", waited=True)
        except OWN:
            raise
        except RAISED as error:
            if isinstance(error, MemoryError) and memory_is_exhausted():
                raise  # nothing that runs after it can be trusted
            if isinstance(error, RecursionError) and _is_deep(error):
                return self._without_end(call, number, least=_RECURSIONS)
            waited = main.waits > before
            name, text = exception_name(error), exception_text(error)[:200]
            return CallOutcome("raised", name, text, waited=waited, absent=is_absent(error))
        if call.result is not None:
            values[call.result] = result
        threads = len(ENGINE.threads) > 1
        return CallOutcome("ok", result=short_name(type(result)), waited=main.waits > before, threads=threads)

    def _may_end(self, call: Call, behind: Sequence[Call]) -> bool:
        """Return whether a call of a method that has had no end may have one behind these calls."""
        needed = self.ends.get(call.method)
        known = needed is not None and needed <= {each.method for each in behind}
        return known or call.method == SequentialRunner.trying

    def _without_end(self, call: Call, number: int, least: int = 1) -> CallOutcome:
        """Return the outcome of a call without an end; from so many of a method on it is left out."""
        if not number:
            return CallOutcome("raised", "RecursionError")
        self.recursions[call.method] += 1
        if self.recursions[call.method] >= least:
            self.endless[call.method] = call.expression
        return CallOutcome("endless")

    @classmethod
    def left_out(cls) -> list[str]:
        """Say which methods are not called, and why."""
        return [
            f"`{call}` does not end in one thread, which is no matter of thread safety: {name} is left out"
            for name, call in cls.endless.items()
            if name not in cls.ends
        ]


def _is_deep(error: BaseException) -> bool:
    """Return whether an exception comes from far below: code that raises `RecursionError` itself does not."""
    depth, trace = 0, error.__traceback__
    while trace is not None and depth < _DEEP:
        depth, trace = depth + 1, trace.tb_next
    return depth >= _DEEP


def _evaluated(text: str, space: dict[str, object], values: dict[str, object]) -> object:
    code, is_expression = _compiled(text)
    if is_expression:
        return eval(code, space, values)
    exec(code, space, values)
    return None


@functools.lru_cache(maxsize=4096)
def _compiled(text: str) -> tuple[CodeType, bool]:
    """Return the code of a call, and whether it has a value; the same calls come again and again."""
    try:
        return compile(text, "<call>", "eval"), True
    except SyntaxError:
        return compile(text, "<string>", "exec"), False
