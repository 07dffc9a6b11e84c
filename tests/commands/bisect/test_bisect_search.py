"""The bisection itself, against every place where the first bad commit and the unusable ones can be."""

import itertools
import math

import pytest

from plait.commands.bisect.probes import Bisection, ProbeAnswer


def bisected(length, first_bad, unusable=()):
    def ask(commit):
        if commit in unusable:
            return ProbeAnswer("skip", "does not import")
        return ProbeAnswer("bad" if commit >= first_bad else "good")

    found = Bisection(list(range(length)), ask)
    found.run()
    return found


@pytest.mark.parametrize("length", [1, 2, 3, 7, 8, 33])
def test_the_first_bad_commit_is_found_in_as_few_questions_as_possible(length):
    for first_bad in range(length):
        found = bisected(length, first_bad)
        assert found.suspects == [first_bad]
        assert len(found.log) <= math.ceil(math.log2(length))


def test_unusable_commits_leave_suspects_and_never_the_wrong_one():
    length = 6
    for first_bad in range(length):
        others = range(length - 1)
        for unusable in itertools.chain.from_iterable(itertools.combinations(others, n) for n in range(4)):
            found = bisected(length, first_bad, unusable)
            assert first_bad in found.suspects
            # Everything before the last suspect could not be tried.
            assert set(found.suspects[:-1]) <= set(unusable)
            assert found.skipped == len([number for number, answer in found.log if answer.word == "skip"])
            assert len({commit for commit, _ in found.log}) == len(found.log)


def test_an_interrupt_leaves_what_is_known():
    answers = iter([False, True])
    found = Bisection(list(range(16)), lambda commit: ProbeAnswer("bad"))
    found.run(lambda: next(answers))
    assert len(found.log) == 1
    assert len(found.suspects) == 8
