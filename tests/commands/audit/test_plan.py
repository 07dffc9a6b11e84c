"""How an audit spreads its budget: by suspicion, everybody a little, and what is left over to those that starved."""

import pytest

from plait.commands.audit.plan import ENDLESS, LEAST, SHORTEST, Plan, Planned
from plait.judge.audit import Audited
from plait.subject.name import Subject
from plait.subject.package.suspects import Suspect


def plan_for(*scores, functions=1):
    steps = []
    for number, score in enumerate(scores):
        audited = [Audited(f"m:{number}.{each}", "function", "m.py", 1) for each in range(functions)]
        audited[0].suspects = [Suspect(score, "", "m", 1, ())]
        steps.append(Planned(Subject("m", str(number), None), audited, None))
    return Plan(steps)


def test_everybody_gets_a_little_and_suspects_more():
    plan = plan_for(20.0, 1.0, 0.0)
    plan.share(60.0)
    seconds = [step.seconds for step in plan.steps]
    assert sum(seconds) == pytest.approx(60.0, abs=0.5)
    assert seconds[0] > 2 * seconds[1] > 2 * seconds[2] - 0.1 > 2 * LEAST - 0.1


def test_a_module_gets_more_the_more_functions_it_has():
    plan = Plan([*plan_for(0.0, functions=9).steps, *plan_for(0.0).steps])
    plan.share(28.0)
    assert plan.steps[0].seconds - LEAST == pytest.approx(9 * (plan.steps[1].seconds - LEAST), abs=0.2)


def test_where_there_is_no_time_for_all_each_gets_less_and_the_last_ones_nothing():
    plan = plan_for(*[0.0] * 20)
    plan.share(60.0)
    assert {step.seconds for step in plan.steps} == {3.0}
    plan = plan_for(*[0.0] * 20)
    plan.share(20.0)
    assert [step.seconds for step in plan.steps] == [SHORTEST] * 10 + [0.0] * 10


def test_those_behind_a_slow_check_keep_the_least_they_need():
    plan = plan_for(0.0, 0.0, 0.0)
    plan.share(30.0)
    plan.note(plan.steps[0], 12.0)  # two seconds more than it was given: as long as each check will need
    plan.fit(plan.steps[1], 15.0, behind=1)
    assert plan.steps[1].seconds == pytest.approx(15.0 - 2.0 - (LEAST + 2.0))
    plan.fit(plan.steps[2], 4.0, behind=0)
    assert plan.steps[2].seconds == LEAST
    assert not plan.is_too_late(4.0)
    assert plan.is_too_late(3.9)


def test_what_is_left_over_goes_to_those_that_starved():
    plan = plan_for(0.0, 0.0, 0.0)
    plan.share(2 * LEAST)
    assert [bool(step.seconds) for step in plan.steps] == [True, True, True]
    plan.steps[1].audited[0].wants_time = plan.steps[2].audited[0].wants_time = True
    again = plan.second_share(30.0)
    assert again == plan.steps[1:]
    assert [step.seconds for step in again] == [15.0, 15.0]
    assert plan.second_share(1.0) == []


def test_a_note_says_how_much_time_would_be_enough():
    plan = plan_for(0.0, 0.0, 0.0)
    plan.share(30.0)
    assert plan.wants(30.0) == []
    plan.steps[1].audited[0].wants_time = plan.steps[2].audited[0].wants_time = True
    plan.note(plan.steps[0], 50.0)
    assert plan.wants(30.0) == ["2 of 3 checks had too little time: --budget 3m is probably enough"]  # 30 s and 2 of 50


def test_the_estimate_goes_by_how_long_the_others_took():
    plan = plan_for(0.0, 0.0, 0.0)
    plan.share(30.0)
    assert plan.rest(plan.steps, 30.0) == pytest.approx(30.0, abs=0.5)
    plan.note(plan.steps[0], 5.0)  # half of its share
    assert plan.rest(plan.steps[1:], 25.0) == pytest.approx(10.0, abs=0.5)


def test_without_a_clock_nobody_has_a_limit():
    plan = plan_for(0.0, 0.0)
    plan.share(None)
    plan.fit(plan.steps[0], ENDLESS, behind=1)
    plan.note(plan.steps[0], 5.0)
    assert [step.seconds for step in plan.steps] == [ENDLESS, ENDLESS]
    assert plan.rest(plan.steps, ENDLESS) == ENDLESS
    plan.steps[0].audited[0].wants_time = True
    assert plan.second_share(ENDLESS) == plan.wants(60.0) == []
