"""The work of a worker in a plain process, with or without the guard.

``python -m benchmarks.campaign.inside MODULE CLASS FOLDER guard|free`` reads tests from its standard input and prints
the figures. With ``turns`` in the place of the last word it reads a batch of tests per line and answers each with a
line: the processor's time of its process for it.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.campaign import tasks
from plait.workers import guard, state
from plait.workers.blackbox import BlackBox
from plait.workers.protocol import WorkerSpec


def main() -> None:
    module, name, folder, kind = sys.argv[1:]
    spec = WorkerSpec(module=module, qualname=name, roots=(Path(folder),))
    state.use(spec)
    if kind == "turns":
        state.subject()
        for line in sys.stdin:
            started = time.process_time()
            tasks.explore(str(spec), json.loads(line))
            print(time.process_time() - started, flush=True)
        return
    tests = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as work:
        state.subject()
        if kind == "guard":
            guard.install_guard(spec, Path(work), BlackBox(Path(work) / "box", create=True))
        batches = [tests[start : start + tasks.BATCH] for start in range(0, len(tests), tasks.BATCH)]
        for batch in batches[:2]:
            tasks.explore(str(spec), batch)
        started = time.perf_counter()
        answers = [tasks.explore(str(spec), batch) for batch in batches]
        wall = time.perf_counter() - started
    print(json.dumps(tasks.added(answers, wall)))


if __name__ == "__main__":
    main()
