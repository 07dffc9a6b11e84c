"""Every search sees what brute force sees, on more than five hundred random programs."""

import pytest

from agreement import LIMIT, Disagreement, agreeing_programs, compare
from plait.explore import dpor
from plait.explore.bounded import Bounded
from plait.explore.dfs import Dfs
from plait.explore.pct import Pct
from plait.explore.period import Period
from plait.explore.pos import Pos
from plait.explore.random_walk import RandomWalk
from plait.explore.rff import Rff
from plait.explore.surw import Surw
from plait.observe.happens import HappensBefore
from programs import random_program

CHUNKS, SIZE = 13, 40


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_searches_agree_with_brute_force(chunk):
    compared = dict(agreeing_programs(chunk * 1000, SIZE))
    assert len(compared) == SIZE
    assert sum(counts["redundant"] for counts in compared.values()) * 5 < sum(
        counts["dpor"] for counts in compared.values()
    )


@pytest.mark.parametrize(
    "seed",
    [
        5, 53, 61, 89, 96, 97, 166, 181, 1222, 1729, 1926, 1937, 2173,  # each showed a fault of its own once
    ],
)  # fmt: skip
def test_programs_that_once_showed_a_fault(seed):
    assert compare(seed, 3_000) is not None


def test_a_program_is_the_same_for_ever():
    assert random_program(7) == random_program(7)
    assert random_program(7) != random_program(8)
    assert {random_program(seed).gil for seed in range(20)} == {True, False}
    assert {random_program(seed).any_timeouts for seed in range(20)} == {True, False}


@pytest.mark.skipif(not dpor.__file__.endswith(".py"), reason="compiled code cannot be broken from outside")
@pytest.mark.parametrize("fault", ["no races", "no conservative points", "never awake"])
def test_a_broken_search_is_noticed(monkeypatch, fault):
    if fault == "no races":
        monkeypatch.setattr(HappensBefore, "_races_of_one", lambda *arguments: ([], arguments[-1]))
    elif fault == "no conservative points":
        monkeypatch.setattr(Bounded, "_reverse", lambda self, first, second, step: self._ask(first, step[0]))
    else:
        monkeypatch.setattr(dpor, "dependent_steps", lambda *_: False)
    with pytest.raises(Disagreement):
        for _ in agreeing_programs(0, 60, LIMIT):
            pass


@pytest.mark.parametrize("make", [Pos, RandomWalk, Pct, Surw, Rff, Period])
def test_samples_show_nothing_that_brute_force_does_not(make):
    shown = possible = 0
    for seed in range(40):
        program = random_program(seed)
        truth = program.run(Dfs(), LIMIT)
        if truth.exhausted:
            sampled = program.run(make(seed=seed), 40)
            assert sampled.outcomes <= truth.outcomes
            shown += len(sampled.outcomes)
            possible += len(truth.outcomes)
    assert shown > 0.8 * possible
