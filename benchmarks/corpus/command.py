"""One run of a command on releases of the package index, as a user types it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.commands.releases import cache_root
from plait.subject.versions.release import Release

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.corpus.cases import Case

SOURCE = Path(__file__).parents[2] / "src"
SLACK = 60.0  # seconds for fetching, importing and the last minimisation
LONGEST = 900.0  # seconds of a run that is limited by steps


def pin(case: Case, number: str) -> None:
    """Old releases need old dependencies that their metadata do not name."""
    _release, dependencies = Release.parse(f"{case.package}=={number}").fetch(cache_root())
    done = dependencies.parent / "pinned"
    if case.extra and not done.is_file():
        command = [sys.executable, "-m", "pip", "install", "-q", "--upgrade", "--target", str(dependencies)]
        if subprocess.run([*command, *case.extra], check=False, capture_output=True).returncode == 0:
            done.touch()


def ask(
    arguments: Sequence[str], seconds: float, config: Path | None = None, max_tests: int | None = None
) -> dict[str, Any]:
    """The result with the ``seconds`` it took; only those and ``trouble`` if there is no result.

    ``max_tests`` takes the place of the budget, so that the work is the same on every machine.
    """
    with tempfile.TemporaryDirectory(prefix="plait-corpus-") as name:
        folder = Path(name)
        if config is not None:
            shutil.copy(config, folder / "plait.toml")
            hook = config.with_suffix(".py")
            if hook.is_file():
                shutil.copy(hook, folder / "hook.py")
        limit = ["--budget", f"{seconds}s"] if max_tests is None else ["--max-tests", str(max_tests)]
        command = [sys.executable, "-m", "plait", *arguments, *limit, "--quiet", "--json", "result.json"]
        longest = seconds + SLACK if max_tests is None else LONGEST
        started = time.monotonic()
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, timeout=longest, check=False,
                env={**os.environ, "PYTHONPATH": str(SOURCE)},
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return {"trouble": f"no end within {longest:.0f} s", "seconds": time.monotonic() - started}
        took = round(time.monotonic() - started, 1)
        if not (folder / "result.json").is_file():  # what came to no conclusion has a result, too
            said = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
            return {"trouble": said[0], "seconds": took}
        return {**json.loads((folder / "result.json").read_text(encoding="utf-8")), "seconds": took}
