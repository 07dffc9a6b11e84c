"""Frames as an enemy would write them: none may crash the parent, or keep it busy.

Each starts as the JSON of a value of a type that some task returns. Most are spoiled then: a part is replaced by
another one, by something deep, long or huge, or bytes are changed, left out or doubled.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import time
import types
import typing
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from plait.commands.check.worker import native, tasks
from plait.commands.diff import worker as diff_worker
from plait.commands.fix.worker import explore_to_bound, in_order, seen_again, violation_of, written_tests
from plait.commands.replay import worker as replay_worker
from plait.model.foreign import IS_CANONICAL
from plait.workers.channel import Reply, read_frame
from plait.workers.cluster_site import SiteFailure
from plait.workers.schema import FrameError, return_type

SLOW_S = 1.0  # of processor time, for one frame

_TEXT = st.text(st.characters(), max_size=8)
_PLAIN = st.none() | st.booleans() | st.integers(-(2**65), 2**65) | st.floats() | _TEXT
_JSON = st.recursive(
    _PLAIN, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=3), max_leaves=12
)
_MARKED = st.sampled_from(["tuple", "set", "frozenset", "map", "dict", "bytes", "path", "int", "float", "$"])
_HUGE = st.sampled_from(["deep", "wide", "long", "digits", "colliding", "deep marks"])


def all_tasks() -> list[Any]:
    """Return everything that a worker can be asked for."""
    mending = [explore_to_bound, in_order, seen_again, violation_of, written_tests]
    return mending + [
        each for module in (tasks, native, diff_worker, replay_worker)
        for name, each in inspect.getmembers(module, inspect.isfunction)
        if each.__module__ == module.__name__ and not name.startswith("_")
    ]  # fmt: skip


def kinds() -> list[Any]:
    """Return the types that a parent expects."""
    return [*(return_type(task) for task in all_tasks()), SiteFailure, object]


def tree(kind: Any) -> st.SearchStrategy[Any]:
    """Return the JSON of values of a type, written down independently of the code that reads it."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    known = {str: _TEXT, int: st.integers(-3, 2**33), float: st.floats(0, 9) | st.integers(0, 9), bool: st.booleans()}
    if kind in known:
        return known[kind]
    if kind in (None, types.NoneType):
        return st.none()
    if kind is bytes:
        return st.sampled_from(["", "AA==", "AAAA"])
    if kind in (Any, object):
        return _JSON | st.dictionaries(_MARKED, _JSON, min_size=1, max_size=1)
    if origin is typing.Annotated:
        return _JSON if kind.__metadata__[0] == IS_CANONICAL else _object(kind.__metadata__[0])
    if origin is typing.Literal:
        return st.sampled_from(args)
    if origin in (typing.Union, types.UnionType):
        return st.one_of(*map(tree, args))
    if origin is tuple and args[1:] != (...,):
        return st.tuples(*map(tree, args)).map(list)
    if origin in (tuple, list, set, frozenset):
        return st.lists(tree(args[0]), max_size=3)
    if origin in (dict, Mapping, Counter):
        part = tree(int if origin is Counter else args[1])
        if args[0] is str:
            return st.dictionaries(_TEXT, part, max_size=3)
        return st.lists(st.tuples(tree(args[0]), part).map(list), max_size=3)
    if isinstance(kind, type) and issubclass(kind, Path):
        return _TEXT
    hints = typing.get_type_hints(kind, include_extras=True)
    names = [each.name for each in dataclasses.fields(kind)] if dataclasses.is_dataclass(kind) else kind._fields
    return st.tuples(*(tree(hints[name]) for name in names)).map(list)


def _object(kind: Any) -> st.SearchStrategy[Any]:
    hints = typing.get_type_hints(kind, include_extras=True)
    parts = {name: tree(hint) for name, hint in hints.items()}
    required = {name: part for name, part in parts.items() if name in kind.__required_keys__}
    optional = {name: part for name, part in parts.items() if name not in required}
    return st.fixed_dictionaries(required, optional=optional)


