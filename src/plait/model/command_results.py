"""The results of the commands: `stats` and `more` as typed dictionaries with the keys of each command.

The JSON Schema in `report/schemas` says what the fields mean; a test holds the keys to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypedDict

from plait.model.result import Result
from plait.model.test import TestLines


class CallRow(TypedDict, total=False):
    """The outcomes of the calls of one method; ``error`` if all of them raised."""

    called: int
    returned: int
    returned_together: int
    error: str


class ShownSource(TypedDict, total=False):
    """Lines of a file by number, as text; of a comparison also which have changed, and what was removed behind one."""

    lines: dict[str, str]
    changed: list[int]
    removed: dict[str, list[str]]


# -- check -------------------------------------------------------------------------------------------------------------


class PairRow(TypedDict):
    """In how many tests two methods were together, and in how many they ran concurrently."""

    methods: list[str]
    tried: int
    covered: int


class _CheckCounts(TypedDict):
    tests: int
    schedules: int
    method_pairs: int
    method_pairs_covered: int


class CheckStats(_CheckCounts, total=False):
    """Figures of a check."""

    executions_per_s: float
    iroots_discovered: int
    iroots_exposed: int
    profiles: int
    active_tests: int
    impacted_points: int
    tests_known: int
    tests_exhausted: int
    seconds_to_first: float | None
    tests_to_first: int | None
    schedules_to_first: int | None
    methods: dict[str, CallRow]


class ContractKept(TypedDict):
    """A contract, and the findings about calls that it does not cover."""

    levels: dict[str, str]
    source: str
    broken: int
    unpromised: list[dict[str, Any]]


class CheckMore(TypedDict, total=False):
    """Further keys of the results of a check."""

    pairs: list[PairRow]
    coverage_over_time: list[tuple[float, int]]
    rules: dict[str, Any]
    probes: list[str]
    built: str
    lost: list[dict[str, str]]
    remembered: list[str]
    root: str
    sources: dict[str, ShownSource]
    mentions_threads: bool
    contract: ContractKept


def _no_check() -> CheckStats:
    return {"tests": 0, "schedules": 0, "method_pairs": 0, "method_pairs_covered": 0}


@dataclass(slots=True)
class CheckResult(Result):
    """The result of `plait check`."""

    stats: CheckStats = field(default_factory=_no_check)
    more: CheckMore = field(default_factory=CheckMore)


# -- diff --------------------------------------------------------------------------------------------------------------


class _DiffCounts(TypedDict):
    changed_methods: int
    changed_pairs: int
    tests_generated: int
    tests_filtered: int
    checks: int
    schedules: int


class DiffStats(_DiffCounts, total=False):
    """Figures of a comparison."""

    tests_known: int
    tests_repeated: int
    tests_unchecked: int
    tests_sequentially_different: int
    tests_judged_apart: int
    inconclusive: int
    generate_s: float
    filter_s: float
    check_s: float
    setup_s: float
    difference_revealing_s: float | None
    methods: dict[str, CallRow]


class SequentialRow(TypedDict):
    """A call whose result differs between the versions without any other thread."""

    test: TestLines
    call: str
    old: str
    new: str


class DiffMore(TypedDict, total=False):
    """Further keys of the results of a comparison."""

    outcomes: dict[str, list[dict[str, Any]]]
    outcomes_complete: dict[str, bool]
    sequential: list[SequentialRow]
    changed: list[str]
    added: list[str]
    removed: list[str]
    revealing: TestLines | None
    filter_keeps: bool | None
    rules: dict[str, Any]
    remembered: list[str]
    root: str
    sources: dict[str, ShownSource]


def no_comparison() -> DiffStats:
    """Return the figures of a comparison that has compared nothing."""
    return {
        "changed_methods": 0, "changed_pairs": 0, "tests_generated": 0, "tests_filtered": 0, "checks": 0,
        "schedules": 0, "inconclusive": 0, "generate_s": 0.0, "filter_s": 0.0, "check_s": 0.0,
    }  # fmt: skip


@dataclass(slots=True)
class DiffResult(Result):
    """The result of `plait diff`."""

    stats: DiffStats = field(default_factory=no_comparison)
    more: DiffMore = field(default_factory=DiffMore)


# -- explore -----------------------------------------------------------------------------------------------------------


class ExploreStats(TypedDict):
    """Figures of an exploration of existing tests."""

    tests: int
    schedules: int
    transitions: int
    impacted_points: int
    preemption_bound: int | None
    exhausted: bool
    search: str | None
    threads: int


class ExploreMore(TypedDict, total=False):
    """Further keys of the results of an exploration."""

    tests: list[dict[str, Any]]
    impact: list[str]
    stories: list[str]
    failed: list[str]
    sources: dict[str, ShownSource]


def _nothing_explored() -> ExploreStats:
    return {
        "tests": 0, "schedules": 0, "transitions": 0, "impacted_points": 0, "preemption_bound": None,
        "exhausted": False, "search": None, "threads": 0,
    }  # fmt: skip


@dataclass(slots=True)
class ExploreResult(Result):
    """The result of `plait explore`."""

    stats: ExploreStats = field(default_factory=_nothing_explored)
    more: ExploreMore = field(default_factory=ExploreMore)


# -- bisect ------------------------------------------------------------------------------------------------------------


class BisectStats(TypedDict):
    """Figures of a bisection."""

    commits: int
    commits_tried: int
    commits_skipped: int


class CommitRow(TypedDict, total=False):
    """A commit; ``answer`` and ``why`` where it was tried."""

    name: str
    subject: str
    author: str
    date: str
    answer: str
    why: str


class BisectMore(TypedDict, total=False):
    """Further keys of the results of a bisection."""

    kind: str
    commit: CommitRow | None
    suspects: list[CommitRow]
    log: list[CommitRow]


def _no_commits() -> BisectStats:
    return {"commits": 0, "commits_tried": 0, "commits_skipped": 0}


@dataclass(slots=True)
class BisectResult(Result):
    """The result of `plait bisect`."""

    stats: BisectStats = field(default_factory=_no_commits)
    more: BisectMore = field(default_factory=BisectMore)


# -- audit -------------------------------------------------------------------------------------------------------------


class AuditStats(TypedDict):
    """Figures of an audit: the numbers of public classes and functions by verdict."""

    classes: int
    functions: int
    unsafe: int
    no_violation: int
    not_judged: int
    private: int
    modules: int
    lines: int


class AuditMore(TypedDict, total=False):
    """Further keys of the results of an audit."""

    subjects: list[dict[str, Any]]
    module_state: list[dict[str, Any]]
    extensions: list[str]
    free_threading: dict[str, Any]
    root: str


def _nothing_audited() -> AuditStats:
    return {
        "classes": 0, "functions": 0, "unsafe": 0, "no_violation": 0, "not_judged": 0, "private": 0, "modules": 0,
        "lines": 0,
    }  # fmt: skip


@dataclass(slots=True)
class AuditResult(Result):
    """The result of `plait audit`."""

    stats: AuditStats = field(default_factory=_nothing_audited)
    more: AuditMore = field(default_factory=AuditMore)


# -- review and fix ----------------------------------------------------------------------------------------------------


class ReviewMore(TypedDict, total=False):
    """Further keys of the results of a review."""

    repository: str


@dataclass(slots=True)
class ReviewResult(Result):
    """The result of `plait review`."""

    more: ReviewMore = field(default_factory=ReviewMore)


class FixStats(TypedDict):
    """Figures of a fix."""

    candidates: int
    tried: int
    proven: int
    cost: float | None


class FixMore(TypedDict, total=False):
    """Further keys of the results of a fix; all but the candidates only if one of them holds."""

    candidates: list[dict[str, Any]]
    diff: str
    mend: str
    file: str
    files: list[str]
    evidence: dict[str, Any]
    written: bool
    root: str


def _no_candidates() -> FixStats:
    return {"candidates": 0, "tried": 0, "proven": 0, "cost": None}


@dataclass(slots=True)
class FixResult(Result):
    """The result of `plait fix`: the smallest mend that holds, or why each candidate failed."""

    stats: FixStats = field(default_factory=_no_candidates)
    more: FixMore = field(default_factory=FixMore)
