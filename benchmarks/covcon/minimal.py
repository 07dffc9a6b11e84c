"""What could be left out of the findings of a `plait check`, in a process of its own. Prints one line of JSON."""

from __future__ import annotations

import contextlib
import gc
import json
import sys
from pathlib import Path
from typing import Any

from plait.errors import UsageError
from plait.judge.minimise.tests import fewest_preemptions, smaller, stated_values
from plait.judge.oracle.examine import examine
from plait.judge.oracle.probes import probes_of
from plait.judge.oracle.rules import Rules, may_wait
from plait.judge.oracle.safety import Examination, Violation
from plait.model.finding import Finding
from plait.observe.places import PLACES
from plait.run.endings import SetupFailedError
from plait.run.importing.world import World, find_in
from plait.subject.interface.discovery import discover


def droppable(root: Path, module: str, name: str, result: dict[str, Any]) -> list[dict[str, Any]]:
    """Smaller tests, and numbers of preemptions, that show a finding too; none if all findings are minimal."""
    world = World(PLACES)
    owner = find_in(world.load(module, roots=[root]), name)
    world.snapshot()
    gc.freeze()
    interface = discover(owner, name=f"{module}:{name}")
    probes, rules = probes_of(interface), Rules(waiting=may_wait(interface))
    found: list[dict[str, Any]] = []
    with world.entered():
        for finding in map(Finding.from_json, result["findings"]):
            cause, test = (finding.kind, finding.exception), finding.test
            assert test is not None

            def same(violation: Violation, cause: tuple[str, str | None] = cause) -> bool:
                return violation.cause == cause

            stated = stated_values(Examination(test, PLACES, probes, rules))
            for candidate in smaller(test, stated):
                with contextlib.suppress(UsageError, SetupFailedError):  # it cannot even be built
                    examination = Examination(candidate, PLACES, probes, rules)
                    if examine(examination, systematic=400, sampled=20, wanted=same).violation is not None:
                        found.append(candidate.as_lines())
            if finding.preemptions:
                again = fewest_preemptions(Examination(test, PLACES, probes, rules), same, finding.preemptions - 1)
                if again is not None:
                    found.append({"preemptions": again.preemptions})
    return found


if __name__ == "__main__":
    root, module, name, file = sys.argv[1:]
    print(json.dumps(droppable(Path(root), module, name, json.loads(Path(file).read_text(encoding="utf-8")))))
