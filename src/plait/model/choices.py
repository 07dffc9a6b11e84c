"""The names of all choices that a user has: searches, generators, formats.

Command line, settings, pytest, help and completion read these names; the registries that implement them
(`plait.explore.registry`, `plait.generate.registry`, `plait.explore.capp.partition`) are held to them by a test. They
are plain data, because the command line must not import a search in order to name it.
"""

from __future__ import annotations

MODELS = ("gil", "free-threaded", "both")
TIMEOUTS = ("idle", "any")
BACKENDS = ("auto", "greenlet", "threads")

GENERATORS = ("random", "covcon", "mrt", "s-atg", "d-atg", "sd-atg", "sd-atg-all")

ORDERED = ("dfs", "bfs", "icb", "delay", "stateful", "stateful-bfs")
"""Searches that a heuristic can order (CAPP, Figure 4)."""
SEARCHES = ("auto", *ORDERED, "dpor", "pos", "pct", "surw", "rff", "period", "random")
"""Searches for the schedules of one test: `plait explore`, `pytest --plait`, `explore_threads`."""
SEEDED = ("auto", "pos", "pct", "surw", "rff", "period", "random")
"""Those that draw at random: another seed is another search."""
EXHAUSTIVE = ("dpor", "dfs", "icb")
"""Searches of `plait diff`: a difference is proven against all outcomes of the other version, so they must end."""
SCHEDULES = ("native", "random", "pos", "pct", "surw", "rff", "period", "dfs", "icb", "dpor", "active")
"""How `plait check` executes a generated test: by a search, on OS threads, or by active testing."""

FORMS = ("html", "junit", "sarif", "badge")
"""Forms of a result beside JSON: `plait.report.publish` writes them."""

MATCHES = {
    "C": "CLASS", "CO": "CLASS_ON_STACK", "M": "METHOD", "MO": "METHOD_ON_STACK",
    "L": "LINE", "LO": "LINE_ON_STACK", "F": "FIELD",
}  # fmt: skip
"""What the impacted code points of a change are matched with, by the letters of a heuristic's name."""
HEURISTICS = tuple(f"{match}{mode}" for match in MATCHES for mode in "AS")
DEFAULT_HEURISTIC = "LOA"  # the best over the ports of CAPP's faults, see docs/explore.md
