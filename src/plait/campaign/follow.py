"""A stream's next chunk by its plan: nothing is generated, and only what a change reaches is run again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.campaign.fingerprint import Changed
from plait.campaign.plan import Plan, Planned, answer_of, plan_key, renewed
from plait.judge.meetings import conduct_of
from plait.judge.sequential import SequentialRunner

if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.campaign.recall import Recall
    from plait.campaign.stream import Chunk, Stream
    from plait.model.test import Test


def follow(stream: Stream, chunk: Chunk, count: int, recall: Recall, on_test: Callable[[Test], None]) -> bool:
    """Do what the plan of the next ``count`` tests says; False if there is none, or an answer has become another one.

    Then the chunk is good for nothing but its ``units``. The stream's generator stays where it is all the time.
    """
    key = plan_key(stream.trail, count)
    content = recall.plan(key)
    found = Plan.from_json(content) if content is not None else None
    if content is None or found is None:
        return False
    plan, parts = found
    changed = Changed(part for part, code in parts.items() if recall.part(part) != code)
    run = SequentialRunner()
    for test, answer in plan.runs:
        if changed.reaches(test):
            now = conduct_of(test) if test.suffixes else run(test)
            if answer_of(now) != answer:
                return False
    tests: list[Planned] = []
    for each in plan.tests:
        tests.append(stream.examine_one(each.test, chunk, on_test, None if changed.reaches(each.test) else each.key))
        if tests[-1].told != each.told:
            return False
    stream.trail = plan.trail(stream.trail)
    if changed:
        chunk.units[key] = renewed(content, tests, recall.part)
    chunk.over, chunk.pairs = plan.over, plan.pairs
    return True
