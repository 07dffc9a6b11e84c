"""The standalone script: one file that measures both versions again, on any interpreter from 3.8 on, without plait."""

from __future__ import annotations

import inspect
import pprint
import re
from typing import TYPE_CHECKING, NamedTuple

from plait.judge.performance import statistics, verdict
from plait.report import perf_again
from plait.report.reproducer import write_own
from plait.run.native import load, machine, pair, process

if TYPE_CHECKING:
    from pathlib import Path

    from plait.judge.performance.result import Comparison
    from plait.run.native.pair import Place

_PARTS = (load, process, machine, pair, statistics, verdict, perf_again)
_OWN_IMPORT = re.compile(r"^from plait\.[\w.]+ import (?:\([^)]*\)|.*)\n", re.MULTILINE)
_FUTURE = "from __future__ import annotations\n"
_MAIN = '\n\nif __name__ == "__main__":\n'


class Origin(NamedTuple):
    """Where a version can be found again: a folder, or a commit of the repository there and a folder inside it."""

    folder: str
    commit: str | None = None
    inside: str = ""


def write_script(found: Comparison, places: dict[str, Place], origins: dict[str, Origin], folder: Path) -> Path:
    """Write the script for a comparison; it is named after the subject, and the one of an earlier run is renewed."""
    name = re.sub(r"\W+", "_", found.subject).strip("_").lower()
    folders = [origins[side].folder for side in ("old", "new")]
    return write_own(folder, f"perf_{name}", script_text(found, places, origins), found.subject, *folders)


def script_text(found: Comparison, places: dict[str, Place], origins: dict[str, Origin]) -> str:
    """Return the script: what is measured stands first, then how."""
    measurement = {
        "subject": found.subject, "threads": found.threads, "scope": found.scope, "delta": found.delta,
        "confidence": found.confidence, "rounds": max((len(each.whole) for each in found.tests), default=0) or 6,
        "modules": list(places["new"].modules), "allowed": list(places["new"].allowed),
        "versions": {
            side: {**origins[side]._asdict(), "extra": list(place.extra), "python": place.python}
            for side, place in places.items()
        },
    }  # fmt: skip
    tests = [
        f"MEASUREMENT['tests'][{each.name!r}] = {{'repeat': {each.repeat}, 'repetitions': {each.repetitions}, "
        f"'source': {_literal(each.source)}}}"
        for each in found.tests
        if each.usable
    ]
    head = (
        f'"""Measures {found.subject} again: {found.old} against {found.new}, without plait.\n\n'
        f"Found: {found.summary()}\n"
        'Run it with --help for its options.\n"""\n'
    )
    parts = [_body(inspect.getsource(part)) for part in _PARTS]
    data = [f"MEASUREMENT = {pprint.pformat(measurement, sort_dicts=False)}", "MEASUREMENT['tests'] = {}", *tests]
    parts[-1] = re.sub(r"^MEASUREMENT: .*\n\"\"\".*\"\"\"\n", "", parts[-1], flags=re.MULTILINE)
    end = f'{_MAIN}    serve(Server()) if "--serve" in sys.argv else measure_again()\n'
    return "\n\n".join([head + _FUTURE.rstrip(), *data, *parts]) + end


def _literal(source: str) -> str:
    """Return a test's source as people can read it; what the test says cannot end the text."""
    return repr(source) if '"""' in source or not source.endswith("\n") else f'r"""\n{source}"""'


def _body(source: str) -> str:
    """Return a module without its docstring, without imports of ours and without its own beginning as a program."""
    source = source.partition(_FUTURE)[2].partition(_MAIN)[0]
    return _OWN_IMPORT.sub("", source).strip("\n")
