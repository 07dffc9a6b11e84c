"""The cases of the corpus: real releases with a known defect, and what counts as having found it."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from plait.errors import UsageError

HERE = Path(__file__).parent
CONFIG = HERE / "config"
BARE = HERE / "bare.json"
"""What is checked where nothing but a name is given, if it is another one than with settings, and what shows it."""
FILES = {"sample": "cases.json", "held-out": "more.json"}
"""The sets: the one that plait was built with, and one chosen afterwards, to see how it does where nobody tuned it."""


@dataclass(frozen=True, slots=True)
class Case:
    """One defect. ``buggy`` shows it, ``good`` (None while nobody has mended it) does not."""

    name: str
    package: str
    level: str
    subject: str
    buggy: str
    good: str | None
    symptom: str
    triggers: tuple[frozenset[str], ...]  # alternatives: methods that show it together
    extra: tuple[str, ...] = ()
    of: str = "sample"

    @property
    def group(self) -> str:
        """The level as the table counts it."""
        return group(self.of, self.level)

    @property
    def config(self) -> Path | None:
        """The few lines that a user would write, with their Python file beside them; None for the class path alone."""
        return CONFIG / f"{self.name}.toml" if self.level == "factory" else None

    def release(self, number: str) -> str:
        """The version as the command line has it."""
        return f"pypi:{self.package}=={number}"

    def shown_by(self, finding: dict[str, Any]) -> bool:
        """Whether a finding is this defect and not a neighbour of it: the methods fit, and so does what they show.

        An exception that the symptom names is enough with one of the methods; a deadlock needs all of them; a wrong
        result must come from these methods and no others (one of two against itself counts: what is loaded lazily is
        loaded by any of them).
        """
        methods = {part for name in finding["methods"] for part in name.rpartition(".")[2].split("+")}
        if finding["kind"] == "exception":
            exception = (finding.get("exception") or "?").rpartition(".")[2]
            named = re.search(rf"\b{exception}\b", self.symptom) is not None
            return named and any(methods & each for each in self.triggers)
        if finding["kind"] not in self.kinds:
            return False
        wrong = finding["kind"] == "wrong-result"
        return any(methods <= each if wrong else methods >= each for each in self.triggers)

    @property
    def kinds(self) -> frozenset[str]:
        """What the symptom looks like besides an exception."""
        found = {kind for kind, words in _WORDS.items() if re.search(words, self.symptom)}
        return frozenset(found)


_WORDS = {
    "deadlock": r"block|never returns|deadlock",
    "hang": r"block|never returns",
    "wrong-result": r"wrong|corrupt|under-counted|twice|two |exceeded|differ|lost",
}


def sets(which: str) -> list[str]:
    """The sets that a name stands for: itself, or every one of them for ``all``."""
    if which not in (*FILES, "all"):
        raise UsageError(f"--set {which}: the corpus has no such set; choose {', '.join([*FILES, 'all'])}")
    return list(FILES) if which == "all" else [which]


def group(name: str, level: str) -> str:
    """A level of a set, as the table counts it: the sample's levels go without its name."""
    return level if name == "sample" else f"{name} {level}"


def entries(which: str = "sample") -> list[tuple[str, dict[str, Any]]]:
    """The set and the content of each entry of the files, in their order."""
    return [
        (name, each)
        for name in sets(which)
        for each in json.loads((HERE / FILES[name]).read_text(encoding="utf-8"))["cases"]
    ]


def cases(level: str | None = None, *, which: str = "sample", command: str = "check") -> list[Case]:
    """The defects that a command is expected to find, in the order of the files."""
    found = []
    for name, each in entries(which):
        wanted = each["role"] == "bug" and command in each["commands"] and each["level"] in ("class", "factory")
        if wanted and (level is None or each["level"] == level):
            found.append(_case(each, name))
    return found


def bare_cases(level: str, *, which: str = "sample") -> list[Case]:
    """Return the defects of level ``factory`` without their settings (``bare``), or those of level ``module``."""
    known = json.loads(BARE.read_text(encoding="utf-8"))
    wanted = "factory" if level == "bare" else level
    found = []
    for name, each in entries(which):
        if each["role"] == "bug" and each["level"] == wanted:
            told = known.get(each["id"], {})
            triggers = {"trigger_methods": told["triggers"]} if "triggers" in told else {}
            case = _case({**each, "level": level, **triggers}, name)
            found.append(replace(case, subject=told.get("subject", case.subject)))
    return found


def _case(each: dict[str, Any], of: str) -> Case:
    return Case(
        each["id"], each["package"], each["level"], _subject(each), each["buggy_version"], each.get("good_version"),
        each["symptom"], _triggers(each["trigger_methods"]), tuple(each.get("extra_requirements", ())), of,
    )  # fmt: skip


def _triggers(written: list[str]) -> tuple[frozenset[str], ...]:
    """``["a", "b / c"]`` as the sets {a, b} and {a, c}; what stands in parentheses explains, ``any`` is any method."""
    choices = [
        [frozenset(re.findall(r"\w+", re.sub(r"\(.*?\)", "", one))) - {"nested", "any", "Session", "Container"}
         for one in each.split(" / ")]
        for each in written
    ]  # fmt: skip
    return tuple(frozenset().union(*parts) for parts in product(*choices))


def _subject(each: dict[str, Any]) -> str:
    if each["level"] == "class":
        module, _, name = each["class_path"].rpartition(".")
        return f"{module}:{name}"
    file = CONFIG / f"{each['id']}.toml"
    if not file.is_file():
        return each["class_path"]
    return next(iter(tomllib.loads(file.read_text(encoding="utf-8"))["subject"]))
