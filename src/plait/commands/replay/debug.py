"""`plait replay --pdb`: the schedule again, with a stop before each of the conflicting accesses.

The session has a process of its own, with the terminal and the guard rails of a worker. When the debugger stops, the
thread stands right before the access; all others are held where the schedule has them, and stay there while the
debugger is asked: what is evaluated at its prompt runs without any switch.
"""

from __future__ import annotations

import os
import pdb  # noqa: T100 - it is the point of this file
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Collection
from pathlib import Path
from types import FrameType
from typing import Any

import plait
from plait.commands.replay.worker import ReplayOrder
from plait.errors import UsageError
from plait.explore.runner import execute, model
from plait.explore.scripted import Scripted
from plait.judge.oracle.explain import record_schedule, relevant
from plait.judge.oracle.safety import Examination
from plait.judge.oracle.specification import observe
from plait.judge.oracle.standing import standing_lines
from plait.judge.words import shown_result
from plait.observe.places import location, owners, place
from plait.observe.recording import Moment
from plait.run.engine import ENGINE, REDUNDANT, Engine
from plait.run.native.process import passed_on
from plait.run.operations import MODE_NAMES
from plait.run.vthread import FINISHED, VThread
from plait.subject.name import Subject
from plait.subject.versions.version import Version
from plait.workers import guard, state
from plait.workers.blackbox import BlackBox
from plait.workers.protocol import WorkerSpec

_PLAIT = str(Path(plait.__file__).resolve().parent)
UNUSABLE = 2


def debug(subject: Subject, version: Version, order: ReplayOrder, allow: tuple[str, ...], hook: Path | None) -> bool:
    """Start the session, with this process's terminal; whether the schedule still fits the code."""
    file = None if version.kind == "release" else subject.file
    roots = (version.root, *([hook.resolve().parent] if hook is not None else ()))
    spec = WorkerSpec(subject.module, subject.qualname, file, roots, tuple(version.extra), frozenset(allow))
    with tempfile.TemporaryDirectory(prefix="plait-") as folder:
        (Path(folder) / "order").write_bytes(pickle.dumps((spec, order)))
        sys.stdout.flush()
        command = [sys.executable, "-P", "-m", "plait.commands.replay.debug", folder]
        done = subprocess.run(command, check=False, env={**passed_on(os.environ, allow), "PYTHONHASHSEED": "0"})
    if done.returncode not in (0, 1):
        raise UsageError("the session ended early: see above")
    return done.returncode == 1


def _session(folder: Path) -> int:
    """Run the debugger, in the child process; return 1 if the schedule could be followed."""
    spec, order = pickle.loads((folder / "order").read_bytes())  # noqa: S301 - written by the parent, read by nobody else
    work = folder / "own" / "work"
    work.mkdir(parents=True)
    box = BlackBox(folder / "blackbox", create=True)
    state.use(spec, box)
    import readline  # noqa: F401, PLC0415 - the debugger's; native code is forbidden later

    guard.install_guard(spec, work, box)
    try:
        state.subject()
        order.check_imports()
        with state.world().entered():
            return _run(order)
    except UsageError as error:
        print(f"plait: {error}", file=sys.stderr)
        return UNUSABLE


def _run(order: ReplayOrder) -> int:
    examination = order.examination()
    violation, _lost = examination.replay(order.schedule)
    moments, pairs, _waiting = record_schedule(examination, order.schedule)
    pair = relevant(pairs, examination.bed, None if violation is None else violation.exception)
    stops = (pair.first, pair.second) if pair is not None else tuple(moments[-1:])
    strategy = Scripted(order.schedule)
    strategy.next_prefix()
    with model(schedule=order.schedule, recorder=Stops(stops, conflicting=pair is not None)):
        try:
            execute(examination.bed.prepare, (), strategy, finish=lambda: _end(examination))
        finally:
            sys.settrace(None)
    if strategy.lost is not None:
        print(f"The code has moved too far for this schedule: {strategy.lost}.")
    return 0 if strategy.lost is not None else 1


def _end(examination: Examination) -> None:
    sys.settrace(None)
    if ENGINE.status == REDUNDANT:
        return
    print("The execution is over:")
    results = zip(examination.bed.test.calls, observe(examination.bed).results, strict=True)
    for line in (*standing_lines(), *(f"{call.expression}: {shown_result(result)}" for call, result in results)):
        print(f"  {line}")


