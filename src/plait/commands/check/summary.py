"""Makes the result of a check from its totals: verdict, figures, notes and coverage."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from plait.commands.check.causes import relate, weight, without_bystanders
from plait.commands.check.evidence import Alone, Conclusion, conclude
from plait.commands.check.known import Replays
from plait.commands.check.totals import Totals
from plait.explore.capp.partition import Aim
from plait.judge.oracle.causes import grouped
from plait.judge.oracle.probes import probes_of
from plait.judge.oracle.rules import may_wait
from plait.model.command_results import CheckMore, CheckResult, CheckStats
from plait.subject.interface.members import Interface

if TYPE_CHECKING:
    from plait.commands.check.options import CheckOptions

_TOO_LATE = "the time was over before the first test was ready; --budget gives more"
_INVENTED = ("Standin(", "Partner(", "implemented(")


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything that a result is made of; ``interface`` is None if the search ended before it was known."""

    options: CheckOptions
    totals: Totals
    replays: Replays
    aim: Aim | None
    interface: Interface | None
    alone: Alone
    stopped_by: str

    def result(self) -> CheckResult:
        """Return what the search found and covered."""
        options, totals = self.options, self.totals
        relate(totals.findings, totals.also, totals.memory.keep_finding)
        findings = grouped(without_bystanders(totals.findings.values()), weight)
        stats, notes = self._stats(), totals.notes
        self._add_notes()
        verdict, reason = "violation" if findings else "none", ""
        end = self._conclusion()
        if end is not None:
            stats["methods"] = end.methods
            if not findings:
                reason = end.reason
                notes.general += [*([reason] if reason else []), *end.notes]
        if not findings and (reason or not totals.tests or not (totals.schedules or totals.recalled)):
            verdict = "inconclusive"
            reason = reason or self._why_no_test()
        return CheckResult(
            "check", options.name, verdict, seed=options.seed, model=options.model, findings=findings, stats=stats,
            stopped_by=self._ended(found=bool(findings)), notes=notes.sentences(), more=self._more(), reason=reason,
        )  # fmt: skip

    def bare_result(self, notes: list[str]) -> CheckResult:
        """Return the findings alone; ``notes`` say why the rest is missing."""
        options, totals = self.options, self.totals
        findings = list(totals.findings.values())
        counted: CheckStats = {
            "tests": totals.tests,
            "schedules": totals.schedules,
            "method_pairs": 0,
            "method_pairs_covered": 0,
        }
        return CheckResult(
            "check", options.name, "violation" if findings else "inconclusive", seed=options.seed, model=options.model,
            findings=findings, stats=counted, notes=[*totals.notes.general, *notes],
            more={"pairs": [], "coverage_over_time": []},
        )  # fmt: skip

    def _stats(self) -> CheckStats:
        totals, aim = self.totals, self.aim
        pairs = totals.pairs.rows()
        elapsed = max(totals.budget.elapsed, 1e-9)
        return {
            "tests": totals.tests, "schedules": totals.schedules,
            "executions_per_s": round(totals.schedules / elapsed, 1), "method_pairs": len(pairs),
            "method_pairs_covered": sum(row["covered"] > 0 for row in pairs),
            "iroots_discovered": len(totals.tally.discovered), "iroots_exposed": len(totals.tally.exposed),
            "profiles": totals.tally.profiles, "active_tests": totals.tally.active_tests,
            "impacted_points": 0 if aim is None else len(aim.impact), "tests_known": totals.recalled,
            "tests_exhausted": totals.exhausted,
            "seconds_to_first": None if totals.first_found is None else round(totals.first_found, 2),
            "tests_to_first": min((tests for tests, _schedules in totals.firsts), default=None),
            "schedules_to_first": min((schedules for _tests, schedules in totals.firsts), default=None),
        }  # fmt: skip

    def _ended(self, *, found: bool) -> str:
        """Return why the search ended."""
        totals = self.totals
        if not found and totals.ended >= self.options.streams:
            return "exhausted"
        if found and self.stopped_by == "budget" and not totals.budget.by_steps and totals.first_found is not None:
            return "finding"
        return self.stopped_by

    def _add_notes(self) -> None:
        """Add notes on how the search went, in the order of the report."""
        totals = self.totals
        notes = totals.notes
        if self.aim is not None:
            notes.general += self.aim.impact.notes
            if not self.aim.impact.points:
                notes.general.append(f"nothing differs from {self.options.old}: schedules come in the usual order")
        notes.general += [*totals.tally.sentences(self.options.streams), *self._how_built()]
        notes.add_recalled(totals.recalled, totals.tests)
        notes.general += [*self.replays.sentences(), *totals.memory.messages]
        if not totals.tests and not self._obstacles() and totals.budget.left <= 0:
            notes.general.append(_TOO_LATE)

    def _how_built(self) -> list[str]:
        """Return notes on how the object was built, if that is unusual."""
        alone, said = self.alone, []
        if any(each in alone.built for each in _INVENTED):
            said.append(
                f"built by `{alone.built}`, with a stand-in that plait made for an argument; what a real object does "
                "was not tested. To give a real one: factories = [...] under [tool.plait]"
            )
        return [*said, _as_written(alone)] if alone.recipe else said

    def _obstacles(self) -> list[str]:
        """Return the notes on obstacles to testing, without those on the class and on how it was built."""
        known = {*self._how_built(), *(self.interface.notes if self.interface is not None else ())}
        return [note for note in self.totals.notes.sentences() if note not in known]

    def _why_no_test(self) -> str:
        """Return why not a single test was run, or none of those that were made was explored."""
        if self.totals.tests:
            return "not one of its tests could be explored"
        left_out = self.interface.notes if self.interface is not None else ()
        return next(iter([*self._obstacles(), *left_out]), "not one test could be run within the budget")

    def _conclusion(self) -> Conclusion | None:
        if self.interface is None:
            return None
        return conclude(self.interface, self.options.hints, self.alone, self.totals.evidence)

    def _more(self) -> CheckMore:
        """Return the fields that only the result of a check has."""
        interface, totals = self.interface, self.totals
        waiting = may_wait(interface) if interface is not None else ()
        return {
            "pairs": totals.pairs.rows(),
            "coverage_over_time": totals.coverage,
            "rules": replace(self.options.rules, waiting=waiting).as_json(),
            "lost": totals.lost,
            "built": self.alone.built,
            "remembered": self.replays.sentences(),
            "probes": [call.expression for call in probes_of(interface)] if interface is not None else [],
        }


def _as_written(alone: Alone) -> str:
    """Return the note on how the project itself builds the object, in a form that can be put into the settings."""
    imports = ", ".join(f'"{line}"' for line in alone.recipe_imports)
    return (
        f"built as {alone.recipe} does it: `{alone.built}`; to pin that: imports = [{imports}] and "
        f"factories = [{json.dumps(alone.built)}] under [tool.plait]"
    )
