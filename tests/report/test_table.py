"""The column-per-thread table, compared with golden files."""

from __future__ import annotations

import io
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.model.finding import AccessStep
from plait.report.interleaving import _distances, table
from plait.report.layout import PIPED, Layout, as_text, show


def row(thread, line, code, access, value=None, *, file="cache.py", locks=()):
    found = {"thread": thread, "file": file, "line": line, "code": code, "access": access}
    if value is not None:
        found["value"] = value
    if locks:
        found["locks"] = list(locks)
    return AccessStep.from_json(found)


LOST_UPDATE = [
    row(1, 14, "self.hits", "read Cache.hits", "0"),
    row(2, 14, "self.hits", "read Cache.hits", "0"),
    row(2, 14, "self.hits", "write Cache.hits", "1"),
    row(1, 14, "self.hits", "write Cache.hits", "1"),
]
LOCKED = [
    row(1, 20, "self._lock", "read Cache._lock", "<RLock>"),
    row(1, 20, "with self._lock:", "acquire Cache._lock"),
    row(1, 21, "self._items", "read Cache._items", "{'a': 1}", locks=["Cache._lock"]),
    row(1, 21, "self._items[key]", "read Cache._items['a']", "1", locks=["Cache._lock"]),
    row(2, 30, "self._items.clear()", "write Cache._items", "{}"),
    row(1, 22, "del self._items[key]", "delete Cache._items['a']", locks=["Cache._lock"]),
]


def fits(text):
    return max(map(len, text.splitlines())) <= PIPED


def test_a_lost_update(golden):
    text = as_text(table(LOST_UPDATE, names={1: "hit", 2: "hit"}))
    assert fits(text)
    golden("table/lost_update.txt", text)


def test_locks_values_and_ends(golden):
    text = as_text(table(LOCKED, ends={1: "raises KeyError: 'a'"}))
    assert fits(text)
    assert "<RLock>" not in text
    golden("table/locked.txt", text)


def test_three_threads_stand_side_by_side(golden):
    rows = [row(thread, 10 + thread, f"step_{thread}(self)", "read Cache.value", str(thread)) for thread in (1, 2, 3)]
    text = as_text(table(rows))
    assert fits(text)
    golden("table/three_threads.txt", text)


def test_more_threads_stand_below_each_other(golden):
    rows = [row(thread, 10, "self.value += 1", "read Cache.value", "0") for thread in range(1, 7)]
    rows += [row(thread, 10, "self.value += 1", "write Cache.value", "1") for thread in range(1, 7)]
    text = as_text(table(rows, names={1: "increment"}, ends={6: "waits for the lock Cache._lock"}))
    assert fits(text)
    golden("table/six_threads.txt", text)


def test_several_files_are_named(golden):
    rows = [*LOST_UPDATE, row(2, 3, "queue.put(item)", "write Queue.queue", "[1]", file="jobs.py")]
    text = as_text(table(rows))
    assert fits(text)
    golden("table/two_files.txt", text)


def test_nothing_is_cut_and_no_word_is_broken():
    long = " ".join(f"word{number}" for number in range(80))
    text = as_text(table([row(1, 1, long, f"write {long}", long), row(2, 1, long, f"read {long}", long)]))
    assert fits(text)
    assert text.count("word79") == 6
    assert {each for each in text.split() if each.startswith("wor")} >= {f"word{number}" for number in range(79)}


def test_a_long_execution_keeps_what_is_shared(golden):
    rows = []
    for number in range(200):
        rows.append(row(1, number, f"self.a{number} = 0", f"write Cache.a{number}", "0"))
    rows += LOST_UPDATE
    text = as_text(table(rows, racing=[LOST_UPDATE[2], LOST_UPDATE[3]], height=12))
    assert fits(text)
    assert len(text.splitlines()) <= 12
    assert "steps folded: --full shows them" in text
    assert text.count("Cache.hits") == 4
    golden("table/folded.txt", text)


def exchange(count):
    return [row(1 + number % 2, number, "self.turn", "read Cache.turn", str(number)) for number in range(count)]


@pytest.mark.parametrize("height", [10, 20, 45])
def test_a_very_long_exchange_is_folded_to_the_height(height):
    rows = exchange(300)
    text = as_text(table(rows, racing=[rows[150], rows[151]], height=height))
    assert len(text.splitlines()) <= height
    assert "▶150 self.turn" in text
    assert "▶151 self.turn" in text


def test_the_full_table_has_every_step():
    text = as_text(table(exchange(300), layout=Layout(full=True), height=20))
    assert all(f"{number} self.turn" in text for number in range(300))
    assert "folded" not in text


