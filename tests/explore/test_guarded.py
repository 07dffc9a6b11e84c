"""Steps that no other thread can get in the way of have no alternatives; a guess that was wrong is taken back."""

from subjects import Box, locked_counter

from plait.explore.capp.search import Capp
from plait.explore.dfs import Dfs
from plait.explore.runner import explore
from plait.run.engine import FINISHED_RUN
from plait.run.hooks import access
from plait.run.primitives.lock import Lock
from plait.run.primitives.semaphore import Semaphore


def outcomes_of(prepare, strategy, result):
    """Of the executions that came to their end."""
    found = set()

    def note(_engine, status):
        if status == FINISHED_RUN:
            found.add(result())

    assert explore(prepare, strategy, on_execution=note).exhausted
    return found


def increment(box):
    value = access.read(box, "n", 1).n
    access.write(box, "n", 2).n = value + 1


def test_what_a_lock_guards_costs_nothing():
    """Two threads with one critical section each meet where they take the lock, and nowhere else."""
    search = Capp("stateful")
    assert explore(locked_counter(2, 1), search).exhausted
    assert search.states <= 4
    whole = explore(locked_counter(2, 1), Dfs())
    assert search.transitions < whole.executions


def late_intruder():
    """The first schedules show accesses under the lock only; the thread without it comes last."""
    boxes = []

    def prepare():
        box, lock = Box(n=0), Lock()
        boxes[:] = [box]

        def careful():
            with lock:
                increment(box)

        return [careful, careful, lambda: increment(box)]

    return prepare, lambda: boxes[0].n


def test_an_access_without_the_lock_brings_the_alternatives_back():
    prepare, result = late_intruder()
    expected = outcomes_of(prepare, Dfs(), result)
    assert expected == {1, 2, 3}
    for search in ("stateful", "stateful-bfs"):
        assert outcomes_of(prepare, Capp(search), result) == expected


def test_the_last_step_of_an_execution_counts_too():
    """The first thread takes the semaphore and both wait for ever: nobody is asked after this step."""
    seen = []

    def prepare():
        semaphore = Semaphore(1)
        seen.clear()

        def keeper():
            semaphore.acquire()
            semaphore.acquire()

        def trier():
            with semaphore:
                pass
            seen.append(semaphore.acquire(blocking=False))

        return [keeper, trier]

    def outcomes(strategy):
        found = set()
        assert explore(prepare, strategy, on_execution=lambda *_: found.add(tuple(seen))).exhausted
        return found

    assert outcomes(Capp("stateful")) == outcomes(Dfs()) == {(), (True,), (False,)}


def test_a_lock_that_is_tried_is_visible_while_it_is_held():
    """Whether the attempt fails depends on when the other thread gives the lock back."""
    seen = []

    def prepare():
        lock = Lock()
        seen.clear()

        def holder():
            with lock:
                pass

        def trier():
            got = lock.acquire(blocking=False)
            seen.append(got)
            if got:
                lock.release()

        return [holder, trier]

    found = outcomes_of(prepare, Capp("stateful"), lambda: tuple(seen))
    assert found == outcomes_of(prepare, Dfs(), lambda: tuple(seen)) == {(True,), (False,)}


class Everywhere:
    """A heuristic that keeps all threads, or the running one alone."""

    def __init__(self, *, keeps):
        self.name = "everywhere"
        self.keeps = keeps

    def begin(self):
        pass

    def partition(self, _engine, threads, current):
        return threads if self.keeps else [current]


def test_alternatives_that_come_back_are_as_urgent_as_they_would_have_been():
    prepare, result = late_intruder()
    expected = outcomes_of(prepare, Dfs(), result)
    urgent, patient = (Capp("stateful", Everywhere(keeps=keeps)) for keeps in (True, False))
    assert outcomes_of(prepare, urgent, result) == outcomes_of(prepare, patient, result) == expected
    assert urgent.iterations == 1
    assert patient.iterations > 1
