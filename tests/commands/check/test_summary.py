"""Why a check without one test has no conclusion: what was in its way, and not how the object was built."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from plait.commands.budget import Budget
from plait.commands.check.evidence import Alone
from plait.commands.check.known import Replays
from plait.commands.check.options import CheckOptions
from plait.commands.check.summary import Summary
from plait.commands.check.totals import Totals
from plait.commands.progress import Progress
from plait.subject.name import Subject

WRITTEN = Alone(built="Shop(1)", recipe="README.md", recipe_imports=("from shop import Shop",))


@pytest.mark.parametrize(
    ("noted", "wall", "reason"),
    [
        ((), 0.0, "the time was over before the first test was ready; --budget gives more"),
        (("`sell` waits for ever: left out",), 0.0, "`sell` waits for ever: left out"),
        ((), None, "not one test could be run within the budget"),
    ],
)
def test_why_there_was_not_one_test(noted, wall, reason):
    budget = Budget(wall)
    memory = SimpleNamespace(messages=[], known=list, keep_finding=None)
    totals = Totals(budget, memory, Progress("", budget, quiet=True))
    totals.notes.general += noted
    options = CheckOptions(Subject("shop", "Shop"), project=Path())
    summary = Summary(options, totals, Replays(memory), None, None, WRITTEN, "budget")
    result = summary.result()
    assert result.verdict == "inconclusive"
    assert result.reason.startswith(reason)
    assert any(note.startswith("built as README.md") for note in result.notes)
