"""`plait explore` on a small git project whose last commit has the fault of Mina."""

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from plait.cli.main import main, option_of
from plait.pytest_plugin import explore as pytest_search
from result_schema import undescribed

MINA = Path(__file__).resolve().parents[3] / "benchmarks" / "capp" / "mina"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Two commits: the sound queue, then the faulty one; the test is in both."""
    folder = tmp_path / "project"
    (folder / "tests").mkdir(parents=True)
    shutil.copy(MINA / "test_mina.py", folder / "tests")
    (folder / "pyproject.toml").write_text("[tool.pytest.ini_options]\npythonpath = ['.']\n")

    def git(*arguments):
        who = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org")
        subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)

    git("init", "-q")
    for version in ("old", "new"):
        shutil.copy(MINA / version / "mina.py", folder)
        git("add", ".")
        git("commit", "-q", "-m", version)
    monkeypatch.chdir(folder)
    return folder


def explore(tmp_path, *arguments):
    file = tmp_path / "result.json"
    code = main(["explore", *arguments, "--json", str(file)])
    result = json.loads(file.read_text())
    assert undescribed(result) == []
    return code, result


def test_the_fault_is_found_within_five_schedules(project, tmp_path, capsys):
    code, result = explore(
        tmp_path, "tests/test_mina.py::test_mina", "--old", "HEAD~1", "--capp", "LOA", "--model", "free-threaded"
    )
    assert code == 1
    assert (result["command"], result["verdict"], result["stopped_by"]) == ("explore", "failure", "finding")
    stats = result["stats"]
    assert stats["schedules"] <= 5
    assert stats["transitions"] > 0
    assert (stats["preemption_bound"], stats["exhausted"]) == (2, False)
    assert stats["impacted_points"] == len(result["impact"]) > 3
    (finding,) = result["findings"]
    assert (finding["kind"], finding["exception"], finding["preemptions"]) == ("exception", "AssertionError", 1)
    assert finding["confirmed_on_threads"] is True
    assert "mina.py" in {Path(row["file"]).name for row in finding["interleaving"]}
    shown = capsys.readouterr().out
    assert "tests/test_mina.py::test_mina fails" in shown
    assert "Replay it: pytest tests/test_mina.py::test_mina --plait --plait-replay" in shown
    assert "places that the change can influence (HEAD~1" in shown


@pytest.mark.slow
def test_the_version_before_passes(project, tmp_path):
    options = ("--old", "HEAD", "--new", "HEAD~1", "--max-schedules", "100")
    code, result = explore(tmp_path, "test_mina:test_mina", *options)
    assert (code, result["verdict"], result["findings"]) == (0, "pass", [])
    assert result["stats"]["schedules"] == 100


@pytest.mark.parametrize(("test", "said"), [
    ("tests/test_nothing.py::test_x", "there is no file"), ("nothing:test_x", "there is no module"),
    ("tests/test_mina.py::test_other", "pytest ran no test"),
])  # fmt: skip
def test_unusable_tests(project, test, said, capsys):
    assert main(["explore", test, "--old", "HEAD~1"]) == 2
    assert said in capsys.readouterr().err


def test_other_readers_get_the_same_result(project, tmp_path):
    files = {name: tmp_path / f"result.{name}" for name in ("html", "junit", "sarif")}
    options = [text for name, file in files.items() for text in (f"--{name}", str(file))]
    code, result = explore(tmp_path, "tests/test_mina.py", "--old", "HEAD~1", "--workers", "2", *options)
    assert code == 1
    assert result["findings"][0]["summary"] in files["html"].read_text()
    assert '<failure type="exception"' in files["junit"].read_text()
    assert json.loads(files["sarif"].read_text())["runs"][0]["results"][0]["ruleId"] == "exception"


WRITER = """
import threading

