"""The keys that a type checker knows are those that the JSON Schema describes."""

import json
from importlib.resources import files

import pytest

from plait.model import command_results
from plait.model.command_results import (
    AuditMore,
    AuditStats,
    BisectMore,
    BisectStats,
    CheckMore,
    CheckStats,
    DiffMore,
    DiffStats,
    ExploreMore,
    ExploreStats,
    FixMore,
    FixStats,
    ReviewMore,
)  # fmt: skip

DEFS = json.loads(files("plait.report").joinpath("schemas/result-1.json").read_text(encoding="utf-8"))["$defs"]
STATS = {
    "check": CheckStats, "diff": DiffStats, "explore": ExploreStats, "bisect": BisectStats, "audit": AuditStats,
    "fix": FixStats,
}  # fmt: skip
MORE = {
    "check": CheckMore, "diff": DiffMore, "explore": ExploreMore, "bisect": BisectMore, "audit": AuditMore,
    "fix": FixMore, "review": ReviewMore,
}  # fmt: skip
WRITTEN_LAST = {"audit": {"sources"}, "fix": {"sources"}, "review": {"sources", "classes"}}
"""What only the result file has, put together when it is written."""


def keys(kind):
    return kind.__required_keys__ | kind.__optional_keys__


@pytest.mark.parametrize("command", STATS)
def test_the_figures_of_a_command(command):
    described = DEFS[command]["properties"]["stats"]
    assert keys(STATS[command]) == described["properties"].keys()
    assert set(described["required"]) <= STATS[command].__required_keys__


@pytest.mark.parametrize("command", MORE)
def test_what_only_one_command_has(command):
    own = DEFS[command]["properties"].keys() - {"command", "verdict", "stats"} - WRITTEN_LAST.get(command, set())
    assert keys(MORE[command]) == own


@pytest.mark.parametrize(
    "name", [name for name in dir(command_results) if name.endswith("Result") and name != "Result"]
)
def test_a_result_without_figures_has_every_key_that_is_required(name):
    made = getattr(command_results, name)(name.removesuffix("Result").lower(), "a:B", "inconclusive", reason="why")
    required = STATS[made.command].__required_keys__ if made.command in STATS else set()
    assert required <= made.stats.keys()
    assert made.as_json()["reason"] == "why"
