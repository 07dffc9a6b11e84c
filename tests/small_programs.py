"""The programs in fail/ and success/, whose folder is their verdict.

As a script it replays schedules in a process of its own, one for each file of a table, so many times each:
``small_programs.py TOKENS.json [TIMES]``.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections import Counter
from pathlib import Path

from plait.model.schedule import Schedule
from plait.scenario import controlled, explore_threads

HERE = Path(__file__).parent
FAIL = sorted((HERE / "fail").glob("*.py"))
SUCCESS = sorted((HERE / "success").glob("*.py"))


def load(path):
    """The program as a module of its own."""
    name = f"{path.parent.name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def arguments(program):
    """What the API is given."""
    return program.setup, program.threads, getattr(program, "check", None)


def explored(program, **options):
    """The verdict."""
    options = {**getattr(program, "OPTIONS", {}), **options}
    return explore_threads(*arguments(program), raise_on_failure=False, **options)


def replayed(program, token, times, backend="auto"):
    """How many replays ended how; a schedule that got lost counts as such."""
    found = Counter()
    schedule = Schedule.from_token(token)
    with controlled(*arguments(program)) as (trial, _adopter):
        for _ in range(times):
            failure, lost = trial.replay(schedule, backend=backend)
            found["lost" if lost else failure.outcome.kind] += 1
    return dict(found)


def often(kind, times):
    """How often a verdict of this kind is replayed: a hang runs to the bound of steps every time."""
    return times if kind != "hang" else min(times, 5)


def main(args):
    tokens = json.loads(Path(args[0]).read_text())
    times = int(args[1]) if len(args) > 1 else 1
    found = {path: replayed(load(Path(path)), token, often(kind, times)) for path, (kind, token) in tokens.items()}
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
