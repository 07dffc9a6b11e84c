"""The verdict on a hand-written test."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plait.model.outcome import Divergence, Finished

if TYPE_CHECKING:
    from plait.model.finding import AccessStep
    from plait.model.outcome import Outcome
    from plait.model.schedule import Schedule


@dataclass(slots=True)
class Verdict:
    """The result of exploring a hand-written test.

    ``outcome`` is `Finished` for a pass; otherwise it says how the test failed, and ``schedule`` (``token`` is its text
    form) and ``rows`` show one failing execution. ``reachable`` says per model whether the failure can happen; None
    means that the search ended before it was known. ``bound`` says what a pass covers, ``left`` names code that plait
    could not control, and ``lost`` says where a replayed schedule no longer fits the code.
    """

    outcome: Outcome
    executions: int
    elapsed: float
    exhausted: bool
    bound: str
    strategy: str
    model: str
    preemptions: int = 0
    schedule: Schedule | None = None
    rows: list[AccessStep] = field(default_factory=list)
    race: list[AccessStep] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)
    reachable: dict[str, bool | None] = field(default_factory=dict)
    confirmed_on_threads: bool | None = None
    left: list[str] = field(default_factory=list)
    lost: str | None = None
    shared: bool = True
    error: BaseException | None = None

    @property
    def passed(self) -> bool:
        """True if nothing failed; ``exhausted`` and ``bound`` say how much that means."""
        return isinstance(self.outcome, Finished)

    @property
    def kind(self) -> str:
        """``pass``, ``exception``, ``wrong-result``, ``deadlock``, ``hang`` or ``divergence``."""
        return self.outcome.kind

    @property
    def token(self) -> str | None:
        """The failing schedule as one line of text; None for a pass, and for a test that is not deterministic."""
        return None if self.schedule is None or isinstance(self.outcome, Divergence) else self.schedule.token

    def statement(self) -> str:
        """Return the verdict as text, without claiming more than was shown."""
        if not self.passed:
            return self.outcome.summary()
        parts = [f"Pass. {self.bound}"]
        if not self.shared:
            parts.append("But the threads touched nothing in common that plait could see.")
        if self.left:
            parts.append(f"Not under control: {', '.join(self.left[:5])}{', ...' if len(self.left) > 5 else '.'}")
        return " ".join(parts)
