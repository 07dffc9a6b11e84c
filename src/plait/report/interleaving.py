"""An interleaving as a table: time runs down, and each step shows its accesses with their values.

Input is the ``interleaving`` of a finding, so the same table serves a terminal, an exception's message and a result
file. Accesses of one thread to one line become one cell: the line of source, and its accesses. A bar marks that the
thread holds a lock, an arrow the conflicting accesses. Up to three threads stand side by side if all their lines fit.
Otherwise they stand below each other, with a heading at every switch. If there is no room for all cells, the least
important ones are folded and counted.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from plait.model.counted import counted
from plait.model.finding import AccessStep
from plait.report.layout import PIPED, Layout, Line, Span, wrapped
from plait.report.sources import source_line

_MOST_COLUMNS = 3
_MOST_LINES = 60  # where nobody says how many there may be
_LEAST_LINES = 8
_LONGEST_LOOP = 8  # cells
_FEW_CELLS = 30  # up to here `steps` keeps even what only one thread touches
BAR, GAP, RULE, CROSS, MARK, ARROW = "┃", " │ ", "─", "─┼─", "▶", "→ "


@dataclass(slots=True)
class _Cell:
    thread: int
    where: str
    code: str
    held: bool
    notes: list[str] = field(default_factory=list)
    end: bool = False
    weight: int = 0  # 0 is never folded
    race: bool = False
    folded: int = 0  # so many steps stand here no more


def table(
    rows: Sequence[AccessStep],
    *,
    names: Mapping[int, str] | None = None,
    ends: Mapping[int, str] | None = None,
    racing: Iterable[AccessStep] = (),
    telling: Collection[tuple[int, str, int]] = (),
    layout: Layout = Layout(),  # noqa: B008 - immutable
    height: int = _MOST_LINES,
) -> list[Line]:
    """Return the lines of the table, at most about ``height`` unless everything is wanted.

    ``names`` says what a thread does, ``ends`` how it ended if not well (``raises KeyError``, ``waits for ...``), and
    ``racing`` are the rows of the conflicting accesses. ``telling`` are lines that are never folded: thread, the file's
    own name and number; thread 0 is any.
    """
    cells, files = _cells(rows, list(racing), telling, full=layout.full)
    cells = _without_repeats(cells)
    for thread, text in (ends or {}).items():
        cells.append(_Cell(thread, "", text, held=False, end=True))
    threads = sorted({cell.thread for cell in cells if cell.thread > 0} | set(names or ()))
    if not threads or not cells:
        return []
    titles = {thread: _title(thread, (names or {}).get(thread, "")) for thread in threads}

    def drawn(kept: Sequence[_Cell], *, below: bool = False) -> list[Line]:
        return [*_drawn(kept, titles, layout.width, below=below), *_legend(kept, files, layout)]

    lines = drawn(cells)
    most = max(height, _LEAST_LINES)
    if layout.full or len(lines) <= most:
        return lines
    return _folded(cells, most, partial(drawn, below=True))  # which takes fewer lines than columns do


def _title(thread: int, name: str) -> str:
    return f"thread {thread}: {name}" if name else f"thread {thread}"


def _legend(cells: Sequence[_Cell], files: Sequence[str], layout: Layout) -> list[Line]:
    parts = []
    if len(files) == 1:
        parts.append(f"line numbers of {files[0]}")
    if any(cell.held for cell in cells):
        parts.append(f"{BAR} holds a lock")
    if any(cell.race for cell in cells):
        parts.append(f"{MARK} conflict")
    folded = sum(cell.folded for cell in cells)
    if folded:
        hint = f": {layout.hint}" if layout.hint else ""
        parts.append(f"{counted(folded, 'step')} folded{hint}")
    return [[Span(part, "note")] for part in wrapped("; ".join(parts), layout.width, hang=0)] if parts else []


# -- folding -----------------------------------------------------------------------------------------------------------


def _folded(cells: Sequence[_Cell], height: int, drawn: Callable[[Sequence[_Cell]], list[Line]]) -> list[Line]:
    """Return the table with as many of its cells, the weightiest first, as fit into ``height`` lines."""
    lines = drawn(cells)
    if len(lines) <= height:
        return lines
    distances = _distances([cell.race for cell in cells])
    order = sorted(range(len(cells)), key=lambda index: (cells[index].weight, distances[index]))
    least = sum(1 for cell in cells if not cell.weight)
    low, high = least, len(cells)
    best = drawn(_with_marks(cells, set(order[:least])))
    while low < high:  # the number of lines grows with that of the cells, but for a mark or a heading here and there
        middle = (low + high + 1) // 2
        tried = drawn(_with_marks(cells, set(order[:middle])))
        if len(tried) <= height:
            best, low = tried, middle
        else:
            high = middle - 1
    return best


def _distances(marked: Sequence[bool]) -> list[int]:
    """Return the distance of each cell from the nearest marked one, or from the last cell if none is marked.

    A table of a hang has thousands of cells, so this takes one pass forward and one backward.
    """
    count = len(marked)
    found = [count] * count if any(marked) else list(range(count - 1, -1, -1))
    for order in (range(count), range(count - 1, -1, -1)):
        away = count
        for index in order:
            away = 0 if marked[index] else away + 1
            found[index] = min(found[index], away)
    return found


def _with_marks(cells: Sequence[_Cell], kept: set[int]) -> list[_Cell]:
    """Return the cells that are kept, and one for each stretch of those that are not."""
    found: list[_Cell] = []
    for keep, group in itertools.groupby(enumerate(cells), lambda item: item[0] in kept):
        together = [cell for _index, cell in group]
        if keep:
            found += together
            continue
        count, threads = len(together), {cell.thread for cell in together}
        said = f"... {counted(count, 'more step')}"
        found.append(_Cell(threads.pop() if len(threads) == 1 else 0, "", said, held=False, folded=count))
    return found


# -- cells ------------------------------------------------------------------------------------------------------------

_PRIMITIVE = re.compile(r"<(Lock|RLock|Condition|Semaphore|BoundedSemaphore|Event|Barrier|Thread|local|Queue)>")


def _without_primitives(rows: Sequence[AccessStep]) -> list[AccessStep]:
    """Leave out reads of an attribute that holds a lock or the like: every use of it begins with one."""
    return [row for row in rows if not _PRIMITIVE.fullmatch(row.value or "")]


def _cells(
    rows: Sequence[AccessStep], racing: Sequence[AccessStep], telling: Collection[tuple[int, str, int]], *, full: bool
) -> tuple[list[_Cell], list[str]]:
    shown = _without_primitives(rows)
    changing = {_place(row) for row in rows if row.verb != "read"}
    files = list(dict.fromkeys(Path(row.file).name for row in shown if row.line and row.is_in_a_file))
    shared = _shared(shown)
    exact = [row for row in racing if row in shown]  # else those that look the same: the code may have moved since
    conflicts = {_identity(row) for row in racing}
    places = {_place(row) for row in racing}
    cells: list[_Cell] = []
    for _key, group in itertools.groupby(shown, _line_of):
        together = list(group)
        first = together[0]
        where = str(first.line) if len(files) == 1 else f"{Path(first.file).name}:{first.line}"
        if files and not first.is_in_a_file:  # code that somebody generates, such as a dataclass's methods
            where = ""
        code = _source(first.file, first.line) or first.code
        said = together if full else _worth_saying(together, racing, changing)
        notes = list(dict.fromkeys(map(_note, said)))
        race = any(row in exact if exact else _identity(row) in conflicts for row in together)
        named = Path(first.file).name
        tells = (first.thread, named, first.line) in telling or (0, named, first.line) in telling
        weight = 0 if race or tells else min(_weight(row, shared, places) for row in together)
        cells.append(_Cell(first.thread, where, code, bool(first.locks), notes, weight=weight, race=race))
    for before, after in itertools.pairwise(cells):  # where threads switch
        if before.thread != after.thread:
            before.weight, after.weight = min(before.weight, _BORDER), min(after.weight, _BORDER)
    for cell in (*cells[:1], *cells[-1:]):
        cell.weight = min(cell.weight, _BORDER)
    return cells, files


def _line_of(row: AccessStep) -> tuple[int, str, int, str]:
    """Return what the accesses of one row share: the line; in generated code, which has one line only, the text."""
    return row.thread, row.file, row.line, "" if row.is_in_a_file else row.code


_BORDER = 2


def _worth_saying(
    together: Sequence[AccessStep], racing: Sequence[AccessStep], changing: Collection[object]
) -> list[AccessStep]:
    """Return the accesses of a line to show: without reads on the path to a part of a container, or of constant values.

    At least one access of every line is shown, and all that race.
    """
    parts = {row.attribute for row in together if row.attribute != row.place}
    conflicts = {_identity(row) for row in racing}
    direct = [
        row for row in together
        if _identity(row) in conflicts or not (row.verb == "read" and row.place in parts)
    ]  # fmt: skip
    said = [row for row in direct if _identity(row) in conflicts or _place(row) in changing]
    return said or direct or list(together)


def _weight(step: AccessStep, shared: Collection[object], racing: Collection[object]) -> int:
    """Return the weight of a step: racing steps are folded last, those that no other thread touches first."""
    place = _place(step)
    if place in racing:
        return 1
    if place not in shared:
        return 5 if _is_sync(step) else 6
    if _is_sync(step):
        return _BORDER
    return 4 if step.verb == "read" else 3


def _source(file: str, line: int) -> str:
    """Return the line as it stands in the file.

    A name relative to some version's folder says nothing about files here.
    """
    named = Path(file).is_absolute() or file.startswith("<")
    return source_line(file, line) if named else ""


def _note(step: AccessStep) -> str:
    said = f"blocked by {step.place}" if step.verb == "find busy" else step.access
    value = GONE if step.value is None and step.verb == "read" and step.place.endswith("]") else step.value
    return said if value is None else f"{said}: {value}"


def _place(step: AccessStep) -> object:
    """Return what is touched: by number where it has one, because objects of one class have the same names."""
    return step.location or step.place


def _is_sync(step: AccessStep) -> bool:
    return step.verb not in ("read", "write", "insert", "delete")


def _without_private(rows: Sequence[AccessStep]) -> list[AccessStep]:
    """Leave out steps on what no other thread touches, if there is much to show."""
    if len(rows) <= _FEW_CELLS:
        return list(rows)
    shared = _shared(rows)
    return [row for row in rows if _place(row) in shared or _is_sync(row)]


def _shared(rows: Sequence[AccessStep]) -> set[object]:
    """Return the places that more than one thread touches."""
    users: dict[object, set[int]] = {}
    for row in rows:
        users.setdefault(_place(row), set()).add(row.thread)
    return {place for place, threads in users.items() if len(threads) > 1}


def _without_repeats(cells: list[_Cell]) -> list[_Cell]:
    """Return the cells with repeated rounds of loops shown only once or twice."""
    short: list[_Cell] = []
    index = 0
    while index < len(cells):
        period, times = _repeats(cells, index)
        short.extend(cells[index : index + period])
        if times > 2:
            threads = {cell.thread for cell in cells[index : index + period]}
            thread = threads.pop() if len(threads) == 1 else 0
            again = f"... {counted(times - 1, 'more time')}"
            short.append(_Cell(thread, "", again, held=False, weight=cells[index].weight))
        index += period * times if times > 2 else period
    return short


def _repeats(cells: list[_Cell], index: int) -> tuple[int, int]:
    """Return the length of the block that begins here and is repeated most, and how often it stands here."""
    best = (1, 1)
    for period in range(1, _LONGEST_LOOP + 1):
        times = 1
        block = cells[index : index + period]
        while cells[index + period * times : index + period * (times + 1)] == block:
            times += 1
        if times > 2 and period * times > best[0] * best[1]:
            best = (period, times)
    return best


# -- drawing -----------------------------------------------------------------------------------------------------------


def _drawn(cells: Sequence[_Cell], titles: Mapping[int, str], width: int, *, below: bool) -> list[Line]:
    label = max(len(cell.where) for cell in cells)
    wide = (width - len(GAP) * (len(titles) - 1)) // len(titles)
    if not below and len(titles) <= _MOST_COLUMNS and all(_fits(cell, label, wide) for cell in cells):
        return _columns(cells, titles, label, wide)
    return _below(cells, titles, label, width)


def _fits(cell: _Cell, label: int, wide: int) -> bool:
    """Return whether a cell fits into a column as it is; how a thread ended may be wrapped."""
    if cell.end:
        return wide >= 20
    room = wide - label - 3
    return len(cell.code) <= room and all(len(note) + 2 <= room for note in cell.notes)


def _columns(cells: Sequence[_Cell], titles: Mapping[int, str], label: int, wide: int) -> list[Line]:
    threads = list(titles)
    heads = [wrapped(titles[thread], wide) for thread in threads]
    lines = [
        _across([[Span(text, "head")] for text in texts], wide, GAP)
        for texts in itertools.zip_longest(*heads, fillvalue="")
    ]
    lines.append(_across([[Span(RULE * wide)] for _ in threads], wide, CROSS))
    notes = _notes_begin(cells, label, wide)
    for cell in cells:
        for line in _cell_lines(cell, label, notes, wide):
            parts = [line if thread == (cell.thread or threads[0]) else [] for thread in threads]
            lines.append(_across(parts, wide, GAP))
    return lines


def _across(parts: Sequence[Line], wide: int, gap: str) -> Line:
    line: Line = []
    for index, part in enumerate(parts):
        if index:
            line.append(Span(gap))
        line.extend((*part, Span(" " * (wide - sum(len(span.text) for span in part)))))
    return line


def _below(cells: Sequence[_Cell], titles: Mapping[int, str], label: int, width: int) -> list[Line]:
    """Return the threads below each other, with a heading wherever another one goes on."""
    notes = _notes_begin(cells, label, width)
    lines: list[Line] = []
    last, begun = None, set()
    for cell in cells:
        if cell.thread and cell.thread != last:
            name = f"thread {cell.thread}"
            again = f"{name} again" if cell.thread in begun else titles.get(cell.thread, name)
            lines += [[Span(part, "head")] for part in wrapped(again, width)]
            begun.add(cell.thread)
        last = cell.thread
        lines += _cell_lines(cell, label, notes, width)
    return lines


def _notes_begin(cells: Sequence[_Cell], label: int, wide: int) -> int:
    """Return the column, behind the line numbers, in which notes begin that stand beside their code."""
    room = wide - label - 3
    longest = max((len(cell.code) for cell in cells if not cell.end and cell.notes), default=0)
    return min(longest, room // 2) + 1


def _cell_lines(cell: _Cell, label: int, notes: int, wide: int) -> list[Line]:
    """Return the lines of one cell: what it touches stands behind the code, or below it; long lines are wrapped."""
    if cell.end:
        return [[Span(part, "end")] for part in wrapped(cell.code, wide, 2)]
    bar = BAR if cell.held else " "
    start = f"{bar}{MARK if cell.race else ' '}{cell.where:>{label}} "
    rest = f"{bar} {' ' * label} "
    style = "race" if cell.race else "note" if cell.folded else "line"
    room = wide - len(rest)
    whole = ARROW + "; ".join(cell.notes)
    if cell.notes and len(cell.code) < notes and notes + len(whole) <= room:
        return [[Span(start + cell.code, style), Span(" " * (notes - len(cell.code))), Span(whole, "note")]]
    parts = wrapped(cell.code, room) or [""]
    lines: list[Line] = [[Span(f"{rest if number else start}{part}", style)] for number, part in enumerate(parts)]
    return [*lines, *([Span(f"{rest}{part}", "note")] for part in _packed(cell.notes, room))]


def _packed(notes: Sequence[str], room: int) -> list[str]:
    """Return what a cell touches, as many as fit into a line."""
    lines: list[str] = []
    for note in notes:
        joined = f"{lines[-1]}; {note}" if lines else ""
        if lines and len(joined) <= room:
            lines[-1] = joined
        else:
            lines += wrapped(note, room, 2)
    return lines


# -- steps -------------------------------------------------------------------------------------------------------------
# An interleaving step by step, with the state after each step.


_TAKES = ("acquire", "take")
_DATA = ("read", "write", "insert")
GONE, UNKNOWN = "(not there)", "(not known)"


@dataclass(frozen=True, slots=True)
class ShownStep:
    """A step with what it leaves behind: the locks that its thread ``holds`` then, and the value of what it touched."""

    step: AccessStep
    holds: tuple[str, ...]
    value: str | None
    race: bool  # whether it is one of the conflicting accesses

    def as_json(self) -> dict[str, Any]:
        """Return plain data for the page."""
        row = {**self.step.as_json(), "place": self.step.place, "holds": list(self.holds)}
        if self.value is not None:
            row["value"] = self.value
        return {**row, "race": True} if self.race else row


def shown_steps(rows: Sequence[AccessStep], racing: Iterable[AccessStep] = ()) -> list[ShownStep]:
    """Return the steps worth showing; those that are also among the ``racing`` ones say so."""
    conflicts = [_identity(step) for step in racing]
    found = []
    for step in _without_private(_without_primitives(rows)):
        holds = [lock for lock in step.locks if not (step.verb == "release" and lock == step.place)]
        if step.verb in _TAKES and step.place not in holds:
            holds.append(step.place)
        value = step.value
        if step.verb == "delete" or (step.verb in _DATA and value is None):
            value = GONE if step.place.endswith("]") or step.verb == "delete" else UNKNOWN
        found.append(ShownStep(step, tuple(holds), value, _identity(step) in conflicts))
    return found


def _identity(step: AccessStep) -> tuple[Any, ...]:
    return step.thread, step.file, step.line, step.access


class State(NamedTuple):
    """The state after a step: the last value of each location, and the locks that threads hold."""

    values: dict[str, str]
    holds: dict[int, tuple[str, ...]]


def state(taken: Iterable[ShownStep]) -> State:
    """Return the state after these steps."""
    values: dict[str, str] = {}
    holds: dict[int, tuple[str, ...]] = {}
    for each in taken:
        holds[each.step.thread] = each.holds
        if each.value is not None:
            values[each.step.place] = each.value
    return State(values, holds)


# -- step text ---------------------------------------------------------------------------------------------------------
# One step of an interleaving on a terminal: the line of every thread, the source, locks and values.


AROUND = 4  # lines of source above and below
_MOST_VALUES = 12
KEYS = "keys: n or → forward, p or ← back, g first, G last, q quit"


def step_text(
    steps: Sequence[ShownStep], at: int, sources: Mapping[str, Any], names: Mapping[int, str],
    width: int = PIPED,
) -> list[str]:  # fmt: skip
    """Return the lines for step ``at``; ``names`` says what a thread does, ``sources`` is made by `sources.sources`."""
    shown, step = steps[at], steps[at].step
    what = step.access + (f": {shown.value}" if shown.value is not None else "")
    marks = [text for wanted, text in ((shown.race, "CONFLICT"), (step.changed, "changed line")) if wanted]
    lines = [f"step {at + 1} of {len(steps)}: thread {step.thread}, {what}{''.join(f'  [{m}]' for m in marks)}", ""]
    lines += _source_lines(step, sources.get(step.file, {}).get("lines", {}))
    known = state(steps[: at + 1])
    lines += ["", "  threads"]
    for thread in sorted({each.step.thread for each in steps}):
        mark = ">" if thread == step.thread else " "
        held = ", ".join(known.holds.get(thread, ())) or "no lock"
        lines.append(f"  {mark} {thread} {names.get(thread, '')}  holds {held}; {_next(steps, at, thread)}")
    lines += ["", "  values"]
    seen = list(known.values.items())
    lines += [f"    {place} = {value}" for place, value in seen[-_MOST_VALUES:]] or ["    none yet"]
    return [part for line in lines for part in (wrapped(line, width, hang=6) if len(line) > width else [line])]


def _source_lines(step: AccessStep, lines: Mapping[str, str]) -> list[str]:
    shown = [number for number in sorted(map(int, lines)) if abs(number - step.line) <= AROUND]
    if not shown:
        return [f"  {Path(step.file).name}", f"  > {step.line:5} {step.code}"]
    text = [f"  {'>' if number == step.line else ' '} {number:5} {lines[str(number)]}" for number in shown]
    return [f"  {Path(step.file).name}", *text]


def _next(steps: Sequence[ShownStep], at: int, thread: int) -> str:
    """Return what the thread does after this step, which is where it stands now."""
    following = next((each.step for each in steps[at + 1 :] if each.step.thread == thread), None)
    if following is None:
        return "takes no further step"
    return f"stands before line {following.line}: {following.access}"
