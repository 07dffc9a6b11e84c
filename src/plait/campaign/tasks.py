"""What worker processes do: plain data in, plain data out, all contact with code under test in between."""

from __future__ import annotations

import pickle
import time
from pathlib import Path
from typing import Any

from plait.campaign import worker_state
from plait.campaign.stream import Chunk, Stream, StreamOptions
from plait.generate.catalogue import build_catalogue
from plait.generate.hints import Hints
from plait.judge.sequential import SequentialRunner
from plait.model.test import Test
from plait.run.engine import ENGINE
from plait.subject.interface import Interface, discover


def interface(name: str) -> Interface:
    """What can be called on the subject."""
    return discover(worker_state.subject(), name=name)


def begin(name: str, options: StreamOptions, hints: Hints, tests: Path | None) -> bytes:
    """The start of a stream, packed: its state is read in workers only."""
    owner = worker_state.subject()
    SequentialRunner.announce = _announce
    ENGINE.any_timeouts = options.any_timeouts
    with worker_state.world().entered():
        found = discover(owner, name=name)
        catalogue = build_catalogue(owner, found, hints=hints, seed=options.seed, tests=tests)
        return pickle.dumps(Stream.begin(options, found, catalogue))


def advance(packed: bytes, count: int, seconds: float, looks: dict[Any, int] | None = None) -> tuple[bytes, Chunk]:
    """The next chunk of a stream; ``looks`` are of violations that other streams have explained."""
    worker_state.subject()
    SequentialRunner.announce = _announce
    with worker_state.world().entered():
        stream: Stream = pickle.loads(packed)  # noqa: S301 - written by `begin` or by this
        ENGINE.any_timeouts = stream.options.any_timeouts
        ENGINE.gil = stream.options.model == "gil"
        stream.looks |= looks or {}
        try:
            chunk = stream.run(count, time.monotonic() + seconds, _announce)
        finally:
            ENGINE.gil = False
        return pickle.dumps(stream), chunk


def _announce(test: Test) -> None:
    """Leave a note of what runs, for the case that this process does not survive it."""
    getattr(worker_state, "note", bool)(test.as_lines())
