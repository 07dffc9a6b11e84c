"""What a worker may send to its parent, and that nothing else can cross."""

import ast
import json
import time
from dataclasses import replace
from pathlib import Path

import pytest
import worker_tasks
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import plait
from benchmarks.frames.bench import SLOW_S, all_tasks, frames, kinds, try_frame
from plait.commands.check.worker.stream import Chunk
from plait.commands.explore.account import StepRow
from plait.judge.difference.outcome import Outcome
from plait.model.finding import AccessStep, Finding, Gap, Guard
from plait.model.test import Call, Test
from plait.workers.channel import VALUE, Incoming, Reply, read_frame, write_frame
from plait.workers.pool import WorkerCrashed, WorkerHung
from plait.workers.schema import FrameError, codec, return_type

SOURCE = Path(plait.__file__).parent


def crossed(value, kind):
    """Return a value as the parent gets it."""
    frame = Incoming().feed(write_frame(Reply(1, VALUE), value, kind))
    return read_frame(frame, kind)[1]


# -- values ---------------------------------------------------------------------------------------------------------

ROW = {"thread": 1, "file": "a.py", "line": 3, "function": "f", "code": "x", "access": "read x", "location": 4}
TEST = Test(("import a",), (Call("a.A", "a.A()", "", result="x"),), ((Call("m", "x.m()"),), (Call("n", "x.n()"),)))
STEP = AccessStep.from_json(ROW)
FINDING = Finding(
    "deadlock", "s", ["m"], TEST, interleaving=[STEP, replace(STEP, value="1", locks=("l",))], race=[STEP, STEP],
    gap=Gap(1, "a.py", "f", 3, 4), guard=Guard("A.x", "A.l", ("a.py:3",), 2),
)  # fmt: skip


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (FINDING, Finding),
        ((b"\x00\xff" * 9, Chunk(findings=[FINDING], also=[("c", frozenset({"m"}))])), tuple[bytes, Chunk]),
        (Outcome("finished", (("value", ("float", "0"), 9**5000),), state=(True, "\ud800", -(1 << 9999))), Outcome),
        ({("a", 1): [1.5, float("inf")], 2: {"x": Path("/y")}}, object),
    ],
    ids=["finding", "chunk", "outcome", "plain"],
)  # fmt: skip
def test_values_come_out_as_they_went_in(value, kind):
    assert crossed(value, kind) == value


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters()) | st.binary(),
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text(), inner)
    | st.dictionaries(st.integers(), inner) | st.frozensets(st.integers() | st.text()),
    max_leaves=8,
)  # fmt: skip


@given(PLAIN)
@settings(max_examples=60, deadline=None)
def test_plain_data_keeps_its_types(value):
    assert repr(crossed(value, object)) == repr(value) or crossed(value, object) == value


@pytest.mark.parametrize("task", all_tasks(), ids=lambda task: task.__name__)
def test_each_task_says_what_it_returns(task):
    """Whatever a worker can be asked for has a type that can cross, and can be read by the parent."""
    assert return_type(task) is not object
    assert codec(return_type(task)).decode


# -- what an enemy sends --------------------------------------------------------------------------------------------


def framed(tree):
    return json.dumps(tree).encode()


REPLY = [1, "value", "", [], "", [], False]
DEEP = b'[[1,"value","",[],"",[],false],' + b"[" * 100_000 + b"]" * 100_000 + b"]"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", None), (b"\x80\x05", None), (b"[]", None), (b"null", None), (b"[1,2]", None), (DEEP, object),
        (DEEP, Outcome), (framed([REPLY, [{**ROW, "line": "3"}]]), list[StepRow]),
        (framed([REPLY, [[1, "a.py", "3", "f", "x", "read", "x", 4, None, [], False, None]]]), list[AccessStep]),
        (framed([REPLY, [ROW]]), list[AccessStep]), (framed([REPLY, [1, "a.py", "f", 3, None]]), Gap),
        (framed([[*REPLY[:-1], 1], None]), None), (framed([REPLY[:-1], None]), None), (framed([REPLY, 1]), None),
        (framed([REPLY, True]), int), (framed([REPLY, 2**70]), int), (framed([REPLY, float("nan")]), float),
        (b'[[1,"value","",[],"",[],false],1e999]', float), (b'[[1,"value","",[],"",[],false],NaN]', object),
        (framed([REPLY, {"plait.errors": "UsageError"}]), object), (framed([REPLY, {"int": "zz"}]), object),
        (framed([REPLY, {"set": [[1]]}]), object), (framed([REPLY, {"dict": [[1]]}]), object),
        (framed([REPLY, {"set": list(range(30_000))}]), object), (framed([REPLY, {"a": 1, "b": 2}]), object),
        (framed([REPLY, "not base64!"]), bytes), (framed([REPLY, "é"]), bytes), (framed([REPLY, []]), Finding),
        (b"[" + b"1," * 5_000_000 + b"1]", object),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_refused(data, kind):
    with pytest.raises(FrameError):
        read_frame(data, kind)


@given(st.data())
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_no_frame_crashes_the_reader(data):
    """10,000 of them: `plait bench frames`."""
    kind = data.draw(st.sampled_from(kinds()))
    _accepted, took = try_frame(data.draw(frames(kind)), kind)
    assert took < SLOW_S


# -- in a process ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ("pickle", "says to have"), ("long", "says to have"), ("garbage", "no JSON"), ("other", "something else"),
        ("two", "more than one"), ("typed", "nothing was expected"),
    ],
)  # fmt: skip
def test_a_forged_answer_costs_the_worker_alone(workers, what, reason, tmp_path):
    error = workers.submit(worker_tasks.forge, what, str(tmp_path / "ran"), timeout=60.0).exception()
    assert isinstance(error, WorkerCrashed)
    assert reason in error.reason
    assert error.note == {"prefix": ["x = X()"]}
    assert not (tmp_path / "ran").exists()
    assert workers.submit(worker_tasks.echo, 1, timeout=60.0).result().value == 1


