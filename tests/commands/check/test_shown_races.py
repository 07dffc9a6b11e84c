"""The race that is shown is the one that matters: not a counter that goes up and down, not what happens afterwards."""

import json

from in_process import plait

NESTED = """
class Depth:
    def __init__(self):
        self.depth = 0

    def __enter__(self):
        self.depth += 1

    def __exit__(self, *_):
        self.depth -= 1


class Cache:
    def __init__(self):
        self._depth = Depth()
        self._data = {}

    def put_once(self, value: int):
        with self._depth:
            if "key" not in self._data:
                self._data["key"] = self._made(value)
            return self._data["key"]

    def _made(self, value):
        return [value]
"""
LAZY = """
import functools


class Board:
    def __init__(self):
        self._notes = {}

    @functools.cached_property
    def names(self):
        return []

    def put(self, key: str):
        self._notes[key] = 1
        self.names.append(key)

    def all(self):
        return [self._notes[key] for key in self._notes]
"""


def checked(folder, source, name):
    (folder / "shop.py").write_text(source)
    words = ("--max-tests", 60, "--workers", 1, "--model", "gil", "--json", "r.json", "--quiet")
    assert plait(folder, "check", f"shop:{name}", *words).returncode == 1
    return json.loads((folder / "r.json").read_text())


def test_what_has_its_old_value_again_is_not_what_is_raced_for(tmp_path):
    data = checked(tmp_path, NESTED, "Cache")
    first = data["findings"][0]
    assert {row["access"].partition(" ")[2] for row in first["race"]} <= {"Cache._data['key']", "Cache._data"}
    assert first["gap"]["function"] == "Cache.put_once"


def test_a_class_with_lazy_attributes_is_explained(tmp_path):
    data = checked(tmp_path, LAZY, "Board")
    assert not any("plait bug" in note for note in data.get("notes", []))
    raised = next(each for each in data["findings"] if each["exception"] == "RuntimeError")
    assert raised["raised"].startswith("RuntimeError: dictionary changed size during iteration, raised at shop.py:")
    assert any(row["line"] == int(raised["raised"].split("shop.py:")[1].split(",")[0]) for row in raised["race"])
    shown = plait(tmp_path, "explain", raised["fingerprint"])
    assert "can raise RuntimeError: dictionary changed size during iteration" in " ".join(shown.stdout.split())
