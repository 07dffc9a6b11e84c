"""The column-per-thread table, compared with golden files."""

from __future__ import annotations

import io

from plait.report.interleaving import WIDTH, as_text, table
from plait.report.publish import show


def row(thread, line, code, access, value=None, *, file="cache.py", locks=()):
    found = {"thread": thread, "file": file, "line": line, "code": code, "access": access}
    if value is not None:
        found["value"] = value
    if locks:
        found["locks"] = list(locks)
    return found


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
    return max(map(len, text.splitlines())) <= WIDTH


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


def test_more_threads_get_lanes(golden):
    rows = [row(thread, 10, "self.value += 1", "read Cache.value", "0") for thread in range(1, 7)]
    rows += [row(thread, 10, "self.value += 1", "write Cache.value", "1") for thread in range(1, 7)]
    text = as_text(table(rows, names={1: "increment"}, ends={6: "waits for the lock Cache._lock"}))
    assert fits(text)
    golden("table/lanes.txt", text)


def test_several_files_are_named(golden):
    rows = [*LOST_UPDATE, row(2, 3, "queue.put(item)", "write Queue.queue", "[1]", file="jobs.py")]
    text = as_text(table(rows))
    assert fits(text)
    golden("table/two_files.txt", text)


def test_what_does_not_fit_is_cut():
    long = "x" * 300
    text = as_text(table([row(1, 1, long, f"write {long}", long), row(2, 1, long, f"read {long}", long)]))
    assert fits(text)
    assert "…" in text


def test_a_long_execution_is_shortened_to_what_is_shared(golden):
    rows = []
    for number in range(200):
        rows.append(row(1, number, f"self.a{number} = 0", f"write Cache.a{number}", "0"))
    rows += LOST_UPDATE
    text = as_text(table(rows))
    assert fits(text)
    assert len(text.splitlines()) < 20
    assert "200 steps are not shown" in text
    golden("table/shortened.txt", text)


def test_a_very_long_exchange_is_shortened_in_the_middle():
    rows = []
    for number in range(300):
        rows.append(row(1 + number % 2, number, "self.turn", "read Cache.turn", str(number)))
    text = as_text(table(rows))
    assert len(text.splitlines()) < 150
    assert "more steps" in text
    assert "299 self.turn" in text


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
