"""The mirrored modules beside the real ones of the running interpreter: public names, and how things are called."""

import _thread
import contextvars
import copy
import importlib
import inspect
import pickle
import subprocess
import sys
import threading
import time
import warnings
from types import BuiltinFunctionType, ModuleType

import pytest

from plait.explore.random_walk import RandomWalk
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.importing.mirror import Mirror

MODULES = (
    "threading", "_thread", "queue", "time", "sched", "concurrent", "concurrent.futures", "concurrent.futures._base",
    "concurrent.futures.thread",
)  # fmt: skip
# What code under test gets from outside of the mirror, and why.
LEFT_OUT = {
    "concurrent.interpreters",  # becomes an attribute when somebody imports it
}
OTHERWISE = {
    "threading.RLock",  # before 3.13 a function of any arguments, all of which but none it refuses
    "threading.excepthook",  # pytest has put its own one there
}
ADDED = {
    "Thread.__init__": {"context"},  # refused by name before 3.14
}


@pytest.fixture(scope="module")
def mirror():
    return Mirror(PLACES)


def public(owner):
    """The public names of a module or class."""
    names = set(getattr(owner, "__all__", ())) | {name for name in dir(owner) if not name.startswith("_")}
    if isinstance(owner, ModuleType):  # a submodule is there when somebody has imported it
        names -= {name for name in names if f"{owner.__name__}.{name}" in sys.modules}
    return names


def parameters(function):
    """The ways to give each argument; None where the interpreter does not tell."""
    try:
        found = list(inspect.signature(function).parameters.values())
    except (ValueError, TypeError):
        return None
    named = [each for each in found if each.name not in ("self", "cls")]
    return [
        (None if each.kind is each.POSITIONAL_ONLY else each.name, each.kind.name, each.default is not each.empty)
        for each in named
    ]


@pytest.mark.parametrize("name", MODULES)
def test_modules_have_the_same_names(name, mirror):
    __import__(name)
    real, twin = sys.modules[name], mirror.modules[name]
    assert {each for each in public(real) - set(dir(twin)) if f"{name}.{each}" not in LEFT_OUT} == set()


@pytest.mark.parametrize("name", MODULES)
def test_functions_are_called_in_the_same_way(name, mirror):
    __import__(name)
    real, twin = sys.modules[name], mirror.modules[name]
    for each in sorted(public(real)):
        ours, theirs = getattr(twin, each, None), getattr(real, each)
        if ours is theirs or not callable(theirs) or isinstance(theirs, type):
            continue
        expected = parameters(theirs)
        if expected is not None and f"{name}.{each}" not in OTHERWISE:
            assert parameters(ours) == expected, each


@pytest.mark.parametrize("name", ["threading", "_thread", "time", "fcntl"])
def test_functions_written_in_c_do_not_become_methods(name, mirror):
    """``class Limiter: clock = time.monotonic`` calls the clock without itself."""
    real, twin = importlib.import_module(name), mirror.modules[name]
    seen = 0
    for each in sorted(public(real)):
        ours, theirs = getattr(twin, each, None), getattr(real, each)
        if ours is theirs or type(theirs) is not BuiltinFunctionType or isinstance(ours, type):
            continue
        seen += 1
        for function in (ours, theirs):
            owner = type("Owner", (), {"function": function})
            assert owner().function is owner.function is function, each
            assert copy.copy(function) is copy.deepcopy(function) is function, each
            assert pickle.loads(pickle.dumps(function)) is function, each
    assert seen


def classes(mirror):
    """The mirrored classes: module, name, real one, twin."""
    for name in MODULES:
        __import__(name)
        for each in sorted(public(sys.modules[name])):
            theirs, ours = getattr(sys.modules[name], each), getattr(mirror.modules[name], each, None)
            if isinstance(theirs, type) and ours is not theirs:
                yield each, theirs, ours


