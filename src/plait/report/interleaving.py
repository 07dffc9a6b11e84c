"""An interleaving as people read it: one column per thread, time running down.

Input is the ``interleaving`` of a finding (rows of plain data), so the same table serves a terminal, an exception's
message and a result file read back. Accesses of one thread to one line become one cell: the line of source, and below
it what was touched and which value it had. A bar marks where the thread holds a lock. Up to three threads stand side
by side if that leaves room for their lines; more get a narrow lane each. Long stretches in which nothing is shared are
left out and counted.
"""

from __future__ import annotations

import itertools
import linecache
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

WIDTH = 100
MOST_COLUMNS = 3
MOST_CELLS = 60
LONGEST_LOOP = 8  # cells
FEW_CELLS = 30  # up to here even what only one thread touches is shown
BAR, GAP, RULE, CROSS, DOT, CUT = "┃", " │ ", "─", "─┼─", "●", "✗"

Row = Mapping[str, Any]


class Span(NamedTuple):
    """Text in one style: ``head``, ``line``, ``note``, ``end`` or plain."""

    text: str
    style: str = ""


Line = list[Span]


@dataclass(slots=True)
class _Cell:
    thread: int
    where: str
    code: str
    held: bool
    notes: list[str] = field(default_factory=list)
    end: bool = False
    private: bool = False


def table(
    rows: Sequence[Row],
    *,
    names: Mapping[int, str] | None = None,
    ends: Mapping[int, str] | None = None,
    width: int = WIDTH,
) -> list[Line]:
    """Return the lines of the table.

    ``names`` says what a thread does, ``ends`` how it ended if not well (``raises KeyError``, ``waits for ...``).
    """
    all_cells, files = _cells(rows)
    cells = [cell for cell in all_cells if not cell.private] if len(all_cells) > FEW_CELLS else all_cells
    left_out = len(all_cells) - len(cells)
    cells = _shortened(cells)
    for thread, text in (ends or {}).items():
        cells.append(_Cell(thread, "", text, held=False, end=True))
    threads = sorted({cell.thread for cell in cells if cell.thread > 0} | set(names or ()))
    if not threads or not cells:
        return []
    titles = {thread: _title(thread, (names or {}).get(thread, "")) for thread in threads}
    label = max(len(cell.where) for cell in cells)
    roomy = len(threads) <= MOST_COLUMNS and label * 3 <= width // len(threads)
    lines = (_columns if roomy else _lanes)(cells, titles, label, width)
    return [*lines, *_legend(cells, files, left_out)]


def as_text(lines: Iterable[Line]) -> str:
    """Without styles."""
    return "\n".join("".join(span.text for span in line).rstrip() for line in lines)


def _title(thread: int, name: str) -> str:
    return f"thread {thread}: {name}" if name else f"thread {thread}"


def _legend(cells: Sequence[_Cell], files: Sequence[str], left_out: int) -> list[Line]:
    lines: list[Line] = []
    if len(files) == 1:
        lines.append([Span(f"line numbers of {files[0]}", "note")])
    if any(cell.held for cell in cells):
        lines.append([Span(f"{BAR} holds a lock", "note")])
    if left_out:
        lines.append([Span(f"{left_out} steps are not shown that touch what no other thread does", "note")])
    return lines


# -- cells ------------------------------------------------------------------------------------------------------------

_PRIMITIVE = re.compile(r"<(Lock|RLock|Condition|Semaphore|BoundedSemaphore|Event|Barrier|Thread|local|Queue)>")


def without_primitives(rows: Sequence[Row]) -> list[Row]:
    """Without the looks at an attribute that holds a lock or the like, which every use of it begins with."""
    return [row for row in rows if not _PRIMITIVE.fullmatch(str(row.get("value", "")))]


def _cells(rows: Sequence[Row]) -> tuple[list[_Cell], list[str]]:
    shown = without_primitives(rows)
    files = list(dict.fromkeys(Path(row["file"]).name for row in shown if row.get("line")))
    shared = _shared(shown)
    cells: list[_Cell] = []
    for _key, group in itertools.groupby(shown, lambda row: (row["thread"], row["file"], row["line"])):
        together = list(group)
        first = together[0]
        where = str(first["line"]) if len(files) == 1 else f"{Path(first['file']).name}:{first['line']}"
        code = _source(first["file"], first["line"]) or first["code"]
        notes = list(dict.fromkeys(map(_note, together)))
        private = not any(_place(row) in shared or _is_sync(row) for row in together)
        cells.append(_Cell(first["thread"], where, code, _held(first), notes, private=private))
    return cells, files


def _source(file: str, line: int) -> str:
    """Return the line as it stands in the file.

    A name relative to some version's folder says nothing about files here.
    """
    named = Path(file).is_absolute() or file.startswith("<")
    return linecache.getline(file, line).strip() if named else ""


def _held(row: Row) -> bool:
    return bool(row.get("locks"))


def _note(row: Row) -> str:
    value = row.get("value")
    return row["access"] if value is None else f"{row['access']}: {value}"


