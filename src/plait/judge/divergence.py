"""One schedule, two executions: what in the source may be the cause."""

from __future__ import annotations

import ast
import functools
import linecache
from typing import TYPE_CHECKING

from plait.model.outcome import Divergence
from plait.observe.places import place
from plait.observe.spots import line_of, short

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.explore import replay
    from plait.run.engine import Entry

# Called names (last parts suffice) whose results differ from run to run, by what makes them differ.
_SUSPECTS = {
    "randomness": {
        "random", "randint", "randrange", "choice", "choices", "shuffle", "sample", "uniform", "getrandbits", "urandom",
        "token_hex", "token_bytes", "token_urlsafe", "uuid1", "uuid4", "SystemRandom", "default_rng",
    },
    "real time": {"now", "utcnow", "today", "times", "clock_gettime", "getrusage"},
    "the address of an object": {"id", "hash"},
    "input or output": {
        "open", "read_text", "read_bytes", "exists", "listdir", "scandir", "getenv", "recv", "connect", "urlopen",
        "getpid", "mkstemp", "mkdtemp", "run", "check_output", "input", "readline",
    },
}  # fmt: skip


def explained(found: replay.Divergence, trace: Sequence[Entry]) -> Divergence:
    """A divergence as an outcome, with what in the files that the execution went through may be its cause."""
    seen = found.found if found.found != found.expected else f"{found.found}, but elsewhere"
    return Divergence(found.step, found.expected, seen, _suspicion(trace) or f"likely cause: {found.cause}")


def _suspicion(trace: Sequence[Entry]) -> str | None:
    """A suspicious call: in a function that the execution went through, the last ones first, or near to them."""
    sites = [site for site in map(place, dict.fromkeys(entry[3] for entry in reversed(trace))) if site.line]
    places = [*((site.file, site.function) for site in sites), *((site.file, "") for site in sites)]
    for path, function in dict.fromkeys(places):
        for line, reason, where in _suspects(path):
            if where.startswith(function):
                return f"likely cause: {reason}, at {short(path)}:{line}: {line_of(path, line)}"
    return None


@functools.lru_cache(maxsize=64)
def _suspects(path: str) -> tuple[tuple[int, str, str], ...]:
    """Line, reason and function of each suspicious call in a file."""
    try:
        tree = ast.parse("".join(linecache.getlines(path)))
    except SyntaxError:
        return ()
    return tuple(_calls(tree, ""))


def _calls(node: ast.AST, function: str) -> Iterator[tuple[int, str, str]]:
    for child in ast.iter_child_nodes(node):
        inside = function
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            inside = f"{function}{child.name}.<locals>."
        elif isinstance(child, ast.ClassDef):
            inside = f"{function}{child.name}."
        elif isinstance(child, ast.Call):
            name = child.func.attr if isinstance(child.func, ast.Attribute) else getattr(child.func, "id", "")
            for reason, names in _SUSPECTS.items():
                if name in names:
                    yield child.lineno, reason, function
        yield from _calls(child, inside)
