"""A campaign in small: forty tests, half of them with a finding, in two workers, with a store.

``python small_campaign.py FOLDER`` prints the numbers of its workers as it meets them, and ``done`` at its end.
"""

import sys
from pathlib import Path

import chaos_tasks as tasks  # a neighbour, and so importable

from plait.store.database import Store
from plait.workers.pool import Workers
from plait.workers.protocol import WorkerSpec

HERE = Path(__file__).parent
UNITS = 40
RACE = "finished ['1: 2', '2: 2'] []"


def methods(number):
    return ("bump", "bump") if number % 2 else ("add", "add")


def main(folder):
    spec = WorkerSpec(module="misbehaving", qualname="Exits", roots=(HERE / "subjects",))
    with Store(folder) as store, Workers(spec, count=2) as workers:
        jobs = {}
        for number in range(UNITS):
            if store.explored(str(number)) is None:
                test = tasks.a_test("misbehaving", "Exits", *methods(number))
                jobs[number] = workers.attempt(tasks.explore_slowly, test.as_json(), timeout=20)
        print("to do", len(jobs), flush=True)
        for number, job in jobs.items():
            pid, seen = job.result().value
            print("worker", pid, flush=True)
            if RACE in seen:
                store.record_finding("misbehaving:Exits", f"unit {number}", {"kind": "wrong-result"})
            store.remember("misbehaving:Exits", {str(number): {"seen": seen}})
        for message in store.messages:
            print("message", message, flush=True)
    print("done", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
