"""What workers do in the chaos tests: explore one small test of a subject under the engine."""

import os
import time

from plait.explore.dpor import Dpor
from plait.model.test import Call, Test
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.testbed import Testbed
from plait.workers import state

SCHEDULES = 8


def a_test(module, name, *methods):
    """Each method on a thread of its own."""
    suffixes = tuple((Call(method, f"{{receiver}}.{method}({{args}})"),) for method in methods)
    return Test((f"from {module} import {name}",), (Call(name, f"{name}({{args}})", result="x"),), suffixes)


def explore(data):
    """How the executions of the test ended: all pairs of results, as text."""
    test = Test.from_json(data)
    state.note(test.as_lines())
    state.subject()
    with state.world().entered():
        bed = Testbed(test, PLACES)
        search = Dpor()
        seen = set()
        for _ in range(SCHEDULES):
            prefix = search.next_prefix()
            if prefix is None:
                break
            status = ENGINE.execute(bed.prepare, prefix, search, free=search.free)
            errors = [thread.error for thread in ENGINE.threads if isinstance(thread.error, BaseException)]
            if any(isinstance(each, MemoryError) for each in [*errors, *(done.error for done in bed.done)]):
                raise MemoryError
            ended = [f"{done.thread}: {type(done.error).__name__ if done.error else done.value}" for done in bed.done]
            seen.add(f"{status} {sorted(ended)} {[type(error).__name__ for error in errors]}")
            search.executed(ENGINE)
    return sorted(seen)


def explore_slowly(data):
    """As `explore`, with the number of the process; long enough to be killed meanwhile."""
    time.sleep(0.1)
    return os.getpid(), explore(data)


def explore_for(data, seconds):
    """As `explore`, again and again for so long."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        found = explore(data)
    return found


def fill_the_disk(count, size):
    """Write so many files of so many bytes to the worker's folder, one after the other, and wait."""
    for number in range(count):
        descriptor = os.open(str(number), os.O_CREAT | os.O_WRONLY)
        os.posix_fallocate(descriptor, 0, size)
        os.close(descriptor)
    time.sleep(30)
