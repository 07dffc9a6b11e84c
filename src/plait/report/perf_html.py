"""A comparison as a page: one file, no scripts, nothing to fetch."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from plait.report.perf import acquisitions, interpreters, rate_text, sentence

if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.judge.performance_result import Comparison, Measured
    from plait.judge.performance_scaling import Point

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; padding: .3rem .6rem; vertical-align: top }
tr + tr { border-top: 1px solid #ddd } .regression, .old { color: #b3261e } .improvement, .new { color: #146c2e }
.inconclusive { color: #8a6d00 } pre { background: #f5f5f5; padding: .6rem; overflow-x: auto }
svg text { font-size: 12px } details { margin: .3rem 0 } .note { color: #666 }
"""
_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 640, 300, 70, 40
_COLOURS = {"old": "#6b7280", "new": "#2563eb"}


def page(found: Comparison) -> str:
    """The whole page."""
    what = f"{found.old} against {found.new}, {interpreters(found)}, {found.threads} threads, {found.elapsed_s:.0f} s"
    parts = [
        f"<h1>{escape(found.subject)}: <span class='{found.verdict}'>{escape(found.verdict)}</span></h1>",
        f"<p>{escape(sentence(found.summary()))}</p>",
        f"<p class='note'>{escape(what)}</p>",
    ]
    if found.tests:
        parts += ["<h2>Tests</h2>", _tests(found)]
    if found.curve:
        parts += ["<h2>Scaling</h2>", _plot(found.curve)]
    if found.locks:
        rows = [
            f"<tr><td><code>{escape(each.lock)}</code></td><td>{each.old_wait:.1%}</td><td>{each.new_wait:.1%}</td>"
            f"<td>{escape(acquisitions(each))}</td></tr>"
            for each in found.locks
        ]
        head = "<tr><th>lock</th><th>waiting, old</th><th>waiting, new</th><th></th></tr>"
        parts += ["<h2>Locks</h2><p>Share of the threads' time that is spent waiting, with watched locks.</p>"]
        parts += [f"<table>{head}{''.join(rows)}</table>"]
    parts += [f"<p class='note'>{escape(note)}</p>" for note in found.notes]
    if found.script is not None:
        parts.append(f"<p>To measure again without plait: <code>python {escape(found.script)}</code></p>")
    title = escape(f"{found.subject}: {found.verdict}")
    return (
        f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{title}</title><style>{_STYLE}</style>"
        f"</head><body>{''.join(parts)}</body></html>\n"
    )


def _tests(found: Comparison) -> str:
    rows = "".join(_row(each, found) for each in found.tests)
    head = f"<tr><th>test</th><th>speed-up</th><th>{found.confidence:.0%} interval</th><th>faster version</th></tr>"
    return f"<table>{head}{rows}</table>"


def _row(measured: Measured, found: Comparison) -> str:
    lines = measured.test.as_lines()
    thread = f"# thread 1 of {found.threads}, {measured.repeat} times"
    shown = "\n".join([*lines["prefix"], "", thread, *lines["suffixes"][0]])
    name = (
        f"<details><summary>{escape(measured.name)}: {escape(', '.join(measured.methods))}</summary>"
        f"<pre>{escape(shown)}</pre></details>"
    )
    if measured.winner == "inconclusive":
        return f"<tr><td>{name}</td><td colspan='3' class='inconclusive'>{escape(measured.reason or '')}</td></tr>"
    ratio = measured.series(found.scope).speedup(found.confidence)
    return (
        f"<tr><td>{name}</td><td>{ratio.mean:.3f}</td><td>{ratio.low:.3f} to {ratio.high:.3f}</td>"
        f"<td class='{measured.winner}'>{escape(measured.winner)}</td></tr>"
    )


def _plot(points: list[Point]) -> str:
    """Calls per second over the number of threads, both axes logarithmic, one line per version."""
    rates = [rate for each in points for rate in (each.old_rate, each.new_rate)]
    across = _scale([each.threads for each in points], _LEFT, _WIDTH - 20)
    up = _scale([min(rates) / 1.3, max(rates) * 1.3], _HEIGHT - _BOTTOM, 20)
    parts = [f"<svg viewBox='0 0 {_WIDTH} {_HEIGHT}' role='img' aria-label='calls per second by number of threads'>"]
    labels = [(across(each.threads), _HEIGHT - 15.0, "middle", str(each.threads)) for each in points]
    labels += [(_LEFT - 8.0, up(rate) + 4, "end", rate_text(rate)) for rate in (min(rates), max(rates))]
    parts += [f"<text x='{x:.0f}' y='{y:.0f}' text-anchor='{anchor}'>{text}</text>" for x, y, anchor, text in labels]
    for number, (side, colour) in enumerate(_COLOURS.items()):
        places = [(across(each.threads), up(getattr(each, f"{side}_rate"))) for each in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f"<polyline points='{path}' fill='none' stroke='{colour}' stroke-width='2'/>")
        parts += [f"<circle cx='{x:.1f}' cy='{y:.1f}' r='3' fill='{colour}'/>" for x, y in places]
        parts.append(f"<text x='{_LEFT + 10 + 50 * number}' y='14' fill='{colour}'>{side}</text>")
    rows = "".join(
        f"<tr><td>{each.threads}</td><td>{rate_text(each.old_rate)}</td><td>{rate_text(each.new_rate)}</td>"
        f"<td>{each.speedup.mean:.2f} ({each.speedup.low:.2f} to {each.speedup.high:.2f})</td></tr>"
        for each in points
    )
    head = "<tr><th>threads</th><th>old, calls per second</th><th>new</th><th>speed-up</th></tr>"
    return f"{''.join(parts)}</svg><table>{head}{rows}</table>"


def _scale(values: list[float] | list[int], low: float, high: float) -> Callable[[float], float]:
    first, last = math.log(min(values)), math.log(max(values))
    width = last - first or 1.0
    return lambda value: low + (math.log(value) - first) / width * (high - low)