def test_classes_have_the_same_methods(mirror):
    seen = set()
    for name, theirs, ours in classes(mirror):
        seen.add(name)
        assert public(theirs) <= set(dir(ours)), name
        for method in sorted({*public(theirs), "__init__"}):
            expected = parameters(getattr(theirs, method)) if callable(getattr(theirs, method)) else None
            found = parameters(getattr(ours, method)) if expected is not None else None
            if expected is None or (method == "__init__" and "__init__" not in vars(theirs)):
                continue  # a type made in C does not tell
            extra = ADDED.get(f"{name}.{method}", set()) if sys.version_info < (3, 14) else set()
            assert [each for each in found or () if each[0] not in extra] == expected, (name, method)
    assert {"Thread", "Condition", "Event", "Semaphore", "BoundedSemaphore", "Barrier", "Timer", "local", "Queue",
            "LifoQueue", "PriorityQueue", "SimpleQueue", "Future", "ThreadPoolExecutor", "Executor",
            "scheduler"} <= seen  # fmt: skip


@pytest.mark.parametrize("name", ["Lock", "RLock", "Condition", "Event", "Semaphore", "Thread", "Timer", "Barrier"])
def test_objects_have_the_same_attributes(name, mirror):
    args = {"Timer": (1, int), "Barrier": (2,)}.get(name, ())
    real, twin = getattr(threading, name)(*args), getattr(mirror.modules["threading"], name)(*args)
    assert public(real) <= set(dir(twin))
    for each in ("__enter__", "__exit__"):
        assert hasattr(twin, each) == hasattr(real, each)
    if name in ("RLock", "Condition"):
        assert hasattr(twin, "locked") == hasattr(real, "locked")  # from 3.14 on


def test_an_argument_that_came_later_is_refused(mirror):
    if sys.version_info >= (3, 14):
        pytest.skip("threads have a context here")
    with pytest.raises(TypeError, match="context"):
        mirror.modules["threading"].Thread(context=contextvars.Context())


def test_a_class_of_queues_can_be_named_with_its_items(mirror):
    assert mirror.modules["queue"].SimpleQueue[int].__args__ == (int,)


def seen_by(backend, body):
    """What a body returns, and that its execution came to its end."""
    found = []
    strategy = RandomWalk(1)
    assert ENGINE.execute(lambda: [lambda: found.append(body())], (), strategy, backend=backend) == "finished"
    assert [thread.error for thread in ENGINE.threads if thread.error is not None] == []
    return found[0]


@pytest.mark.parametrize("backend", ["auto", "threads"])
def test_a_thread_runs_in_the_context_it_is_given(mirror, backend):
    if sys.version_info < (3, 14):
        pytest.skip("threads are given no context before 3.14")
    variable = contextvars.ContextVar("variable", default="nothing")

    def body(module):
        seen = []
        variable.set("of the starter")
        given = contextvars.copy_context()
        given.run(variable.set, "given")
        for context in (None, given):
            thread = module.Thread(target=lambda: seen.append(variable.get()), context=context)
            thread.start()
            thread.join()
        return seen

    assert seen_by(backend, lambda: body(mirror.modules["threading"])) == contextvars.Context().run(body, threading)


INHERITED = """
import contextvars, sys, threading, _thread
from plait.explore.random_walk import RandomWalk
from plait.run.engine import ENGINE
from plait.run.importing.mirror import Mirror
variable = contextvars.ContextVar("variable", default="nothing")
mirror = Mirror({})
def body(threading, thread_module):
    seen = []
    variable.set("inherited")
    thread = threading.Thread(target=lambda: seen.append(variable.get()))
    thread.start()
    thread.join()
    done = threading.Event()
    thread_module.start_new_thread(lambda: (seen.append(variable.get()), done.set()), ())
    done.wait()
    return seen
expected = contextvars.Context().run(body, threading, _thread)
for backend in ("auto", "threads"):
    found = []
    modules = mirror.modules["threading"], mirror.modules["_thread"]
    for _ in range(2):  # the second one on a stack that was used before
        ENGINE.execute(lambda: [lambda: found.append(body(*modules))], (), RandomWalk(1), backend=backend)
    assert found == [expected] * 2, (backend, found, expected)
print(expected[0])
"""


