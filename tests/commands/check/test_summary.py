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


def test_tests_that_were_not_explored_are_no_evidence():
    """A stream that plait's own error ends has made tests, and shown nothing."""
    budget = Budget(None)
    memory = SimpleNamespace(messages=[], known=list, keep_finding=None)
    verdicts = []
    for schedules in (0, 5):
        totals = Totals(budget, memory, Progress("", budget, quiet=True))
        totals.tests, totals.schedules = 2, schedules
        options = CheckOptions(Subject("shop", "Shop"), project=Path())
        verdicts.append(Summary(options, totals, Replays(memory), None, None, WRITTEN, "budget").result())
    assert [each.verdict for each in verdicts] == ["inconclusive", "none"]
    assert verdicts[0].reason == "not one of its tests could be explored"
