"""Code under test only computes, unless it is allowed more."""

import guard_tasks as tasks
import pytest

from plait.workers.pool import Workers
from plait.workers.protocol import WorkerSpec

LONG = 20.0
CASES = [(name, act.__name__) for name, acts in tasks.ACTS.items() for act in acts]


@pytest.fixture
def precious(tmp_path):
    """A file outside every worker's folder, in a folder of its own."""
    folder = tmp_path / "precious"
    folder.mkdir()
    file = folder / "file"
    file.write_text("precious")
    return file


@pytest.mark.parametrize(("name", "act"), CASES, ids=[act for _, act in CASES])
def test_stopped_and_named(workers, precious, name, act):
    answer = workers.submit(tasks.commit, act, str(precious), timeout=LONG).result()
    assert "plait stopped " in answer.value
    assert f"--allow {name}" in answer.value
    assert answer.stopped
    assert {stop["act"] for stop in answer.stopped} == {name}
    for stop in answer.stopped:
        assert stop["call"] in answer.value or len(answer.stopped) > 1
        assert stop["at"].startswith("guard_tasks.py:")
        assert f" in {act}" in stop["at"]
    assert precious.read_text() == "precious"
    assert [entry.name for entry in precious.parent.iterdir()] == ["file"]


@pytest.mark.parametrize("name", tasks.ACTS)
def test_each_is_opened_by_its_name_alone(name, tmp_path):
    allowed = {"write": "write", "network": "resolve", "subprocess": "run", "native": "library"}
    with Workers(WorkerSpec(allow=frozenset({name})), count=1) as workers:
        for other, act in allowed.items():
            answer = workers.submit(tasks.commit, act, str(tmp_path / "new"), timeout=LONG).result()
            assert (answer.value == "done") == (other == name)
            assert bool(answer.stopped) == (other != name)
    assert (tmp_path / "new").exists() == (name == "write")


def test_harmless_acts_pass(workers):
    answer = workers.submit(tasks.harmless, timeout=LONG).result()
    assert answer.value == "fine"
    assert answer.stopped == ()


def test_plait_may_call_the_interpreter_as_before_it_was_confined(workers):
    answer = workers.submit(tasks.change_a_class_of_c, timeout=LONG).result()
    assert (answer.value, answer.stopped) == ("changed", ())


def test_files_of_ours_are_not_opened_and_closed_by_their_numbers(workers):
    said = workers.submit(tasks.open_by_number, timeout=LONG).result().value
    assert any("plait stopped open(" in each for each in said)
    assert workers.submit(tasks.harmless, timeout=LONG).result().value == "fine"


def test_it_cannot_be_switched_off_by_name():
    with Workers(WorkerSpec(), count=1) as workers:
        results = workers.submit(tasks.try_to_switch_off, timeout=LONG).result().value
    assert all(result.startswith("plait stopped ") for result in results)


def test_many_stops_are_bounded_and_forgotten_after_their_task(workers, tmp_path):
    assert len(workers.submit(tasks.stop_often, str(tmp_path / "x"), timeout=LONG).result().stopped) == 50
    assert workers.submit(tasks.harmless, timeout=LONG).result().stopped == ()
    assert list(tmp_path.iterdir()) == []


def test_threads(workers, tmp_path):
    answer = workers.submit(tasks.concurrently, str(tmp_path / "x"), timeout=LONG).result()
    assert all(result.startswith("plait stopped ") for result in answer.value)
    assert len(answer.stopped) == 5


SUBJECT = """
import threading

class Diary:
    def __init__(self):
        self.lock = threading.Lock()

    def note(self, path):
        with self.lock:
            with open(path, "w") as file:
                file.write("x")
"""


def test_plait_keeps_its_own_cache_and_code_under_test_stays_out_of_it(tmp_path):
    (tmp_path / "diary.py").write_text(SUBJECT)
    cache = tmp_path / "cache"
    spec = WorkerSpec(module="diary", qualname="Diary", roots=(tmp_path,), cache=cache)
    with Workers(spec, count=1) as workers:
        answer = workers.submit(note_in_world, str(cache / "poison"), timeout=LONG).result()
    assert any(cache.iterdir())
    assert answer.value == "PermissionError"
    assert [stop["call"] for stop in answer.stopped] == [f"open({str(cache / 'poison')!r}, 'w')"]
    assert answer.stopped[0]["at"] == "diary.py:10 in Diary.note"
    assert not (cache / "poison").exists()
    assert not (tmp_path / "__pycache__").exists()


def note_in_world(path):
    """Run in the worker, under the engine."""
    from plait.run.engine import ENGINE
    from plait.workers import state

    subject = state.subject()
    seen = []

    def prepare():
        diary = subject()
        return [lambda: diary.note(path)]

    ENGINE.execute(prepare, finish=lambda: seen.append(type(ENGINE.threads[1].error).__name__))
    return seen[0]
