"""Match the statements of two versions.

Statements match by the normal form of their headers along a longest common subsequence, whatever block they stand in: a
statement that a change has put into a ``with`` block is still the same statement (ConDiff, Fig. 2). What the
subsequence leaves over matches by equal text as *moved*.
"""

from __future__ import annotations

import ast
import difflib
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from plait.subject.changes.normal import header, normal
from plait.subject.changes.scopes import BLOCKS, DEFINITIONS, FUNCTIONS, Container, Statement, scope_statements

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Above this many comparisons the exact subsequence costs seconds; such functions are tables or generated code.
_EXACT_CELLS = 4_000_000


class Alignment(NamedTuple):
    """The correspondence of the statements of two scopes: in order, out of order, or unmatched."""

    kept: tuple[tuple[Statement, Statement], ...]
    moved: tuple[tuple[Statement, Statement], ...]
    removed: tuple[Statement, ...]
    added: tuple[Statement, ...]


def align(old: Container, new: Container) -> Alignment:
    """Compare two versions of a function (with its ``def`` line), of a class body or of a module's own statements."""
    ours, theirs = statements(old), statements(new)
    functions = isinstance(old, FUNCTIONS) and isinstance(new, FUNCTIONS)
    if len(ours) == len(theirs) and functions and normal(old) == normal(new):
        return Alignment(tuple(zip(ours, theirs, strict=True)), (), (), ())
    texts = [_text(node, old) for node in ours], [_text(node, new) for node in theirs]
    kept = _common(*texts)
    left = [n for n in range(len(ours)) if n not in {i for i, _ in kept}]
    right = [n for n in range(len(theirs)) if n not in {j for _, j in kept}]
    moved = _moved(texts[0], texts[1], left, right, ours)
    gone, come = {i for i, _ in moved}, {j for _, j in moved}
    return Alignment(
        tuple((ours[i], theirs[j]) for i, j in kept),
        tuple((ours[i], theirs[j]) for i, j in moved),
        tuple(ours[i] for i in left if i not in gone),
        tuple(theirs[j] for j in right if j not in come),
    )


def match_statements(old: Container, new: Container) -> list[tuple[Statement, Statement]]:
    """Return pairs of corresponding statements, moved ones included, in the old version's order."""
    found = align(old, new)
    return sorted((*found.kept, *found.moved), key=lambda pair: span(pair[0]))


def statements(container: Container) -> list[Statement]:
    """Return the statements of a scope to compare, its own ``def`` line included.

    Definitions inside are other scopes.
    """
    own: list[Statement] = [] if isinstance(container, ast.Module) else [container]
    plain = [node for node in scope_statements(container) if not isinstance(node, DEFINITIONS)]
    return own + [node for node in plain if _is_code(node, container)]


def _is_code(node: Statement, container: Container) -> bool:
    bare = isinstance(node, ast.AnnAssign) and node.value is None
    return not bare or isinstance(container, ast.ClassDef)


def _text(node: Statement, container: Container) -> str:
    if isinstance(node, ast.AnnAssign) and isinstance(container, ast.ClassDef):
        return ast.unparse(node)
    return header(node)


def _common(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Index pairs of a longest common subsequence."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    pairs = [(n, n) for n in range(start)]
    a, b = old[start : len(old) - end], new[start : len(new) - end]
    if len(a) * len(b) > _EXACT_CELLS:
        blocks = difflib.SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
        middle = [(block.a + n, block.b + n) for block in blocks for n in range(block.size)]
    else:
        middle = _longest(a, b)
    pairs += [(start + i, start + j) for i, j in middle]
    return pairs + [(len(old) - n, len(new) - n) for n in range(end, 0, -1)]


def _longest(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int]]:
    lengths = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) - 1, -1, -1):
        row, below = lengths[i], lengths[i + 1]
        for j in range(len(b) - 1, -1, -1):
            row[j] = below[j + 1] + 1 if a[i] == b[j] else max(below[j], row[j + 1])
    pairs, i, j = [], 0, 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif lengths[i + 1][j] >= lengths[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def _moved(
    old: Sequence[str], new: Sequence[str], left: list[int], right: list[int], nodes: list[Statement]
) -> list[tuple[int, int]]:
    """Match equal statements outside of the subsequence in order; ``try`` and bare ``return`` are too unspecific."""
    places: dict[str, list[int]] = defaultdict(list)
    for j in reversed(right):
        places[new[j]].append(j)
    telling = (i for i in left if any(isinstance(part, ast.expr | ast.pattern) for part in header_parts(nodes[i])))
    return [(i, places[old[i]].pop()) for i in telling if places[old[i]]]


def header_parts(node: Statement) -> Iterator[ast.AST]:
    """Direct children of a statement that are not statements of its blocks."""
    for field, value in ast.iter_fields(node):
        if field not in BLOCKS or not isinstance(value, list):
            yield from (part for part in (value if isinstance(value, list) else [value]) if isinstance(part, ast.AST))


def span(node: Statement) -> tuple[int, int]:
    """Return first and last line of a statement; of a compound statement, of its header with its decorators."""
    lines = [line for part in (node, *header_parts(node)) if (line := getattr(part, "lineno", None))]
    ends = [end for part in header_parts(node) for end in _ends(part)]
    if not any(isinstance(getattr(node, block, None), list) for block in BLOCKS):
        ends.append(getattr(node, "end_lineno", None) or 0)
    return min(lines), max((*ends, getattr(node, "lineno", 0), min(lines)))


def _ends(part: ast.AST) -> Iterator[int]:
    for inner in ast.walk(part):
        end = getattr(inner, "end_lineno", None)
        if end is not None:
            yield end
            if inner is part:
                return


def matched_lines(old: Statement, new: Statement) -> Iterator[tuple[int, int]]:
    """Corresponding lines of two matched statements, also where the expression is broken over lines differently."""
    yield span(old)[0], span(new)[0]
    yield from _lines(old, new)


def _lines(old: ast.AST, new: ast.AST) -> Iterator[tuple[int, int]]:
    if type(old) is not type(new):
        return
    if hasattr(old, "lineno") and hasattr(new, "lineno"):
        yield old.lineno, new.lineno
    for field, value in ast.iter_fields(old):
        other = getattr(new, field, None)
        if field in {"annotation", "returns", "type_params"} or (field in BLOCKS and isinstance(value, list)):
            continue
        if isinstance(value, ast.AST) and isinstance(other, ast.AST):
            yield from _lines(value, other)
        elif isinstance(value, list) and isinstance(other, list):
            for mine, theirs in zip(value, other, strict=False):
                if isinstance(mine, ast.AST) and isinstance(theirs, ast.AST):
                    yield from _lines(mine, theirs)


def line_map(old: Container, new: Container) -> dict[int, int]:
    """Return line of the old version -> line of the same statement in the new one.

    Swap the arguments for the other way.
    """
    lines: dict[int, int] = {}
    for mine, theirs in match_statements(old, new):
        for line, other in matched_lines(mine, theirs):
            lines.setdefault(line, other)
    return lines
