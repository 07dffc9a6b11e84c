"""`plait replay --step`: forward and back through an interleaving, on a terminal or through a pipe of keys."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TextIO

from plait.report.step_text import KEYS, step_text

FORWARD, BACK, FIRST, LAST, QUIT = "forward", "back", "first", "last", "quit"
_KEYS = {
    "n": FORWARD, " ": FORWARD, "\r": FORWARD, "\n": FORWARD, "l": FORWARD, "j": FORWARD, "p": BACK, "b": BACK,
    "h": BACK, "k": BACK, "g": FIRST, "G": LAST, "q": QUIT, "\x03": QUIT, "\x04": QUIT,
}  # fmt: skip
_ARROWS = {"C": FORWARD, "B": FORWARD, "D": BACK, "A": BACK, "H": FIRST, "F": LAST}
_CLEAR = "\x1b[2J\x1b[H"


def step_through(
    steps: Sequence[Mapping[str, Any]], sources: Mapping[str, Any], names: Mapping[int, str], keys: TextIO, out: TextIO
) -> None:
    """Show the first step, then whichever the keys ask for, until they say or run out."""
    if not steps:
        print("nothing that threads share was touched: there are no steps", file=out)
        return
    screen = out.isatty()
    at = 0

    def draw() -> None:
        lines = [*step_text(steps, at, sources, names), "", *([KEYS] if screen else [])]
        out.write((_CLEAR if screen else "") + "\n".join(lines) + "\n")
        out.flush()

    with _each_key(keys):  # before anything is shown: a key that is pressed early counts as well
        draw()
        for move in moves(keys):
            if move == QUIT:
                return
            wanted = {FORWARD: at + 1, BACK: at - 1, FIRST: 0, LAST: len(steps) - 1}[move]
            at = max(0, min(len(steps) - 1, wanted))
            draw()


def moves(keys: TextIO) -> Iterator[str]:
    """What the pressed keys mean; unknown ones mean nothing."""
    typed = _typed(keys)
    for key in typed:
        if key == "\x1b":
            if next(typed, "") in ("[", "O") and (arrow := next(typed, "")) in _ARROWS:
                yield _ARROWS[arrow]
        elif key in _KEYS:
            yield _KEYS[key]


def _typed(keys: TextIO) -> Iterator[str]:
    """Single characters, without waiting for the end of the line where a person types them."""
    while key := os.read(keys.fileno(), 1).decode("utf-8", "replace") if keys.isatty() else keys.read(1):
        yield key


@contextlib.contextmanager
def _each_key(keys: TextIO) -> Iterator[None]:
    if sys.platform == "win32" or not keys.isatty():
        yield
        return
    import termios  # noqa: PLC0415 - not on every platform
    import tty  # noqa: PLC0415

    before = termios.tcgetattr(keys)
    try:
        tty.setcbreak(keys, termios.TCSANOW)
        yield
    finally:
        termios.tcsetattr(keys, termios.TCSADRAIN, before)
