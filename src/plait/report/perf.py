"""A comparison as people read it in a terminal, and where it goes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from plait.report.layout import Layout, Line, fitted, prose
from plait.report.publish import publish_result

if TYPE_CHECKING:
    import argparse

    from plait.judge.performance.result import Comparison, Contention, Measured
    from plait.judge.performance.verdict import Point
    from plait.model.result import Result

_WIDTH = 40
_LEAST_WAIT = 0.005


def publish_perf(found: Comparison, options: argparse.Namespace, *, short: bool = False) -> None:
    """Write the files that were asked for, and print the report, or of a ``short`` one the first line."""
    result = found.as_result()

    def said(_result: Result, layout: Layout) -> list[Line]:
        head, *rest = perf_text(found).split("\n")
        good = found.verdict in ("none", "improvement")
        return [*prose(head, layout, "good" if good else "bad"), *([] if short else fitted("\n".join(rest), layout))]

    publish_result(result, options, said, lambda _: perf_statement(found))


def perf_statement(found: Comparison) -> list[str]:
    """Return the verdict, and what was measured."""
    return [
        f"{found.subject}: {found.verdict}. {sentence(found.summary())}".replace("98%", "98 %"),
        f"{found.old} against {found.new}, {interpreters(found)}, {found.elapsed_s:.0f} s",
    ]


def perf_text(found: Comparison) -> str:
    """Return the whole report."""
    lines = perf_statement(found)
    if found.tests:
        lines += ["", f"speed-up of the new version at {found.threads} threads ({found.confidence:.0%} interval)"]
        lines += [_test(each, found) for each in found.tests]
    if found.curve:
        lines += ["", "calls per second by number of threads", *_curve(found.curve)]
    waits = [each for each in found.locks if max(each.old_wait, each.new_wait) >= _LEAST_WAIT]
    taken = [each for each in found.locks if each not in waits and abs(each.old_per_call - each.new_per_call) > 0.01]
    if waits or taken:
        lines += [""]
        lines += [f"{each} of the threads' time; {acquisitions(each)}" for each in waits]
        lines += [f"`{each.lock}`: {acquisitions(each)}" for each in taken]
    if found.notes:
        lines += ["", *(f"note: {note}" for note in found.notes)]
    if found.script is not None:
        lines += ["", f"to measure again without plait: python {found.script}"]
    return "\n".join(lines).replace("98%", "98 %")


def sentence(line: str) -> str:
    """Return a line of a result as a sentence."""
    return f"{line[0].upper()}{line[1:]}."


def interpreters(found: Comparison) -> str:
    """Return what was measured on."""
    told = found.machine.get("interpreters", {})
    names = [
        f"{each['implementation']} {each['version']}{'' if each['gil'] else ' free-threaded'}" for each in told.values()
    ]
    return " against ".join(dict.fromkeys(names))


def _test(measured: Measured, found: Comparison) -> str:
    name = f"  {measured.name:8} {', '.join(measured.methods[:3])[:36]:36}"
    if measured.winner == "inconclusive":
        return f"{name} inconclusive: {measured.reason}"
    ratio = measured.series(found.scope).speedup(found.confidence)
    won = {"old": "slower", "new": "faster", "none": "-"}[measured.winner]
    return f"{name} {ratio.mean:6.3f}  ({ratio.low:.3f} to {ratio.high:.3f})  {won}"


def acquisitions(lock: Contention) -> str:
    """Return how often a lock is taken."""
    return f"taken {lock.old_per_call:.2f} times per call before, {lock.new_per_call:.2f} after"


def _curve(points: list[Point]) -> list[str]:
    """Return one bar per version and number of threads, on a logarithmic scale if the rates differ much."""
    rates = [rate for each in points for rate in (each.old_rate, each.new_rate)]
    top = max(rates)
    low = math.log(min(rates) / 2) if top / min(rates) > 20 else None
    lines = []
    for each in points:
        for side, rate in (("old", each.old_rate), ("new", each.new_rate)):
            share = rate / top if low is None else (math.log(rate) - low) / (math.log(top) - low)
            head = f"{each.threads:4} {side}" if side == "old" else f"     {side}"
            ratio = each.speedup
            tail = "" if side == "old" else f"   {ratio.mean:.2f} ({ratio.low:.2f} to {ratio.high:.2f})"
            lines.append(f"  {head} {'█' * max(1, round(share * _WIDTH)):{_WIDTH}} {_rate_text(rate):>8}{tail}")
    return lines


def _rate_text(rate: float) -> str:
    """Return a number per second, short."""
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if rate >= size:
            return f"{rate / size:.3g} {unit}"
    return f"{rate:.3g}"
