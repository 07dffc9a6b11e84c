"""Fingerprints: names of findings that are the same in every run, on every Python, and after edits of the code around.

A fingerprint is a hash of what identifies the defect: the subject, the kind, the type of an exception, the racing
attribute, the racing functions, the function that was interrupted between them, the locks that stuck threads hold.
Lines, source text, values, the names of local variables and the numbers of findings are no part of it. Findings that
agree in all of this are one defect for a baseline.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from plait.model.finding import Finding

SCHEME = 1
"""The version of the scheme: it changes whenever the same finding would get another fingerprint."""
LENGTH = 16
_INLINED = re.compile(r"\.<locals>\.<(listcomp|setcomp|dictcomp|genexpr)>")  # no function of its own since Python 3.12


def fingerprint_of(finding: Finding, subject: str) -> str:
    """Return the fingerprint of a finding in ``subject``, the name of a class as the command line has it."""
    text = json.dumps([SCHEME, *identity(finding, subject)], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:LENGTH]


def identity(finding: Finding, subject: str) -> list[Any]:
    """Return the data that identifies a finding, sorted where its order could differ."""
    whose = _without_parameters(finding.node) if finding.node else subject
    shown = [whose, finding.kind, finding.exception, _direction(finding)]
    methods = [] if finding.node else sorted(set(finding.methods))
    if finding.kind in ("deadlock", "hang") or finding.waiting:
        return [*shown, "stuck", _held(finding) or methods]
    if finding.race and not finding.node:  # a test that fails is named; where it races may change from run to run
        things = sorted({_thing(step.access) for step in finding.race})
        functions = {_function(step.function) for step in finding.race}
        if finding.gap is not None and not _direction(finding):
            functions.add(_function(finding.gap.function))
        return [*shown, "race", things, sorted(functions)]
    return [*shown, "calls", methods]


def _without_parameters(node: str) -> str:
    """Return a test's name without the values that pytest has given it."""
    return node.partition("[")[0]


def _direction(finding: Finding) -> str:
    """Return which of two versions shows a finding; empty if there is only one version."""
    if finding.only_old is None and finding.only_new is None:
        return ""
    return "new" if finding.only_new else "old"


def _thing(access: str) -> str:
    """Return the location of an access, without the operation and without the key.

    By the words of the access, although a step says it too: a fingerprint must not change (see `SCHEME`).
    """
    return access.partition(" ")[2].partition("[")[0]


def _function(name: str) -> str:
    return _INLINED.sub("", name)


def _held(finding: Finding) -> list[list[str]]:
    """Return the locks that were taken and not released, each with the function that took it."""
    taken: dict[tuple[int, str], list[str]] = {}
    for step in finding.interleaving:
        verb, _, thing = step.access.partition(" ")
        functions = taken.setdefault((step.thread, thing), [])
        if verb == "acquire":
            functions.append(_function(step.function))
        elif verb == "release" and functions:
            functions.pop()
    held = {(_thing(f"acquire {thing}"), name) for (_, thing), names in taken.items() for name in names}
    return [list(each) for each in sorted(held)]
