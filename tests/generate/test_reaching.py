"""States that are looked for, so that methods which fail on a fresh object return."""

from __future__ import annotations

from random import Random

import pytest

from plait.generate.catalogue import build_catalogue
from plait.generate.sequence import Sequences
from plait.model.test import Test
from plait.subject.interface.members import class_interface
from tests.generate.sequential import Runner


class Session:
    """Commits only while it is open, and what is begun has a number that only it hands out."""

    def __init__(self) -> None:
        self.state = "closed"
        self.jobs: dict[int, str] = {}

    def connect(self) -> None:
        self.state = "open"

    def begin(self) -> None:
        if self.state != "open":
            raise RuntimeError("not open")
        self.state = "begun"

    def commit(self) -> int:
        if self.state != "begun":
            raise RuntimeError("nothing begun")
        self.state = "open"
        return 1

    def add_job(self) -> int:
        number = 7919 + len(self.jobs)
        self.jobs[number] = "new"
        return number

    def advance(self, job: int) -> str:
        return self.jobs[job]


class Shut:
    """Never does anything but raise."""

    def ready(self) -> bool:
        return False

    def go(self) -> None:
        raise RuntimeError("shut")


def _tests_of(cls: type, name: str, count: int = 12) -> tuple[Sequences, list[Test]]:
    catalogue = build_catalogue(cls, class_interface(cls, f"{cls.__module__}:{cls.__qualname__}"))
    sequences = Sequences(catalogue, Runner(), Random(0))
    for _ in range(6):  # what works alone is known before, and what such calls make possible
        for each in catalogue.methods:
            sequences.compose(0, [[each]])
    method = catalogue.method(name)
    found = [sequences.compose(0, [[method], [method]]) for _ in range(count)]
    return sequences, [each for each in found if each is not None]


@pytest.mark.parametrize("name", ["commit", "advance"])
def test_a_method_that_needs_other_calls_before_it_gets_them(name: str) -> None:
    sequences, tests = _tests_of(Session, name)
    assert sequences.knowledge.of(name).succeeded
    runner = Runner()
    alone = [Test(each.imports, (*each.prefix, each.suffixes[0][0]), ()) for each in tests]
    returned = [each for each in alone if runner(each)[-1].status == "ok"]
    assert 2 * len(returned) > len(tests)


def test_what_a_call_has_returned_is_handed_to_the_next() -> None:
    _, tests = _tests_of(Session, "advance")
    fed = [each for each in tests if any(call.result in each.suffixes[0][0].args for call in each.prefix[1:])]
    assert fed


def test_the_search_for_a_state_ends() -> None:
    sequences, tests = _tests_of(Shut, "go")
    assert tests
    assert not sequences.knowledge.of("go").succeeded
