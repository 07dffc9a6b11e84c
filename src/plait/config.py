"""The settings of a project: ``[tool.plait]`` in pyproject.toml, or plait.toml with the same keys.

Keys that describe a subject stand at the top, for all subjects, or in a table of their own, for one::

    [tool.plait]
    budget = "60s"
    hook = "tests/plait_hook.py"
    values = { key = ["'a'", "'b'"] }

    [tool.plait.subject."shop.stock:Stock"]
    factories = ["make_stock", "Stock(capacity=1)"]
    exclude = ["shutdown"]
    not-parallel = [["start", "stop"]]
    invariant = "totals_agree"

Expressions may use what the hook file defines; a bare name of a function in it is called. Tests then import from the
hook by its file name, so its folder (``Config.hook.parent``) must be importable wherever they run.
"""

from __future__ import annotations

import ast
import difflib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from plait.errors import UsageError
from plait.generate.catalogue import Hints
from plait.model.choices import GENERATORS, HEURISTICS, MODELS, SCHEDULES
from plait.model.duration import seconds
from plait.model.files import file_text, parse_source
from plait.subject.contract import EVERY, LEVELS, Contract, canonical_level

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

FILES = ("plait.toml", "pyproject.toml")
TESTS = ("tests", "test")
"""Where a project's tests usually are."""
ALLOWABLE = ("write", "network", "subprocess", "native")
"""Acts that can be allowed to code under test. ``env:NAME`` allows to read a variable of the environment."""
CHOICES = {"model": MODELS, "generate": GENERATORS, "schedule": SCHEDULES, "capp": (*HEURISTICS, "none")}
_COUNTS = {"threads": 2, "workers": 1, "max-tests": 1, "max-schedules": 1, "seed": 0}
"""Options that are whole numbers, with the least that each can be."""
_TEXTS = ("budget", "path", "cluster", "old", "new", "baseline")
_OPTIONS = (*CHOICES, *_COUNTS, *_TEXTS)
_SUBJECT_KEYS = (
    "imports", "factories", "values", "exclude", "only", "not-parallel", "invariant", "nondeterministic", "contract",
)  # fmt: skip
_TOP_KEYS = (*_OPTIONS, *_SUBJECT_KEYS, "allow", "hook", "tests", "review", "review-exclude", "subject")


def is_allowable(name: str) -> bool:
    """Return whether a permission of that name exists."""
    return name in ALLOWABLE or (name.startswith("env:") and name.removeprefix("env:").isidentifier())


@dataclass(frozen=True, slots=True)
class SubjectConfig:
    """The settings of one subject: hints for the generator, and facts for the verdicts.

    ``invariant`` is an expression over the receiver ``x`` that must hold after every execution;
    ``nondeterministic`` names methods whose results are compared with nothing.
    """

    hints: Hints = field(default_factory=Hints)
    invariant: str | None = None
    nondeterministic: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Config:
    """Plain data. ``options`` are defaults for command-line options, under the names they have there.

    ``review`` and ``review_exclude`` are subjects, with wildcards, that `plait review` looks at or leaves out.
    """

    options: Mapping[str, str | int] = field(default_factory=dict)
    allow: tuple[str, ...] = ()
    hook: Path | None = None
    tests: Path | None = None
    general: SubjectConfig = field(default_factory=SubjectConfig)
    subjects: Mapping[str, SubjectConfig] = field(default_factory=dict)
    review: tuple[str, ...] = ()
    review_exclude: tuple[str, ...] = ()

    def subject(self, name: str) -> SubjectConfig:
        """Return the settings of one subject: its own ones, else the general ones."""
        return self.subjects.get(name, self.general)


def load_config(folder: Path) -> Config:
    """Return the settings in ``folder``: those of plait.toml if there is one, else of pyproject.toml, else none."""
    own, project = (folder / name for name in FILES)
    if own.is_file():
        return _Reader(own).config(_toml(own))
    tools = _toml(project).get("tool", {}) if project.is_file() else {}
    if "plait" not in tools:
        return Config()
    return _Reader(project).config(tools["plait"])


def refuse_misspelt(config: Config, asked: str, folder: Path) -> None:
    """Raise a `UsageError` if a table of the settings names no existing subject, but nearly the requested one."""
    if asked in config.subjects or ":" not in asked or "/" in asked:
        return
    for name in difflib.get_close_matches(asked, config.subjects, 3, _CLOSE):
        if not _is_there(name, folder):
            raise UsageError(f'[tool.plait.subject."{name}"]: there is no {name}; did you mean {asked}?')


