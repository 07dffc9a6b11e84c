"""Runs calls one after another, and reports to a generator how each went."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import CodeType
from typing import ClassVar

from plait.explore.runner import execute
from plait.generate.outcome import CallOutcome, is_absent, made_text
from plait.model.foreign import exception_text, short_name, traceback_of
from plait.model.test import Call, Test
from plait.observe.canonical import canonical, exception_name
from plait.run.endings import OWN, RAISED, EndlessError, SetupBlockedError, memory_is_exhausted, patience
from plait.run.engine import ENGINE
from plait.run.testbed import namespace

_MAX_CACHED = 20_000  # calls whose outcomes are cached at most
ALONE_S = 1.0  # of processor time for a call that nothing disturbs; a longer one counts as endless


_PARTS = 4  # the time is measured in so many parts
# Frames below a call from which on a `RecursionError` counts as runaway recursion, not as one that the class raises.
_DEEP = 200
_FRAMES = 12  # frames that tell where a call raised
# Runaway recursions of a method after which it is not called any more: a single one may come from its argument.
_RECURSIONS = 3


class KnownCalls:
    """What sequential runs in this process have shown, for one state of the modules under test.

    Runs form a tree of calls. A node stands for a run up to a call and is named by a number; the root stands for a list
    of imports. A node stores the outcome of its call, and a digest of the state in which the receiver was left. So
    whether a call changes the receiver is known without inspecting the state before it, and a run whose calls are all
    known is not repeated.
    """

    def __init__(self, spaces: dict[tuple[str, ...], dict[str, object]] | None = None) -> None:
        self.spaces: dict[tuple[str, ...], dict[str, object]] = {} if spaces is None else spaces
        self.roots: dict[tuple[str, ...], int] = {}
        self.nodes: dict[tuple[int, str], tuple[int, CallOutcome, int]] = {}  # number, outcome, digest

    def root(self, imports: tuple[str, ...]) -> int:
        """Return the node before the first call."""
        return self.roots.setdefault(imports, -1 - len(self.roots))

    def add(self, node: int, call: Call, outcome: CallOutcome, digest: int) -> int:
        """Record how a call went after a node; return the node after it."""
        before = self.nodes.get((node, call.source))
        number = len(self.nodes) if before is None else before[0]
        self.nodes[node, call.source] = (number, outcome, digest)
        return number

    def recall(self, test: Test) -> list[CallOutcome] | None:
        """Return the outcomes of a test if all of them are known, otherwise None."""
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
    """Return whether no further call is made after this one."""
    return outcome.status in ("blocked", "endless") or (outcome.status == "raised" and not number)


class SequentialRunner:
    """Implements `plait.generate.outcome.RunSequentially` over the code under test, with quiet hooks and virtual time.

    All runners of a process that are not ``apart`` share their results.
    """

    announce: ClassVar[Callable[[Test], None] | None] = None  # called with each test before it runs
    endless: ClassVar[dict[str, str]] = {}  # methods with an endless call, and that call; they are not called again
    ends: ClassVar[dict[str, frozenset[str]]] = {}  # for some of these: methods after whose calls they end
    trying: ClassVar[str] = ""  # a method that is called although it was endless before
    recursions: ClassVar[Counter[str]] = Counter()  # by method: calls with runaway recursion, or without an end
    listener: ClassVar[Callable[[Test, object], None] | None] = None  # called with what the generator gets to know
    _shared: ClassVar[tuple[object, KnownCalls]] = (
        None,
        KnownCalls(),
    )  # the state of the modules, and what is known about it

    def __init__(self, *, apart: bool = False) -> None:
        self._apart = apart
        self._own = KnownCalls()
        self._told: set[Test] = set()

    def __reduce__(self) -> tuple[type[SequentialRunner], tuple[()]]:
        """Pickle without the caches: a generator is sent to other processes."""
        return (SequentialRunner, ())

    def __call__(self, test: Test) -> list[CallOutcome]:
        """Return one outcome per call that was made; see `RunSequentially`."""
        known = self._known()
        found = known.recall(test)
        if found is None:
            if len(known.nodes) >= _MAX_CACHED:
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
            if before is not None and before[1].status == outcome.status:  # it was run again only for its effects
                node, outcome, digest = before
            else:
                if outcome.status == "ok":
                    now = hash(canonical(values.get(receiver))) if receiver is not None else 0
                    outcome = replace(outcome, changed=number > 0 and now != digest, state=now)
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
        """Make one call; whether it changed anything is found out later."""
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
            lines = _lines(error)
            return CallOutcome(
                "raised", name, text, waited=waited, absent=is_absent(error), line=lines[0] if lines else 0,
                place=".".join(map(str, lines)),
            )  # fmt: skip
        if call.result is not None:
            values[call.result] = result
        threads = len(ENGINE.threads) > 1
        waited, made = main.waits > before, made_text(result)
        return CallOutcome("ok", result=short_name(type(result)), waited=waited, threads=threads, made=made)

    def _may_end(self, call: Call, behind: Sequence[Call]) -> bool:
        """Return whether a call of an endless method may end after these calls."""
        needed = self.ends.get(call.method)
        known = needed is not None and needed <= {each.method for each in behind}
        same = not needed and call.expression == self.endless[call.method]  # other arguments are what it needs
        return (known and not same) or call.method == SequentialRunner.trying

    def _without_end(self, call: Call, number: int, least: int = 1) -> CallOutcome:
        """Return the outcome of an endless call; after ``least`` of them the method is not called any more."""
        if not number:
            return CallOutcome("raised", "RecursionError")
        self.recursions[call.method] += 1
        if self.recursions[call.method] >= least:
            self.endless[call.method] = call.expression
        return CallOutcome("endless")

    @classmethod
    def left_out(cls) -> list[str]:
        """Return one line for each method that is not called any more, with the reason."""
        return [
            f"`{call}` does not end in one thread, which is no matter of thread safety: {name} is left out"
            for name, call in cls.endless.items()
            if name not in cls.ends
        ]


def _is_deep(error: BaseException) -> bool:
    """Return whether an exception comes from far below, unlike a `RecursionError` that the code raises itself."""
    depth, trace = 0, traceback_of(error)
    while trace is not None and depth < _DEEP:
        depth, trace = depth + 1, trace.tb_next
    return depth >= _DEEP


def _lines(error: BaseException) -> list[int]:
    """Return the lines at which a call raised: in the method itself first, then in what that called."""
    found: list[int] = []
    trace = traceback_of(error)
    while trace is not None and len(found) < _FRAMES:
        if found or trace.tb_frame.f_code.co_filename != __file__:
            found.append(trace.tb_lineno)
        trace = trace.tb_next
    return found[1:]  # the first one is that of the call


def _evaluated(text: str, space: dict[str, object], values: dict[str, object]) -> object:
    code, is_expression = _compiled(text)
    if is_expression:
        return eval(code, space, values)
    exec(code, space, values)
    return None


@functools.lru_cache(maxsize=4096)
def _compiled(text: str) -> tuple[CodeType, bool]:
    """Return the code of a call, and whether it is an expression. Cached, because the same calls recur."""
    try:
        return compile(text, "<call>", "eval"), True
    except SyntaxError:
        return compile(text, "<string>", "exec"), False