@pytest.mark.parametrize("seed", range(20))
def test_folding_counts_what_it_hides_and_keeps_the_conflict(seed):
    rng = random.Random(seed)
    rows = []
    for number in range(rng.randint(30, 120)):
        place = rng.choice(("a", "b", f"own{number}"))
        verb = rng.choice(("read", "write", "acquire", "release"))
        rows.append(row(rng.randint(1, 3), number, f"step {number}", f"{verb} Cache.{place}", str(number)))
    racing = rng.sample(rows, 2)
    for width in (60, 80, 140):
        lines = as_text(table(rows, racing=racing, layout=Layout(width), height=30)).splitlines()
        assert max(map(len, lines)) <= width
        shown = sum(len(re.findall(r"\d step \d+", line)) for line in lines)
        hidden = sum(int(found) for line in lines for found in re.findall(r"\.\.\. (\d+) more step", line))
        assert shown + hidden == len(rows)
        assert sum("▶" in line for line in lines) == 3  # and the legend


def test_source_lines_are_shown_whole(tmp_path):
    path = tmp_path / "shop.py"
    path.write_text("class Shop:\n    def sell(self):\n        self.stock = self.stock - 1  # one less\n")
    text = as_text(table([row(1, 3, "self.stock", "read Shop.stock", "3", file=str(path))]))
    assert "3 self.stock = self.stock - 1  # one less" in text


def test_nothing_to_show():
    assert table([]) == []


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_colour_on_terminals_only(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    plain, coloured = io.StringIO(), Terminal()
    lines = table(LOCKED, ends={1: "raises KeyError: 'a'"})
    show(lines, plain)
    show(lines, coloured)
    assert "\x1b[" not in plain.getvalue()
    assert "\x1b[" in coloured.getvalue()
    assert "raises KeyError" in coloured.getvalue()


@given(st.lists(st.booleans(), max_size=30))
def test_distances_are_those_to_the_nearest_mark(marked):
    places = [number for number, mark in enumerate(marked) if mark] or [len(marked) - 1]
    assert _distances(marked) == [min(abs(index - place) for place in places) for index in range(len(marked))]


def test_the_way_to_a_part_and_what_never_changes_are_not_said():
    rows = [
        row(1, 5, "self._d[key] = self.size", "read Cache._d", "{}"),
        row(1, 5, "self._d[key] = self.size", "read Cache.size", "3"),
        row(1, 5, "self._d[key] = self.size", "insert Cache._d['a']", "3"),
        row(2, 9, "return self._d[key]", "read Cache._d", "{'a': 3}"),
        row(2, 9, "return self._d[key]", "read Cache._d['b']"),
    ]
    text = as_text(table(rows))
    assert "insert Cache._d['a']: 3" in text
    assert "read Cache._d['b']: (not there)" in text
    assert "read Cache.size" not in text
    assert "read Cache._d:" not in text
    full = as_text(table(rows, layout=Layout(full=True)))
    assert "read Cache.size: 3" in full
    assert "read Cache._d: {}" in full


def test_what_is_told_below_the_table_stays_in_it():
    rows = [row(1, number, f"self.a{number}", f"read Cache.a{number}", "0") for number in range(100, 200)]
    rows[50:50] = LOST_UPDATE
    kept = as_text(table(rows, racing=LOST_UPDATE[2:], telling=[(1, "cache.py", 120), (0, "cache.py", 190)], height=14))
    assert "120 self.a120" in kept
    assert "190 self.a190" in kept
    assert "more steps" in kept
    other = as_text(table(rows, racing=LOST_UPDATE[2:], telling=[(2, "cache.py", 120)], height=14))
    assert "120 self.a120" not in other


def test_nothing_is_folded_that_fits_below_each_other():
    """A column for each thread takes more lines: to fold steps for its sake would hide them for nothing."""
    step = "with self._lock_of_the_cache:"
    rows = [row(1 + number // 6, number, step, f"acquire Cache._lock_{number}", locks=()) for number in range(12)]
    assert "│ thread 2" in as_text(table(rows, layout=Layout(100), height=40))
    low = as_text(table(rows, layout=Layout(100), height=18))
    assert "more step" not in low
    assert "│" not in low


def test_generated_code_has_no_line_of_a_file():
    rows = [*LOST_UPDATE, row(2, 4, "self.amount", "write Item.amount", "2", file="<string>")]
    text = as_text(table(rows))
    assert "<string>" not in text
    assert "line numbers of cache.py" in text
    assert "14 self.hits" in text
