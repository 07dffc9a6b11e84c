"""Run by interpreters that have no pytest: the snippets on OS threads, and the public names. Prints what differs."""

import _thread
import concurrent.futures
import concurrent.futures.thread
import json
import queue
import sched
import sys
import threading
import time
import warnings
from types import SimpleNamespace

from primitive_snippets import SNIPPETS

from plait.explore.random_walk import RandomWalk
from plait.run.engine import ENGINE
from plait.run.importing.mirror import Mirror

MODULES = ("threading", "_thread", "queue", "time", "concurrent.futures", "concurrent.futures.thread", "sched")


def modules_of(table):
    """What a snippet is given."""
    return SimpleNamespace(
        threading=table["threading"], underscore=table["_thread"], queue=table["queue"], time=table["time"],
        futures=table["concurrent.futures"], sched=table["sched"],
    )  # fmt: skip


REAL = modules_of({
    "threading": threading, "_thread": _thread, "queue": queue, "time": time,
    "concurrent.futures": concurrent.futures, "sched": sched,
})  # fmt: skip


def executed(body, strategy, backend):
    """The status of an execution with one body, and what it returned or raised."""
    results = []
    status = ENGINE.execute(lambda: [lambda: results.append(body())], strategy.next_prefix(), strategy, backend=backend)
    errors = [repr(thread.error) for thread in ENGINE.threads if thread.error is not None]
    return results[0] if status == "finished" and not errors else (status, errors)


def missing_names(mirror):
    """Public names of the real modules that the mirrored ones lack.

    A submodule that is no public name by itself becomes an attribute when somebody imports it.
    """
    found = []
    for name in MODULES:
        real, twin = sys.modules[name], mirror.modules[name]
        public = {each for each in vars(real) if not each.startswith("_") and f"{name}.{each}" not in sys.modules}
        public |= set(getattr(real, "__all__", ()))
        found.extend(f"{name}.{each}" for each in sorted(public) if not hasattr(twin, each))
    return found


def main():
    """All differences as one line of JSON."""
    warnings.simplefilter("error")
    mirror = Mirror({})
    virtual = modules_of(mirror.modules)
    problems = missing_names(mirror)
    for name, snippet in SNIPPETS.items():
        expected = snippet(REAL)
        seen = executed(lambda: snippet(virtual), RandomWalk(1), "threads")
        if seen != expected:
            problems.append([name, repr(expected), repr(seen)])
    print(json.dumps(problems))


if __name__ == "__main__":
    main()
