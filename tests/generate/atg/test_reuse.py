"""Arguments from earlier calls by type (ATG, section 5.1)."""

from random import Random

import pytest

from plait.generate.atg.candidates import ReusingSequences, types_match
from plait.generate.catalogue import build_catalogue
from plait.judge.oracle.sequential import SequentialRunner
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.testbed import Testbed
from plait.subject.interface.discovery import discover


class Ticket:
    def __init__(self, number):
        self.number = number


class Office:
    def __init__(self) -> None:
        self.open = {}

    def issue(self) -> Ticket:
        ticket = Ticket(len(self.open))
        self.open[ticket.number] = ticket
        return ticket

    def redeem(self, ticket: Ticket) -> int:
        return self.open.pop(ticket.number).number

    def fine(self, amount: int) -> None:
        self.open[-1] = amount

    def look(self) -> int | None:
        return None


@pytest.mark.parametrize(
    ("returned", "wanted", "match"),
    [
        ("Ticket", "Ticket", True),
        ("'Ticket'", "Ticket", True),
        ("int", "int | None", True),
        ("int", "Optional[int]", True),
        ("int | None", "int", False),  # it may be None
        ("bool", "int", False),
        ("dict[str, int | None]", "dict[str, int | None]", True),
        ("None", "None", False),
        ("Any", "Any", False),
        (None, "int", False),
        ("int", None, False),
    ],
)
def test_types_match(returned, wanted, match):
    assert types_match(returned, wanted) is match


def sequences(seed=0):
    catalogue = build_catalogue(Office, discover(Office, name=f"{__name__}:Office"))
    return ReusingSequences(catalogue, SequentialRunner(), Random(seed))


def written(made, *names):
    prefix = made.prefix(0)
    suffixes = made.suffixes(prefix, [[made.catalogue.method(name) for name in pattern] for pattern in names])
    return None if suffixes is None else made.test(prefix, suffixes)


def test_a_call_takes_the_latest_result_of_the_declared_type():
    test = written(sequences(), ["issue", "issue", "redeem"], ["look", "fine"])
    first, second, third = test.suffixes[0]
    assert second.result is not None
    assert third.args == (second.result,)
    assert first.result is None  # nobody uses it
    assert all(call.result is None for call in test.suffixes[1])  # `int | None` is no `int`


def test_results_of_other_threads_are_not_seen():
    test = written(sequences(), ["issue", "fine"], ["redeem"])
    assert test is None or not test.suffixes[1][0].args[0].startswith("v")


def test_results_go_from_call_to_call_when_the_test_is_executed():
    test = written(sequences(), ["issue", "redeem", "fine"], ["look"])
    _, redeem, fine = test.suffixes[0]
    assert fine.args == (redeem.result,)
    bed = Testbed(test, PLACES)
    seen = []
    ENGINE.execute(bed.prepare, finish=lambda: seen.extend((done.thread, done.index, done.error) for done in bed.done))
    assert [error for _, _, error in sorted(seen, key=lambda each: each[:2])] == [None] * 4
