"""Notes for the end of a check's report: what it could not do, or did differently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from plait.model.counted import counted

MOST = 6  # names listed in one sentence


@dataclass(slots=True)
class Notes:
    """Collects notes while the search runs; `sentences` returns them at the end."""

    general: list[str] = field(default_factory=list)
    undetermined: Counter[str] = field(default_factory=Counter)
    stopped: dict[tuple[str, str], str] = field(default_factory=dict)
    unreadable: int = 0
    diverged: int = 0

    def add_stopped(self, acts: Iterable[Mapping[str, str]]) -> None:
        """Record actions of the code under test that the guard has prevented."""
        for act in acts:
            self.stopped.setdefault((act["act"], act["call"]), act["at"])

    def add_recalled(self, known: int, tests: int) -> None:
        """Record how many of the tests had been explored by an earlier run."""
        if known:
            self.general.append(
                f"not explored again: {known} of {counted(tests, 'test')}, whose code has not changed since an earlier "
                "run"
            )

    def sentences(self) -> list[str]:
        """Return one sentence per subject."""
        said = list(dict.fromkeys(self.general))
        if self.undetermined:
            names = _listed(sorted(self.undetermined, key=lambda name: (-self.undetermined[name], name)))
            said.append(f"results of {names} differ from run to run by themselves and were compared with nothing")
        for kind in sorted({kind for kind, _call in self.stopped}):
            calls = [f"{call} at {at}" for (other, call), at in self.stopped.items() if other == kind]
            said.append(f"stopped: {_listed(calls, 3)}; `--allow {kind}` lets it happen")
        if self.diverged:
            tests = counted(self.diverged, "test")
            said.append(f"{tests} did not do the same again under the same schedule (something is not under control: "
                        "real time, random numbers, input or output); nothing is claimed about them")  # fmt: skip
        if self.unreadable:
            said.append(f"left out, because they are no valid Python: {counted(self.unreadable, 'generated test')}")
        return said


def _listed(names: Iterable[str], most: int = MOST) -> str:
    every = list(names)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return f"{', '.join(every[:most])}{more}"
