from datetime import timedelta
from decimal import Decimal

from plait.generate.values.candidates import draw
from plait.generate.values.mining import Mined, mine_source, mine_tests

SOURCE = """
class Door:
    def move(self, mode, speed, done, where):
        if mode == "open" or mode in ("shut", "ajar"):
            done()
        match where:
            case "left":
                pass
        for each in self.rooms:
            pass
        return speed > 3

    def label(self, text, pairs, rooms):
        for key, value in pairs.items():
            pass
        return text.upper() + str([room for room in rooms])
"""


def test_source_tells_literals_and_uses():
    mined = Mined()
    mine_source(SOURCE, mined)
    assert mined.compared == {"mode": ["'open'", "'shut'", "'ajar'"], "where": ["'left'"]}
    assert mined.used == {
        ("move", "done"): "Callable", ("move", "speed"): "int",
        ("label", "pairs"): "Mapping", ("label", "text"): "str", ("label", "rooms"): "Iterable",
    }  # fmt: skip


def test_source_tells_what_an_argument_becomes_and_its_limits():
    mined = Mined()
    mine_source(
        "class Latch:\n"
        "    def reset(self, count, why):\n"
        "        self.left = count\n"
        "        self.why = str(why)\n"
        "    def wait(self):\n"
        "        while self.left > 0 or 9 <= self.missing:\n"
        "            pass\n",
        mined,
    )
    assert mined.limits == {"left": ["0"], "missing": ["9"]}
    assert mined.stored == {("reset", "count"): "left"}


def test_broken_source_tells_nothing():
    mined = Mined()
    mine_source("def broken(:", mined)
    assert mined == Mined()


def test_tests_tell_arguments(tmp_path):
    (tmp_path / "test_door.py").write_text(
        "from doors import Door\n"
        "def test_it(tmp_path):\n"
        "    door = Door('oak', width=3)\n"
        "    door.move('open', speed=2)\n"
        "    door.move(tmp_path)\n"
        "    door['hinge'] = 4\n"
        "    assert door['lock']\n"
    )
    (tmp_path / "test_else.py").write_text("window.move('never')\n")
    (tmp_path / "test_broken.py").write_text("Door(")
    mined = Mined()
    mine_tests(tmp_path, "Door", mined)
    assert mined.built == [(("'oak'",), (("width", "3"),))]
    assert mined.given["move", 0] == ["'open'"]
    assert mined.given["move", "speed"] == ["2"]
    assert mined.given["__setitem__", 0] == ["'hinge'"]
    assert mined.given["__setitem__", 1] == ["4"]
    assert "'lock'" in mined.given["__getitem__", 0]


def test_drawn_values_read_back_and_repeat(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for wanted in (timedelta, Decimal):
        found = draw(wanted, seed=3, count=3)
        assert len(found) == 3
        for value in found:
            scope = {}
            exec("\n".join(value.imports), scope)
            assert isinstance(eval(value.text, scope), wanted)
        assert draw(wanted, seed=3, count=3) == found
    assert list(tmp_path.iterdir()) == []


def test_type_that_cannot_be_drawn():
    class Refuses:
        def __init__(self):
            raise RuntimeError

    assert draw(Refuses, seed=0, count=3) == []