@st.composite
def frames(draw: st.DrawFn, kind: Any) -> bytes:
    """Return the bytes of a frame, mostly of one that is no answer of this type."""
    reply, value = draw(tree(Reply)), draw(tree(kind))
    reply[1] = draw(st.sampled_from(["value", "value", "value", reply[1]]))
    content = [reply, value]
    how = draw(st.sampled_from(["as it is", "part", "huge", "bytes", "bytes", "noise"]))
    if how == "noise":
        return draw(st.binary(max_size=64))
    if how == "part":
        content = _replaced(draw, content, draw(_JSON))
    if how == "huge":
        content = _replaced(draw, content, "HUGE")
    data = json.dumps(content).encode()
    if how == "huge":
        return data.replace(b'"HUGE"', _huge(draw(_HUGE)), 1)
    if how == "bytes":
        at = draw(st.integers(0, len(data)))
        return data[:at] + draw(st.binary(max_size=4)) + data[at + draw(st.integers(0, 9)) :]
    return data


def _replaced(draw: st.DrawFn, content: Any, by: Any) -> Any:
    """Return the tree with one of its parts replaced."""
    if isinstance(content, list) and content and draw(st.integers(0, 5)):
        at = draw(st.integers(0, len(content) - 1))
        return [*content[:at], _replaced(draw, content[at], by), *content[at + 1 :]]
    if isinstance(content, dict) and content and draw(st.integers(0, 5)):
        name = draw(st.sampled_from(sorted(content)))
        return {**content, name: _replaced(draw, content[name], by)}
    return by


def _huge(what: str) -> bytes:
    if what == "deep":
        return b"[" * 50_000 + b"]" * 50_000
    if what == "deep marks":
        return b'{"tuple":[' * 900 + b"]}" * 900
    if what == "wide":
        return b"[" + b"[]," * 100_000 + b"0]"
    if what == "long":
        return b'"' + b"\\u0000" * 100_000 + b'"'
    if what == "digits":
        return b"9" * 100_000
    step = 2**61 - 1  # numbers with one hash
    return b'{"set":[' + b",".join(b'{"int":"%x"}' % (number * step) for number in range(25_000)) + b"]}"


def try_frame(data: bytes, kind: Any) -> tuple[bool, float]:
    """Read a frame as a parent does: whether it was an answer, and the processor time it took. Nothing is raised."""
    started = time.process_time()
    try:
        read_frame(data, kind)
        accepted = True
    except FrameError:
        accepted = False
    return accepted, time.process_time() - started


def _tried(kind: Any, count: int, first: int) -> list[tuple[bool, float]]:
    seen: list[tuple[bool, float]] = []

    @hypothesis.seed(first)
    @settings(
        max_examples=count, deadline=None, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(frames(kind))
    def one(data: bytes) -> None:
        seen.append(try_frame(data, kind))

    one()
    return seen


def run(max_tests: int = 10_000, seed: int = 0) -> dict[str, Any]:
    """Read so many frames; an exception other than the refusal ends the table."""
    rows: list[dict[str, Any]] = []
    every = kinds()
    for number, kind in enumerate(every):
        count = max_tests // len(every) + (number < max_tests % len(every))
        seen = _tried(kind, max(count, 1), seed + number)
        rows.append({
            "subject": getattr(kind, "__name__", str(kind)).replace("plait.", "")[:60], "frames": len(seen),
            "answers": sum(accepted for accepted, _ in seen), "slowest_s": max(took for _, took in seen),
        })  # fmt: skip
    frames_ = sum(row["frames"] for row in rows)
    return {
        "rows": rows,
        "summary": {
            "frames": frames_, "answers": sum(row["answers"] for row in rows), "crashes": 0,
            "slow": sum(row["slowest_s"] > SLOW_S for row in rows), "slowest_s": max(row["slowest_s"] for row in rows),
        },
    }  # fmt: skip


def show(result: dict[str, Any]) -> str:
    """Return the table as text."""
    lines = [f"{'type':60} {'frames':>7} {'answers':>8} {'slowest':>9}"]
    for row in result["rows"]:
        lines.append(f"{row['subject']:60} {row['frames']:7} {row['answers']:8} {row['slowest_s'] * 1000:6.1f} ms")
    whole = result["summary"]
    said = f"{whole['frames']} frames: {whole['crashes']} crashed the reader, {whole['answers']} were answers"
    return "\n".join([*lines, f"{said}, the slowest took {whole['slowest_s'] * 1000:.0f} ms"])
