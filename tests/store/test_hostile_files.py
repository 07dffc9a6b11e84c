"""Settings, schedules and stores that anybody may have written: a clear line each, or an answer; nothing is run."""

import base64
import json
import sys
import zlib
from random import Random

import pytest

from plait.commands.check.known import Replays, result_of_known
from plait.commands.diff.runs import earlier_result
from plait.config import load_config
from plait.errors import UsageError
from plait.judge.oracle.evidence import Evidence
from plait.model.finding import AccessStep, Finding
from plait.model.schedule import Schedule, Segment
from plait.model.test import Call, Test
from plait.report.diff_text import diff_text
from plait.store.database import Store
from plait.store.explored_tests import ExploredTest
from plait.store.project import Memory
from plait.store.recording import CALLS, Asked, RecordedChunk, RecordedTest

EVIL = "__import__('sys').modules.setdefault('plait_was_here', 1)"
STRANGE = [None, 0, -1, 10**400, 1.5, [], {}, "", "x" * 5000, [[[[]]]], True, {"a": {"b": []}}, EVIL]
STEP = AccessStep(1, "a.py", 3, "A.f", "x", "read", "A.x")
FINDING = Finding(
    "wrong-result", "A: lost update", ["A.f"],
    Test.from_lines(["from a import A"], ["x = A()"], [["x.f()"], ["x.f()"]]),
    schedule=Schedule((Segment(1, ("a", "A.f", "read", "x", 0), 1), Segment(2))), interleaving=[STEP],
    race=[STEP, STEP],
)  # fmt: skip
OUTCOMES = {"old": [{"calls": {"thread 1: x.f()": "returns 1"}}], "new": [{"calls": {"thread 1: x.f()": "returns 2"}}]}
CONFIG = b"""
[tool.plait]
budget = "60s"
threads = 2
allow = ["write"]
exclude = ["stop"]
values = { key = ["'a'", "1"] }

[tool.plait.subject."a:A"]
factories = ["A()"]
not-parallel = [["start", "stop"]]
"""


def leaves(value, path=()):
    yield path
    for key, held in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from leaves(held, (*path, key))


def altered(data, dice):
    """Plain data with something strange in one place."""
    copy = json.loads(json.dumps(data))
    path = dice.choice([each for each in leaves(copy) if each])
    held = copy
    for key in path[:-1]:
        held = held[key]
    held[path[-1]] = dice.choice(STRANGE)
    return copy


def damaged(data, dice):
    raw = bytearray(data)
    if dice.random() < 0.3:
        del raw[dice.randrange(len(raw)) :]
    elif dice.random() < 0.2:
        start = dice.randrange(len(raw))
        strange = [b"[" * 3000, b"9" * 5000, b"\x00\xff", b'"""', b"= {a = {b = [[1]]}}", EVIL.encode()]
        raw[start:start] = dice.choice(strange)
    else:
        for _ in range(dice.choice([1, 1, 3])):
            raw[dice.randrange(len(raw))] ^= 1 << dice.randrange(8)
    return bytes(raw)


@pytest.fixture(autouse=True)
def nothing_is_run():
    yield
    assert "plait_was_here" not in sys.modules


def test_settings(tmp_path):
    dice = Random(1)
    refused = 0
    for _ in range(300):
        (tmp_path / "pyproject.toml").write_bytes(damaged(CONFIG, dice))
        try:
            load_config(tmp_path)
        except UsageError as error:
            refused += 1
            assert "pyproject.toml" in str(error)
            assert "\n" not in str(error)
    assert refused > 100


def test_schedules():
    dice = Random(2)
    assert Schedule.from_token(FINDING.schedule.token) == FINDING.schedule
    refused = 0
    for number in range(300):
        text = json.dumps(altered(FINDING.schedule.as_json(), dice)).encode()
        token = base64.urlsafe_b64encode(zlib.compress(text)).decode()
        if number % 3 == 0:
            token = damaged(token.encode(), dice).decode("latin-1")
        try:
            Schedule.from_token(token)
        except UsageError as error:
            refused += 1
            assert "\n" not in str(error)
    assert refused > 200


def test_findings_of_a_store(tmp_path):
    """The checksum is right, what it protects is not: it counts as absent."""
    dice = Random(3)
    with Store(tmp_path) as store:
        for number in range(400):
            store.record_finding("check a:A", f"{number}", altered(FINDING.as_json(), dice))
        store.record_finding("check a:A", "sound", FINDING.as_json())
        known = Memory(store, "check a:A", "code").known()
    assert "sound" in {each.cause for each in known}
    assert len(known) < 300
    for each in known:
        assert isinstance(each.finding.as_json(), dict)
        assert each.finding.summary


def test_explored_tests_and_runs_of_a_store():
    dice = Random(4)
    unit = {
        "executions": 3, "conflicts": True, "unguarded": False, "exhausted": True, "diverged": False,
        "covered": [["f", "g", 2]], "undetermined": ["f"], "violation": None, "probes": "x",
        "causes": ["a race"], "evidence": Evidence().as_json(),
    }  # fmt: skip
    run = {
        "verdict": "none", "stats": {"tests": 3, "schedules": 9}, "stopped_by": "budget", "more": {"pairs": []},
        "notes": ["a"], "causes": [], "at": 1.0, "reason": "",
    }  # fmt: skip
    assert ExploredTest.from_json(unit).as_json() == unit
    for _ in range(300):
        ExploredTest.from_json(altered(unit, dice))
        result_of_known(altered(run, dice), "a:A", 0, "both", Replays(Memory(None, "", None)))


def test_recordings_of_a_store():
    """Whatever is wrong with one: it is as good as none, or says which tests to run."""
    dice = Random(6)
    call = Call("put", "x.put({args})", args=("1",))
    test = Test(("from a import A",), (Call("A", "A()", result="x"),), ((call,), (call,)))
    rows = [{"methods": ["put", "put"], "tried": 1, "covered": 0}]
    plan = RecordedChunk([Asked(CALLS, test, "0f")], [RecordedTest(test, "key", "feedback")], rows, True)
    content = plan.as_json(lambda part: f"hash of {part}")
    found = RecordedChunk.from_json(content)
    assert found is not None
    assert found[0] == plan
    read = [RecordedChunk.from_json(altered(content, dice)) for _ in range(300)]
    assert None in read


def test_comparisons_of_a_store(tmp_path):
    """Whatever is wrong with them: a result that can be shown, or none."""
    dice = Random(5)
    run = {
        "verdict": "difference", "stopped_by": "finding",
        "stats": dict.fromkeys(
            ("tests_generated", "changed_pairs", "changed_methods", "tests_filtered", "checks", "schedules"), 3
        ),
        "more": {"sequential": [], "changed": ["f"], "outcomes": OUTCOMES,
                 "outcomes_complete": {"old": True, "new": True}}, "notes": ["a"], "at": 1.0, "seed": 0,
        "reason": "", "model": "both", "findings": [FINDING.as_json()],
    }  # fmt: skip
    shown = 0
    with Store(tmp_path) as store:
        memory = Memory(store, "diff a:A", "code")
        for number in range(200):
            memory.keep_run({"number": number}, altered(run, dice) if number else run)
            result = earlier_result(memory, {"number": number}, "a:A", {"old": "1", "new": "2"})
            if result is not None:
                shown += 1
                assert diff_text(result)
            assert result is not None or number
    assert 0 < shown < 200