class Stops:
    """A recorder: the engine calls it before every access; it opens the debugger at the chosen ones."""

    def __init__(self, stops: Collection[Moment], *, conflicting: bool) -> None:
        self._waiting = [(each.step, each.thread, each.site.number) for each in stops]
        self._word = "conflicting access" if conflicting else "last step"
        self._total = len(stops)
        self._debugger: Debugger | None = None

    def __call__(self, engine: Engine, thread: VThread, loc: int, mode: int, site: int) -> None:
        """See `Engine.recorder`."""
        here = (engine.step - 1, thread.id, site)
        if here not in self._waiting:
            return
        self._waiting.remove(here)
        frame = _frame_of(sys._getframe(1))
        if frame is None:
            return
        sys.settrace(None)
        what = f"{MODE_NAMES[mode]} {location(engine, loc, owners(engine))}"
        number = "" if self._total == 1 else f" {self._total - len(self._waiting)} of {self._total}"
        print(f"{self._word}{number}: thread {thread.id} is about to {what}")
        self._debugger = self._debugger or Debugger()
        self._debugger.stop(engine, thread, frame)


def _frame_of(frame: FrameType | None) -> FrameType | None:
    """Return the innermost frame of the code under test."""
    while frame is not None and frame.f_code.co_filename.startswith((_PLAIT, "<frozen")):
        frame = frame.f_back
    return frame


class Debugger(pdb.Pdb):
    """pdb, with the other threads in view: ``threads`` lists them, ``thread N`` looks at one of them."""

    def __init__(self) -> None:
        super().__init__(skip=["plait.*", "greenlet.*"], nosigint=True)
        self.prompt = "(plait pdb) "
        self._engine: Engine | None = None
        self._thread: VThread | None = None
        self._frame: FrameType | None = None

    def stop(self, engine: Engine, thread: VThread, frame: FrameType) -> None:
        """Ask for commands now, with ``frame`` as the current one; afterwards go on as they say."""
        self._engine, self._thread, self._frame = engine, thread, frame
        self.reset()
        outer: FrameType | None = frame
        while outer is not None:
            outer.f_trace = self.trace_dispatch
            self.botframe = outer
            outer = outer.f_back
        self.set_step()
        sys.settrace(None)
        self.do_threads("")
        self.interaction(frame)
        goes_on = self.stopframe is self.botframe and not self.breaks
        sys.settrace(None if self.quitting or goes_on else self.trace_dispatch)

    def interaction(self, frame: FrameType | None, tb_or_exc: Any = None) -> None:
        """Ask for commands; what they evaluate is no step of the execution. ``quit`` ends it."""
        engine = self._engine
        assert engine is not None
        thread, engine.current, engine.held = engine.current, None, True
        try:
            super().interaction(frame, tb_or_exc)
        finally:
            engine.current, engine.held = thread, False
        if self.quitting and thread is not None:
            sys.settrace(None)
            engine.stop(REDUNDANT, thread)

    def get_stack(self, f: FrameType | None, t: Any) -> tuple[list[tuple[FrameType, int]], int]:
        """Return the stack without the frames of plait itself."""
        stack, index = super().get_stack(f, t)
        current = stack[index] if stack else None
        own = [entry for entry in stack if entry is current or not entry[0].f_code.co_filename.startswith(_PLAIT)]
        return own, own.index(current) if current is not None else index

    def do_threads(self, arg: str) -> None:
        """threads: where every thread stands, and what it holds up to here."""
        assert self._engine is not None
        for each in self._engine.threads[1:]:
            site = place(each.site)
            where = f"{Path(site.file).name}:{site.line} `{site.text}`"
            if each is self._thread:
                assert self._frame is not None
                code = self._frame.f_code
                where = f"{Path(code.co_filename).name}:{self._frame.f_lineno} in {code.co_qualname}, stopped here"
            elif each.state == FINISHED:
                where = "finished"
            else:
                where = f"held before {where}"
            self.message(f"  thread {each.id}: {where}")

    def do_thread(self, arg: str) -> None:
        """Thread N: look at the stack of a held thread; `thread` alone comes back to the stopped one."""
        assert self._engine is not None
        assert self._frame is not None
        frame: Any = self._frame
        if arg.strip():
            numbers = {str(each.id): each for each in self._engine.threads[1:] if each is not self._thread}
            chosen = numbers.get(arg.strip())
            frame = _frame_of(getattr(chosen.fiber, "gr_frame", None)) if chosen is not None else None
            if frame is None:
                self.error(f"no held thread {arg.strip()}")
                return
        self.setup(frame, None)
        self.print_stack_entry(self.stack[self.curindex])


if __name__ == "__main__":
    sys.exit(_session(Path(sys.argv[1])))