@pytest.mark.skipif(not hasattr(sys.flags, "thread_inherit_context"), reason="a setting of 3.14")
@pytest.mark.parametrize(("setting", "expected"), [("1", "inherited"), ("0", "nothing")])
def test_context_variables_are_inherited_as_the_interpreter_says(setting, expected):
    done = subprocess.run(
        [sys.executable, "-X", f"thread_inherit_context={setting}", "-c", INHERITED],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (done.stdout.strip(), done.stderr) == (expected, "")


@pytest.mark.parametrize("backend", ["auto", "threads"])
def test_a_stack_that_is_used_again_has_no_context_left(backend):
    variable = contextvars.ContextVar("variable", default="nothing")

    def body():
        before = variable.get()
        variable.set("left behind")
        return before

    assert [seen_by(backend, body) for _ in range(3)] == ["nothing"] * 3


def explored(mirror, program):
    """All that a program shows under a few hundred random schedules."""
    outcomes = set()
    strategy = RandomWalk(3)
    module = mirror.modules["threading"]
    for _ in range(200):
        found = []
        status = ENGINE.execute(lambda: [lambda: found.append(program(module))], strategy.next_prefix(), strategy)
        outcomes.add(repr(found[0]) if status == "finished" and found else status)
    return outcomes


@pytest.mark.skipif(not hasattr(threading, "serialize_iterator"), reason="came with 3.15")
def test_serialized_iterators_are_controlled(mirror):
    def program(module):
        source = module.serialize_iterator(iter("ab"))
        seen = [[], []]
        threads = [module.Thread(target=lambda mine=mine: mine.append(next(source))) for mine in seen]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return seen

    assert explored(mirror, program) == {"[['a'], ['b']]", "[['b'], ['a']]"}


@pytest.mark.skipif(not hasattr(threading, "concurrent_tee"), reason="came with 3.15")
def test_the_copies_of_an_iterator_are_controlled(mirror):
    def program(module):
        copies = module.concurrent_tee(iter("abc"))
        assert all(type(copy) is module._concurrent_tee for copy in copies)
        seen = [[], []]
        threads = [
            module.Thread(target=lambda mine=mine, copy=copy: mine.extend(copy))
            for mine, copy in zip(seen, copies, strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return seen

    assert explored(mirror, program) == {"[['a', 'b', 'c'], ['a', 'b', 'c']]"}


@pytest.mark.skipif(not hasattr(threading, "synchronized_iterator"), reason="came with 3.15")
def test_a_function_that_makes_iterators_makes_serialized_ones(mirror):
    module = mirror.modules["threading"]
    assert type(module.synchronized_iterator(iter)("ab")) is module.serialize_iterator
    assert module.serialize_iterator is not threading.serialize_iterator


def test_no_function_of_the_real_clock_is_left(mirror):
    same = {name for name in public(time) if getattr(mirror.modules["time"], name) is getattr(time, name)}
    zones = {"altzone", "daylight", "timezone", "tzname", "tzset"}
    allowed = {"mktime", "strptime", "struct_time", "get_clock_info"} | zones
    assert {name for name in same - allowed if not name.startswith(("CLOCK_", "clock_", "pthread_"))} == set()


@pytest.mark.skipif(not hasattr(_thread, "start_joinable_thread"), reason="came with 3.13")
@pytest.mark.parametrize("backend", ["auto", "threads"])
def test_joinable_threads_of_the_low_level_module_are_controlled(mirror, backend):
    def body(module):
        seen = []
        handle = module.start_joinable_thread(lambda: seen.append(1), daemon=False)
        handle.join(5)
        handle.join()
        return seen, handle.is_done(), handle.ident > 0

    assert seen_by(backend, lambda: body(mirror.modules["_thread"])) == body(_thread) == ([1], True, True)


@pytest.mark.skipif(not hasattr(threading.RLock(), "locked"), reason="came with 3.14")
def test_looking_at_a_reentrant_lock_is_a_step(mirror):
    def program(module):
        lock, seen = module.RLock(), []
        thread = module.Thread(target=lambda: seen.append(lock.locked()))
        thread.start()
        with lock:
            seen.append(lock.locked())  # its owner sees it held, whatever the others do
        thread.join()
        return sorted(seen)

    assert explored(mirror, program) == {"[False, True]", "[True, True]"}


def test_old_names_warn_as_they_do_in_threading(mirror):
    for call in ("currentThread()", "activeCount()", "Event().isSet()", "Thread().isDaemon()", "Thread().getName()"):
        told = []
        for module in (threading, mirror.modules["threading"]):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                eval(call, vars(module))
            told.append([(str(each.message), each.category, each.filename) for each in caught])
        assert told[0] == told[1], call
        assert len(told[0]) == 1, call


def test_an_empty_name_is_no_name(mirror):
    assert mirror.modules["threading"].Thread(name="").name.startswith("Thread-")