def test_half_an_answer_is_a_hang(workers):
    started = time.monotonic()
    assert isinstance(workers.submit(worker_tasks.forge, "half", "", timeout=0.7).exception(), WorkerHung)
    assert time.monotonic() - started < 60


def test_a_worker_that_does_not_read_its_orders_hangs(workers):
    """The order is longer than what the pipe takes; the process has answered before and sits still since."""
    workers.submit(worker_tasks.forge, "early", "", timeout=60.0).result()
    error = workers.submit(worker_tasks.echo, "x" * 10_000_000, timeout=0.7).exception()
    assert isinstance(error, WorkerHung)


@pytest.mark.parametrize("what", ["reduce", "str", "metaclass", "cause", "GeneratorExit", "usage"])
def test_exceptions_arrive_as_text(workers, what, tmp_path):
    error = workers.submit(worker_tasks.raise_hostile, what, str(tmp_path / "ran"), timeout=60.0).exception()
    assert type(error).__name__ in ("PlaitBugError", "UsageError")
    assert "Hostile" in str(error)
    assert not (tmp_path / "ran").exists()
    assert workers.submit(worker_tasks.echo, 1, timeout=60.0).result().value == 1


# -- the code -------------------------------------------------------------------------------------------------------

READERS = {
    ("workers/boot.py", "work"): "in the worker: what to set up",
    ("workers/boot.py", "obey"): "in the worker: its orders",
    ("workers/cluster_site.py", "perform"): "on the cluster: the campaign's arguments",
    ("commands/check/worker/tasks.py", "_prepared"): "in the worker: a copy of what the same function has made",
    ("commands/check/worker/tasks.py", "_resumed"): "in the worker: a stream as a worker left it",
    ("commands/diff/worker.py", "next_stage"): "in the worker: a generator as a worker left it",
    ("commands/replay/debug.py", "_session"): "in the debugged process: written by its parent",
    ("run/foreign_waits.py", "*"): "in the process of the code under test: its own sockets",
    ("run/rewrite/cache.py", "*"): "code that is about to be run",
}
UNPICKLING = {"load", "loads", "Unpickler", "find_class"}
FORBIDDEN = {"pebble", "shelve", "dill", "cloudpickle", "joblib", "ProcessPoolExecutor", "Connection", "Listener"}


def unpickling_places():
    """Yield file, function and name of everything in plait that could make objects of what it is sent."""
    for file in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        named = {
            alias.asname or alias.name: f"{node.module or ''}.{alias.name}"
            for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names
        }  # fmt: skip
        for owner, node in _with_owner(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                module = getattr(node, "module", "") or ""
                # What plait itself defines is looked at where it is defined.
                names = [module, *(alias.name for alias in node.names if not module.startswith("plait."))]
                if any(part in FORBIDDEN for name in names if "TYPE_CHECKING" not in owner for part in name.split(".")):
                    yield file, owner, ast.unparse(node)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                whole = f"{node.value.id}.{node.attr}"
                if node.value.id in ("pickle", "marshal", "_pickle") and node.attr in UNPICKLING:
                    yield file, owner, whole
                if node.value.id in ("multiprocessing", "futures") and node.attr in {
                    "Pipe", "Queue", "Pool", "Manager", "ProcessPoolExecutor", "connection",
                }:  # fmt: skip
                    yield file, owner, whole
            if isinstance(node, ast.Attribute) and node.attr in ("recv", "recv_bytes"):
                yield file, owner, ast.unparse(node)
            if isinstance(node, ast.Name) and named.get(node.id, "").partition(".")[0] in ("pickle", "marshal"):
                yield file, owner, named[node.id]


def _with_owner(tree, owner=""):
    for node in ast.iter_child_nodes(tree):
        inner = node.name if isinstance(node, ast.FunctionDef) and not owner else owner
        if isinstance(node, ast.ClassDef) and not owner:
            yield from _with_owner(node, "")
            continue
        yield inner, node
        yield from _with_owner(node, inner)


def test_nothing_that_workers_send_is_unpickled():
    """A pickle is a program. Those that are read, are read in workers, or were written by the reader's own parent."""
    found = {(str(file.relative_to(SOURCE)), owner): what for file, owner, what in unpickling_places()}
    unknown = {place: what for place, what in found.items() if place not in READERS and (place[0], "*") not in READERS}
    assert unknown == {}
    assert {place for place in READERS if place[1] != "*"} <= found.keys()  # those that are gone are not allowed for


def test_the_look_finds_what_it_looks_for(tmp_path, monkeypatch):
    (tmp_path / "bad.py").write_text(
        "import pickle, multiprocessing\nfrom concurrent.futures import ProcessPoolExecutor\nfrom pickle import loads\n"
        "class A:\n    def take(self, pipe):\n        return pickle.loads(b''), pipe.recv(), loads(b'')\n"
        "def pool():\n    return multiprocessing.Pool()\n"
    )
    monkeypatch.setitem(globals(), "SOURCE", tmp_path)
    assert {(owner, what) for _, owner, what in unpickling_places()} == {
        ("", "from concurrent.futures import ProcessPoolExecutor"), ("take", "pickle.loads"), ("take", "pipe.recv"),
        ("take", "pickle.loads"), ("pool", "multiprocessing.Pool"),
    }  # fmt: skip
