import subprocess
import sys
from pathlib import Path

from plait.run.heap import Heap
from plait.run.identity import identity

PROGRAMS = Path(__file__).parents[1] / "fail"

EXPLORE = """
import sys
from pathlib import Path
from plait.explore.dpor import Dpor
from plait.explore.runner import explore
from plait.observe.places import PLACES
from plait.run.importing.world import World

world = World(PLACES)
module = world.load("dict_check_then_set", roots=(Path(sys.argv[1]),))
world.snapshot()
events = []
sys.addaudithook(lambda event, args: events.append(event) if event == "builtins.id" else None)


def bodies():
    registry = module.Registry()
    return [lambda: registry.get("a"), lambda: registry.get("b")]


found = explore(bodies, Dpor(), max_executions=200)
assert found.executions > 1, found
print(len(events))
"""


class Unhashable:
    def __hash__(self):
        raise TypeError("nobody asked")

    def __eq__(self, other):
        raise TypeError("nobody asked")


def test_live_objects_have_different_identities_whatever_they_say_of_themselves():
    objects = [Unhashable() for _ in range(1000)]
    assert len({identity(each) for each in objects}) == 1000
    assert identity(objects[0]) == identity(objects[0])


def test_the_heap_tells_equal_objects_apart():
    heap = Heap()
    one, other = [], []
    assert heap.whole(one) != heap.whole(other)
    assert heap.whole(one) == heap.whole(one)


def test_executions_raise_no_audit_events_for_identities():
    done = subprocess.run(
        [sys.executable, "-c", EXPLORE, str(PROGRAMS)], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == 0