def test_writes():
    threads = [threading.Thread(target=lambda: open("left-behind.txt", "w").close()) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def test_tests_do_no_more_than_they_are_allowed_to(project, tmp_path, monkeypatch):
    (project / "tests" / "test_writer.py").write_text(WRITER)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    code, result = explore(tmp_path, "tests/test_writer.py::test_writes", "--max-schedules", "3")
    assert (code, result["verdict"], result["stats"]["tests"]) == (3, "inconclusive", 0)
    assert "--allow write lets tests do that" in result["notes"][0]
    assert not (project / "left-behind.txt").exists()
    code, result = explore(tmp_path, "tests/test_writer.py::test_writes", "--max-schedules", "3", "--allow", "write")
    assert (code, result["stats"]["tests"], result["stats"]["threads"]) == (0, 1, 3)
    assert (project / "left-behind.txt").exists()


def test_a_search_that_controls_nothing_is_refused(project, capsys):
    assert main(["explore", "tests/test_mina.py::test_mina", "--schedule", "native"]) == 2
    assert "invalid choice: 'native'" in capsys.readouterr().err


@pytest.mark.parametrize("search", ["delay", "stateful"])
def test_a_search_that_is_documented_is_one(project, tmp_path, search):
    code, result = explore(tmp_path, "tests/test_mina.py::test_mina", "--schedule", search, "--max-schedules", "2")
    assert (result["stats"]["search"], code in (0, 1)) == (search, True)


def test_the_searches_of_the_command_line_are_those_of_the_plug_in():
    assert option_of("explore", "schedule").choices == pytest_search.SEARCHES


TWO_RACES = """
import threading


class Counter:
    def __init__(self):
        self.count = 0

    def add(self):
        count = self.count
        self.count = count + 1


def added(times):
    counter = Counter()
    threads = [threading.Thread(target=counter.add) for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter.count == times


def test_two():
    added(2)


def test_three():
    added(3)
"""


def test_the_command_to_replay_a_schedule_makes_that_test_fail_and_no_other(project, tmp_path, capsys):
    (project / "tests" / "test_races.py").write_text(TWO_RACES)
    code, result = explore(tmp_path, "tests/test_races.py", "--max-schedules", "60", "--workers", "1")
    assert (code, len(result["findings"])) == (1, 2)
    shown = capsys.readouterr().out
    assert "tests/test_races.py::test_two" in shown
    commands = [line.partition("Replay it: ")[2] for line in shown.splitlines() if "Replay it: " in line]
    for command, name in zip(commands, ("test_two", "test_three"), strict=True):
        program, *words = shlex.split(command)
        assert (program, words[0]) == ("pytest", f"tests/test_races.py::{name}")
        again = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words], capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert again.returncode == 1, again.stdout + again.stderr
        assert "1 failed" in again.stdout


def test_a_test_that_fails_without_threads_is_not_blamed_on_a_schedule(project, tmp_path):
    (project / "tests" / "test_wrong.py").write_text("def test_wrong():\n    assert 1 == 2\n")
    code, result = explore(tmp_path, "tests/test_wrong.py::test_wrong", "--max-schedules", "3")
    assert (code, result["verdict"], result["stats"]["schedules"]) == (1, "failure", 1)
    assert "it starts no thread: it fails without plait as well" in result["stories"][0]
    assert any("test_wrong ran on OS threads (1 time): it has one thread" in note for note in result["notes"])


def test_a_test_without_threads_is_no_evidence(project, tmp_path):
    (project / "tests" / "test_calm.py").write_text("def test_one():\n    pass\n\ndef test_two():\n    pass\n")
    code, result = explore(tmp_path, "tests/test_calm.py::test_one")
    assert (code, result["verdict"]) == (3, "inconclusive")
    assert result["reason"].startswith("the test starts no thread: there is one schedule only. Name a test that starts")
    code, result = explore(tmp_path, "tests/test_calm.py")
    assert (code, result["notes"][0]) == (3, result["reason"])
    assert result["reason"].startswith("none of 2 tests starts a thread")


SPOILED = """
import plait.pytest_plugin.explore as plug

NOW = [""]
STAGES = {"exploring": "search", "minimising": "simplify", "explaining": "with_failure", "reaching": "_reach",
          "reporting": "_failure"}

def pytest_runtest_setup(item):
    NOW[0] = item.name

def spoil(stage, name):
    sound = getattr(plug, name)
    def spoiled(*args, **named):
        if NOW[0] == f"test_{stage}":
            raise IndexError("on purpose")
        return sound(*args, **named)
    setattr(plug, name, spoiled)

for each in STAGES.items():
    spoil(*each)
"""
LOSING = """
import threading

def lose():
    values = [0]
    def work():
        values[0] = values[0] + 1
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert values == [2]

test_exploring = test_minimising = test_explaining = test_reaching = test_reporting = lose
"""


def test_an_error_of_our_own_costs_no_failure(project, tmp_path):
    """One stage is spoiled for each of the tests; all of them lose updates."""
    (project / "tests" / "conftest.py").write_text(SPOILED)
    (project / "tests" / "test_losing.py").write_text(LOSING)
    code, result = explore(tmp_path, "tests/test_losing.py", "--max-schedules", "50", "--workers", "1")
    assert (code, result["verdict"]) == (1, "failure")
    notes = [note for note in result["notes"] if note.startswith("[plait bug]")]
    stages = {"exploring", "minimising", "explaining", "finding out which builds can fail", "reporting"}
    assert {note.removeprefix("[plait bug] ").partition(":")[0] for note in notes} == stages
    assert all("IndexError: on purpose" in note and "test_losing.py::test_" in note for note in notes)
    assert len(result["findings"]) >= len(stages) - 1  # nothing had been found when exploring failed
    assert all(finding["exception"] == "AssertionError" for finding in result["findings"] if finding["interleaving"])


def test_a_project_whose_warnings_are_errors(project, tmp_path):
    """Pytest warns of plug-ins that were imported before it; plait's own process has plait."""
    (project / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    (project / "tests" / "test_small.py").write_text(
        "import threading\n\ndef test_small():\n    thread = threading.Thread(target=print)\n"
        "    thread.start()\n    thread.join()\n"
    )
    code, result = explore(tmp_path, "tests/test_small.py::test_small", "--max-schedules", "3")
    assert (code, result["verdict"]) == (0, "pass")