_CLOSE = 0.8


def _is_there(name: str, folder: Path) -> bool:
    """Return whether files say that there is such a class or function; what is installed elsewhere may have it."""
    from plait.subject.source import Source  # noqa: PLC0415 - few projects have such tables
    from plait.subject.versions.version import environment_has, import_root  # noqa: PLC0415

    module, _, qualname = name.partition(":")
    try:
        root = import_root(folder.resolve(), folder.resolve(), module)
    except UsageError:  # in several places
        return True
    if root is None:
        return environment_has(module)
    found = Source(root).module(module)
    top = qualname.partition(".")[0]
    return found is None or not qualname or qualname in found.definitions or top in (*found.imports, *found.values)


def tests_folder(project: Path, config: Config) -> Path | None:
    """Return where the project's own tests lie, to be read for values."""
    if config.tests is not None:
        return config.tests
    return next((project / name for name in TESTS if (project / name).is_dir()), None)


def shortened(value: Any) -> str:
    """Return a value as it would be written, in one short line."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a number of thousands of digits, or deep nesting
        text = f"a {type(value).__name__}"
    return text if len(text) <= 200 else f"{text[:200]}..."


def _toml(file: Path) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415 - most projects without settings need it not

    try:
        return tomllib.loads(file_text(file))
    except (ValueError, RecursionError) as error:  # not text, not TOML, or numbers and nesting beyond all limits
        raise UsageError(f"{file.name} is no valid TOML: {' '.join(str(error).split())[:200]}") from None


class _Reader:
    """Checks one file's settings. Every complaint names the file, the key, what it holds and what it should hold."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._functions: frozenset[str] = frozenset()
        self._names: frozenset[str] = frozenset()
        self._module = ""

    def config(self, data: Any) -> Config:
        table = self._table("plait", data)
        self._known("", table, _TOP_KEYS)
        hook = self._hook(table)
        tests = self._text("tests", table["tests"]) if "tests" in table else None
        allow = self._texts("allow", table.get("allow", []))
        for each in allow:
            if not is_allowable(each):
                self._choice("allow", each, (*ALLOWABLE, "env:NAME"))
        general = self._subject("", {key: table[key] for key in _SUBJECT_KEYS if key in table}, SubjectConfig())
        subjects = {
            name: self._subject(f"subject.{name}.", self._table(f"subject.{name}", words), general)
            for name, words in self._table("subject", table.get("subject", {})).items()
        }
        options = {key: self._option(key, table[key]) for key in _OPTIONS if key in table}
        folder = self._file.parent / tests if tests is not None else None
        reviewed, excluded = (self._texts(key, table.get(key, [])) for key in ("review", "review-exclude"))
        return Config(options, allow, hook, folder, general, subjects, reviewed, excluded)

    def _wrong(self, key: str, value: Any, wanted: str) -> UsageError:
        return UsageError(f"{self._file.name}: {key} is {shortened(value)}, but must be {wanted}")

    def _known(self, where: str, table: Mapping[str, Any], keys: Iterable[str]) -> None:
        for key in table:
            if key not in keys:
                close = difflib.get_close_matches(key.replace("_", "-"), list(keys), n=1)
                advice = f"did you mean {where}{close[0]}?" if close else f"known are {', '.join(keys)}"
                raise UsageError(f"{self._file.name}: unknown setting {where}{key}; {advice}")

    def _choice(self, key: str, value: str, choices: tuple[str, ...]) -> None:
        if value not in choices:
            raise self._wrong(key, value, f"one of {', '.join(choices)}")

    def _option(self, key: str, value: Any) -> str | int:
        if key in _COUNTS:
            if type(value) is not int or value < _COUNTS[key]:
                raise self._wrong(key, value, f"a whole number, {_COUNTS[key]} or more")
            return value
        text = self._text(key, value)
        if key in CHOICES:
            self._choice(key, text, CHOICES[key])
        if key == "budget":
            try:
                seconds(text)
            except UsageError:
                raise self._wrong(key, value, "a time such as '60s', '5m' or '1h'") from None
        return text

    def _table(self, key: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self._wrong(key, value, "a table")
        return value

    def _text(self, key: str, value: Any) -> str:
        if not isinstance(value, str):
            raise self._wrong(key, value, "a string")
        return value

    def _texts(self, key: str, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise self._wrong(key, value, "a list of strings")
        return tuple(value)

    def _hook(self, table: Mapping[str, Any]) -> Path | None:
        """Read the names that the hook file defines; it is not run here."""
        if "hook" not in table:
            return None
        path = self._file.parent / self._text("hook", table["hook"])
        if not path.is_file() or not path.stem.isidentifier():
            raise self._wrong("hook", table["hook"], "the path of a Python file, relative to this one")
        try:
            tree = parse_source(file_text(path))
        except (SyntaxError, UnicodeDecodeError) as error:
            raise UsageError(f"{self._file.name}: hook {table['hook']} cannot be read: {error}") from None
        functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
        assigned = {
            target.id
            for node in tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        self._functions, self._names = frozenset(functions), frozenset(functions | classes | assigned)
        self._module = path.stem
        return path

    def _subject(self, where: str, table: dict[str, Any], base: SubjectConfig) -> SubjectConfig:
        self._known(where, table, _SUBJECT_KEYS)
        hints = base.hints
        stated = self._texts(f"{where}imports", table.get("imports", list(hints.imports)))
        factories = [
            self._called(f"{where}factories", each)
            for each in self._texts(f"{where}factories", table.get("factories", list(hints.factories)))
        ]
        values = dict(hints.values)
        for name, texts in self._table(f"{where}values", table.get("values", {})).items():
            key = f"{where}values.{name}"
            values[name] = tuple(self._expression(key, each) for each in self._texts(key, texts))
            if not values[name]:
                raise self._wrong(key, texts, "a list with at least one expression")
        invariant = base.invariant
        if "invariant" in table:
            invariant = self._invariant(f"{where}invariant", table["invariant"])
        expressions = [*factories, *(text for texts in values.values() for text in texts), invariant or "None"]
        made = replace(
            hints,
            imports=tuple(dict.fromkeys([*stated, *self._hook_imports(expressions)])),
            factories=tuple(factories),
            values=values,
            exclude=self._texts(f"{where}exclude", table.get("exclude", list(hints.exclude))),
            only=self._texts(f"{where}only", table.get("only", list(hints.only))),
            not_parallel=self._pairs(f"{where}not-parallel", table.get("not-parallel"), hints.not_parallel),
            contract=self._contract(f"{where}contract", table.get("contract"), hints.contract),
        )
        quiet = self._texts(f"{where}nondeterministic", table.get("nondeterministic", list(base.nondeterministic)))
        return SubjectConfig(made, invariant, quiet)

    def _contract(self, key: str, value: Any, base: Contract) -> Contract:
        """Read what is promised: one level for all methods, or a table with a level per method."""
        if value is None:
            return base
        stated = {EVERY: value} if isinstance(value, str) else self._table(key, value)
        levels = {}
        for name, text in stated.items():
            level = canonical_level(text) if isinstance(text, str) else None
            if level is None:
                raise self._wrong(key if name == EVERY else f"{key}.{name}", text, f"one of {', '.join(LEVELS)}")
            levels[name] = level
        return Contract(levels, self._file.name)

    def _pairs(self, key: str, value: Any, base: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        if value is None:
            return base
        if not isinstance(value, list) or not all(
            isinstance(each, list) and len(each) == 2 and all(isinstance(name, str) for name in each) for each in value
        ):
            raise self._wrong(key, value, "a list of pairs of method names")
        return tuple((first, second) for first, second in value)

    def _called(self, key: str, text: str) -> str:
        return f"{text}()" if text in self._functions else self._expression(key, text)

    def _invariant(self, key: str, value: Any) -> str:
        text = self._text(key, value)
        return f"{text}(x)" if text in self._functions else self._expression(key, text)

    def _expression(self, key: str, text: str) -> str:
        try:
            ast.parse(text, mode="eval")
        except SyntaxError:
            raise self._wrong(key, text, "a Python expression") from None
        return text

    def _hook_imports(self, expressions: Iterable[str]) -> list[str]:
        used = {
            node.id for text in expressions for node in ast.walk(ast.parse(text, mode="eval"))
            if isinstance(node, ast.Name)
        }  # fmt: skip
        return [f"from {self._module} import {name}" for name in sorted(used & self._names)]