def _place(row: Row) -> object:
    """Return what is touched: by number where it has one, because objects of one class have the same names."""
    return row.get("location") or str(row["access"]).partition(" ")[2]


def _is_sync(row: Row) -> bool:
    return not str(row["access"]).startswith(("read", "write", "insert", "delete"))


def without_private(rows: Sequence[Row]) -> list[Row]:
    """Without what touches only what no other thread does, if there is much to show."""
    if len(rows) <= FEW_CELLS:
        return list(rows)
    shared = _shared(rows)
    return [row for row in rows if _place(row) in shared or _is_sync(row)]


def _shared(rows: Sequence[Row]) -> set[object]:
    """Return the places that more than one thread touches."""
    users: dict[object, set[int]] = {}
    for row in rows:
        users.setdefault(_place(row), set()).add(row["thread"])
    return {place for place, threads in users.items() if len(threads) > 1}


def _shortened(cells: list[_Cell]) -> list[_Cell]:
    cells = _without_repeats(cells)
    if len(cells) > MOST_CELLS:
        runs = [list(group) for _thread, group in itertools.groupby(cells, lambda cell: cell.thread)]
        cells = [cell for run in runs for cell in _without_middle(run, 3, 3)]
    return _without_middle(cells, MOST_CELLS // 2 - 5, MOST_CELLS // 2 + 5)


def _without_repeats(cells: list[_Cell]) -> list[_Cell]:
    """Loops that go round and round, shown once or twice."""
    short: list[_Cell] = []
    index = 0
    while index < len(cells):
        period, times = _repeats(cells, index)
        short.extend(cells[index : index + period])
        if times > 2:
            threads = {cell.thread for cell in cells[index : index + period]}
            thread = threads.pop() if len(threads) == 1 else 0
            short.append(_Cell(thread, "", f"... {times - 1:,} more times", held=False))
        index += period * times if times > 2 else period
    return short


def _repeats(cells: list[_Cell], index: int) -> tuple[int, int]:
    """Return the length of the block that begins here and is repeated most, and how often it stands here."""
    best = (1, 1)
    for period in range(1, LONGEST_LOOP + 1):
        times = 1
        block = cells[index : index + period]
        while cells[index + period * times : index + period * (times + 1)] == block:
            times += 1
        if times > 2 and period * times > best[0] * best[1]:
            best = (period, times)
    return best


def _without_middle(cells: list[_Cell], first: int, last: int) -> list[_Cell]:
    left_out = len(cells) - first - last
    if left_out < 2:
        return cells
    thread = cells[first].thread if len({cell.thread for cell in cells}) == 1 else 0
    return [*cells[:first], _Cell(thread, "", f"... {left_out} more steps", held=False), *cells[-last:]]


# -- layout -----------------------------------------------------------------------------------------------------------


def _columns(cells: Sequence[_Cell], titles: Mapping[int, str], label: int, width: int) -> list[Line]:
    threads = list(titles)
    wide = (width - len(GAP) * (len(threads) - 1)) // len(threads)
    lines: list[Line] = [
        _across([Span(_cut(titles[thread], wide), "head") for thread in threads], wide, GAP),
        _across([Span(RULE * wide) for _ in threads], wide, CROSS),
    ]
    for cell in cells:
        for span in _lines(cell, label, wide):
            spans = [span if thread == cell.thread or not cell.thread else Span("") for thread in threads]
            lines.append(_across(spans, wide, GAP))
    return lines


def _across(spans: Sequence[Span], wide: int, gap: str) -> Line:
    line: Line = []
    for index, span in enumerate(spans):
        if index:
            line.append(Span(gap))
        line.extend((span, Span(" " * (wide - len(span.text)))))
    return line


def _lanes(cells: Sequence[_Cell], titles: Mapping[int, str], label: int, width: int) -> list[Line]:
    threads = list(titles)
    lane = max(len(str(thread)) for thread in threads) + 1
    rest = width - lane * len(threads) - 1
    lines: list[Line] = [[Span(_cut(f"{thread:>{lane}}  {titles[thread]}", width), "head")] for thread in threads]
    lines.append([Span("".join(f"{thread:>{lane}}" for thread in threads), "head")])
    for cell in cells:
        for number, span in enumerate(_lines(cell, label, rest)):
            mark = (CUT if cell.end else DOT) if number == 0 else " "
            marks = "".join(f"{mark if thread == cell.thread else ' ':>{lane}}" for thread in threads)
            lines.append([Span(marks), Span(" "), span])
    return lines


def _lines(cell: _Cell, label: int, wide: int) -> list[Span]:
    """Return the lines of one cell."""
    bar = BAR if cell.held else " "
    if cell.end:
        return [Span(f"  {part}", "end") for part in _wrapped(cell.code.split(" "), wide - 2, " ")]
    lines = [Span(_cut(f"{bar} {cell.where:>{label}} {cell.code}", wide), "line")]
    indent = f"{bar} {' ' * label}   "
    lines.extend(Span(f"{indent}{part}", "note") for part in _wrapped(cell.notes, wide - len(indent), "; "))
    return lines


def _wrapped(parts: Sequence[str], wide: int, glue: str) -> list[str]:
    """Parts joined to lines that fit; a part that does not fit by itself is cut."""
    lines: list[str] = []
    for part in parts:
        joined = f"{lines[-1]}{glue}{part}" if lines else ""
        if lines and len(joined) <= wide:
            lines[-1] = joined
        else:
            lines.append(_cut(part, wide))
    return lines


def _cut(text: str, wide: int) -> str:
    return text if len(text) <= wide else text[: wide - 1] + "…"


# -- steps -------------------------------------------------------------------------------------------------------------
# An interleaving step by step: what each step leaves behind, for whoever shows one step at a time.


TAKES = ("acquire", "take")
_DATA = ("read", "write", "insert")
GONE, UNKNOWN = "(not there)", "(not known)"


def steps(rows: Sequence[Mapping[str, Any]], racing: Iterable[Mapping[str, Any]] = ()) -> list[dict[str, Any]]:
    """Return the rows worth showing, each with its ``place`` and the locks that its thread ``holds`` afterwards.

    Those that are also among the ``racing`` ones say so (``race``).
    """
    conflicts = [_identity(row) for row in racing]
    found = []
    for row in without_private(without_primitives(rows)):
        verb, _, place = str(row["access"]).partition(" ")
        holds = [lock for lock in row.get("locks", ()) if not (verb == "release" and lock == place)]
        step = {**row, "place": place, "holds": [*holds, *([place] if verb in TAKES and place not in holds else [])]}
        if verb == "delete" or (verb in _DATA and "value" not in row):
            step["value"] = GONE if place.endswith("]") or verb == "delete" else UNKNOWN
        if _identity(row) in conflicts:
            step["race"] = True
        found.append(step)
    return found


def _identity(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["thread"], row["file"], row["line"], row["access"]


class State(NamedTuple):
    """What is known when a step has been taken: the last values seen, by place, and who holds which locks."""

    values: dict[str, str]
    holds: dict[int, list[str]]


def state(taken: Iterable[Mapping[str, Any]]) -> State:
    """After these steps."""
    values: dict[str, str] = {}
    holds: dict[int, list[str]] = {}
    for step in taken:
        holds[step["thread"]] = list(step["holds"])
        if "value" in step:
            values[step["place"]] = str(step["value"])
    return State(values, holds)


# -- step text ---------------------------------------------------------------------------------------------------------
# One step of an interleaving on a terminal: where every thread stands, the source, locks and values.


AROUND = 4  # lines of source above and below
MOST_VALUES = 12
KEYS = "keys: n or → forward, p or ← back, g first, G last, q quit"


def step_text(
    steps: Sequence[Mapping[str, Any]], at: int, sources: Mapping[str, Any], names: Mapping[int, str]
) -> list[str]:
    """The lines for step ``at``; ``names`` says what a thread does, ``sources`` is made by `sources.sources`."""
    step = steps[at]
    what = str(step["access"]) + (f": {step['value']}" if "value" in step else "")
    marks = [text for key, text in (("race", "CONFLICT"), ("changed", "changed line")) if step.get(key)]
    lines = [f"step {at + 1} of {len(steps)}: thread {step['thread']}, {what}{''.join(f'  [{m}]' for m in marks)}", ""]
    lines += _source_lines(step, sources.get(str(step["file"]), {}).get("lines", {}))
    known = state(steps[: at + 1])
    lines += ["", "  threads"]
    for thread in sorted({each["thread"] for each in steps}):
        mark = ">" if thread == step["thread"] else " "
        held = ", ".join(known.holds.get(thread, ())) or "no lock"
        lines.append(f"  {mark} {thread} {names.get(thread, '')}  holds {held}; {_next(steps, at, thread)}")
    lines += ["", "  values"]
    seen = list(known.values.items())
    lines += [f"    {place} = {value}" for place, value in seen[-MOST_VALUES:]] or ["    none yet"]
    return [line if len(line) <= WIDTH else line[: WIDTH - 1] + "…" for line in lines]


def _source_lines(step: Mapping[str, Any], lines: Mapping[str, str]) -> list[str]:
    shown = [number for number in sorted(map(int, lines)) if abs(number - step["line"]) <= AROUND]
    if not shown:
        return [f"  {Path(str(step['file'])).name}", f"  > {step['line']:5} {step['code']}"]
    text = [f"  {'>' if number == step['line'] else ' '} {number:5} {lines[str(number)]}" for number in shown]
    return [f"  {Path(str(step['file'])).name}", *text]


def _next(steps: Sequence[Mapping[str, Any]], at: int, thread: int) -> str:
    """Return what the thread does after this step, which is where it stands now."""
    following = next((each for each in steps[at + 1 :] if each["thread"] == thread), None)
    if following is None:
        return "takes no further step"
    return f"stands before line {following['line']}: {following['access']}"
