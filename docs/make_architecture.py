"""Draws docs/architecture.svg: the packages of src/plait in the order in which data flows.

Run ``python docs/make_architecture.py``.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

PACKAGES = (
    ("model", "the shared nouns:", "test, schedule, finding"),
    ("subject", "which class, which version,", "what changed in between"),
    ("generate", "which calls should run", "concurrently next"),
    ("run", "one execution, with every", "switch decided by plait"),
    ("observe", "what it showed: accesses,", "locks, overlapping calls"),
    ("explore", "which executions of a test", "to run, and when to stop"),
    ("judge", "wrong, different, slower?", "the smallest way to show it"),
    ("report", "for people, pytest, CI,", "and other programs"),
    ("workers", "processes that may die:", "pool, protocol, guard"),
    ("store", "what is kept between runs,", "and under which keys"),
    ("commands", "one package per command:", "options, budget, feedback"),
)
WIDTH, BOX, TALL, LEFT, TOP, ACROSS, DOWN = 800, 210, 84, 40, 96, 255, 132
STYLE = """
text { font: 14px system-ui, sans-serif; fill: #1c2733 }
.name { font: bold 16px ui-monospace, monospace; fill: #0b3d5c }
.small { font-size: 12.5px; fill: #45525f }
.box { fill: #f4f8fb; stroke: #2b6a8f; stroke-width: 1.5 }
.group { fill: #fff6e0; stroke: #c98a14; stroke-width: 1.5; stroke-dasharray: 6 4 }
.flow { fill: none; stroke: #2b6a8f; stroke-width: 2 }
.back { fill: none; stroke: #b0431e; stroke-width: 2; stroke-dasharray: 5 4 }
"""


def _corner(number: int) -> tuple[int, int]:
    return LEFT + number % 3 * ACROSS, TOP + number // 3 * DOWN


def _text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'


def _package(number: int) -> list[str]:
    x, y = _corner(number)
    name, first, second = PACKAGES[number]
    return [
        f'<rect class="box" x="{x}" y="{y}" width="{BOX}" height="{TALL}" rx="8"/>',
        _text(x + 14, y + 26, f"{number + 1} {name}", "name"), _text(x + 14, y + 48, first, "small"),
        _text(x + 14, y + 66, second, "small"),
    ]  # fmt: skip


def _path(kind: str, *points: tuple[float, float]) -> str:
    along = " L ".join(f"{x} {y}" for x, y in points)
    return f'<path class="{kind}" marker-end="url(#{kind})" d="M {along}"/>'


def _flow(number: int) -> str:
    """From one package to the next: to the right, or around to the next row."""
    x, y = _corner(number)
    if number % 3 < 2:
        return _path("flow", (x + BOX, y + TALL / 2), (x + ACROSS - 4, y + TALL / 2))
    below, middle = _corner(number + 1), y + (TALL + DOWN) / 2
    start, end = x + BOX / 2 + 40, below[0] + 40
    return _path("flow", (start, y + TALL), (start, middle), (end, middle), (end, below[1] - 4))


def picture() -> str:
    """Return the SVG text."""
    height = TOP + 3 * DOWN + TALL + 96
    generate, observe = _corner(2), _corner(4)
    inside, gap = _corner(3), generate[0] - (ACROSS - BOX) / 2
    size, wide = f"{WIDTH} {height}", 2 * ACROSS + BOX + 36
    corner = observe[0] + BOX - 20
    heads = "".join(
        f'<marker id="{kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        f'<path d="M 0 0 L 8 4 L 0 8 z" fill="{colour}"/></marker>'
        for kind, colour in (("flow", "#2b6a8f"), ("back", "#b0431e"))
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" width="{WIDTH}" height="{height}" role="img">',
        "<title>The packages of plait, in the order in which data flows</title>",
        f"<style>{STYLE}</style><defs>{heads}</defs>",
        f'<rect width="{WIDTH}" height="{height}" rx="10" fill="#ffffff"/>',
        f'<rect class="group" x="{LEFT - 18}" y="{inside[1] - 14}" width="{wide}" height="{TALL + 28}" rx="12"/>',
        _text(LEFT, 34, "cli · pytest_plugin · config.py · plait.scenario · plait.reproduce", "name"),
        _text(LEFT, 56, "stand outside and see all packages; a package imports only those with lower numbers", "small"),
        *(part for number in range(len(PACKAGES)) for part in _package(number)),
        *(_flow(number) for number in range(len(PACKAGES) - 1)),
        _path(
            "back", (corner, observe[1]), (corner, observe[1] - 36), (gap, observe[1] - 36),
            (gap, generate[1] + TALL - 18), (generate[0] - 4, generate[1] + TALL - 18),
        ),
        _text(observe[0] + BOX - 28, observe[1] - 30, "coverage feeds back", "small", "end"),
        _text(LEFT, height - 62, "Amber: code under test runs here, in worker processes with guard rails.", ""),
        _text(LEFT, height - 40, "Judging an execution and making it smaller happens in the same processes;", "small"),
        _text(LEFT, height - 22, "reports and commands see plain data, and do not import that code.", "small"),
        "</svg>",
    ]  # fmt: skip
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("architecture.svg").write_text(picture(), encoding="utf-8")
