"""Everyday idioms under ``pytest --plait``: no false failure, none missed, each within its budget."""

import json
from collections import Counter
from pathlib import Path

IDIOMS = Path(__file__).parent / "idioms"


def test_each_idiom_has_the_verdict_that_its_name_says(pytester):
    # The other files belong to test_thread_ends and test_watchdog.
    names = ("everyday", "identity", "clocks", "loops", "system")
    told = _told(pytester, names, "10")
    wrong = {name: (each["ran"], each.get("why"), each["outcome"]) for name, each in told.items()
             if each["outcome"] != ("failed" if name.endswith("_fails") else "passed")}  # fmt: skip
    assert wrong == {}
    ran = Counter(each["ran"] for each in told.values())
    assert (ran.total(), set(ran)) == (sum(_count(name) for name in names), {"explored", "OS threads"})
    assert ran["explored"] > 50


def test_each_execution_of_a_schedule_does_the_same(pytester):
    told = _told(pytester, ("repeating",), "60")
    assert len(told) == _count("repeating")
    wrong = {name: (each["ran"], each.get("why"), each.get("details"), each["outcome"]) for name, each in told.items()
             if (each["ran"], each["outcome"]) != ("explored", "passed")}  # fmt: skip
    assert wrong == {}


def _told(pytester, names, seconds):
    pytester.makepyfile(**{f"test_{name}": (IDIOMS / f"{name}.py").read_text() for name in names})
    file = pytester.path / "account.json"
    options = ("--plait-seconds", seconds, "--plait-schedules", "40", "--plait-result", str(file))
    pytester.runpytest_subprocess("-p", "no:cacheprovider", "--plait", *options, timeout=900)
    return {each["test"].rpartition("::")[2]: each for each in json.loads(file.read_text())["tests"]}


def test_there_are_sixty_idioms_and_more():
    assert sum(_count(path.stem) for path in IDIOMS.glob("*.py")) >= 80


def _count(name):
    return (IDIOMS / f"{name}.py").read_text().count("def test_")
