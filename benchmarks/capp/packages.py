"""The threaded tests of real packages under ``pytest --plait``: what ran controlled, what could not and why.

``python -m benchmarks.capp.packages [--schedules 50] [--seconds 20] [--json FILE] [NAME...]`` fetches the source
release of each package, runs its tests as they are, then under many schedules, and prints one row for each. A test
that passes by itself must pass under every schedule.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plait.run.importing.world import cache_folder

LONGEST = 3600.0  # seconds for all tests of a package


@dataclass(frozen=True)
class Package:
    """A source release that ships its tests."""

    name: str
    version: str
    tests: tuple[str, ...]
    path: str = "."
    needs: tuple[str, ...] = ()
    without: tuple[str, ...] = ()  # tests that take minutes by themselves


PACKAGES = (
    Package("cachetools", "8.0.0", ("tests/test_threading.py",), "src"),
    Package(
        "fasteners", "0.20", ("tests/test_lock.py", "tests/test_decorators.py", "tests/test_helpers.py"),
        needs=("more_itertools", "diskcache"),
    ),
    Package(
        "kombu", "5.7.0", ("t/unit/test_common.py", "t/unit/test_messaging.py"), needs=("vine", "amqp", "packaging"),
    ),
    Package(
        "readerwriterlock", "1.0.10", ("tests/test_rwlock.py",), needs=("typing_extensions",),
        without=("tests/test_rwlock.py::TestRWLock::test_multi_thread",),
    ),
    Package("prometheus_client", "0.26.0", ("tests/test_core.py",)),
    Package(
        "watchdog", "7.1.0",
        ("tests/test_delayed_queue.py", "tests/test_skip_repeats_queue.py", "tests/test_observer.py",
         "tests/test_observers_api.py", "tests/test_event_debouncer.py"), "src",
    ),
    Package("zict", "3.0.0", ("zict/tests/test_cache.py", "zict/tests/test_lru.py", "zict/tests/test_sieve.py")),
)  # fmt: skip


def fetch(package: Package) -> tuple[Path, Path]:
    """The unpacked release and the folder of what its tests need, from the cache if they are there."""
    home = cache_folder().parent / "sources" / f"{package.name}-{package.version}"
    if not home.is_dir():
        home.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=home.parent) as folder:
            stage = Path(folder)
            _pip("download", "--no-deps", "--no-binary", package.name, "-d", str(stage),
                 f"{package.name}=={package.version}")  # fmt: skip
            (archive,) = stage.glob("*.tar.gz")
            shutil.unpack_archive(archive, stage / "all", filter="data")
            (release,) = (stage / "all").iterdir()
            if package.needs:
                _pip("install", "--target", str(release / "needed-by-tests"), *package.needs)
            release.rename(home)
    return home, home / "needed-by-tests"


def _pip(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", "-q", *arguments], check=True, stderr=subprocess.DEVNULL)


def run(package: Package, schedules: int, seconds: float) -> dict[str, Any]:
    """One row."""
    home, needed = fetch(package)
    environment = {
        **os.environ, "PYTHONPATH": os.pathsep.join((str(home / package.path), str(needed))),
        "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0",
    }  # fmt: skip
    left_out = [text for test in package.without for text in ("--deselect", test)]
    command = [
        sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", "-o", "addopts=", "-rfE",
        *package.tests, *left_out,
    ]  # fmt: skip
    plain = _tests(command, home, environment, None)
    with tempfile.TemporaryDirectory() as folder:
        account = Path(folder) / "account.json"
        explored = _tests([
            *command, "--plait", "--plait-schedules", str(schedules), "--plait-seconds", str(seconds),
            "--plait-result", str(account),
        ], home, environment, account)  # fmt: skip
    told = explored["told"]
    ran = Counter(each["ran"] for each in told)
    why = Counter(each.get("why", "?").partition(": thread")[0] for each in told if each["ran"] == "not under control")
    return {
        "subject": f"{package.name} {package.version}", "tests": len(told), "explored": ran["explored"],
        "alone": ran["one thread"], "plain": ran["not under control"], "why": dict(why.most_common()),
        "schedules": sum(each.get("schedules", 0) for each in told if each["ran"] == "explored"),
        "cut": sum(each.get("cut", 0) for each in told), "left_out": list(package.without),
        "failed_by_themselves": plain["failed"],
        "failed_under_control": [name for name in explored["failed"] if name not in plain["failed"]],
    }  # fmt: skip


def _tests(command: list[str], home: Path, environment: dict[str, str], account: Path | None) -> dict[str, Any]:
    done = subprocess.run(
        command, cwd=home, env=environment, capture_output=True, text=True, timeout=LONGEST, check=False
    )
    failed = [line.split()[1] for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    if account is None:
        return {"failed": failed}
    if not account.exists():
        raise RuntimeError(f"{home.name}: {(done.stdout + done.stderr).strip().splitlines()[-1]}")
    return {"failed": failed, "told": json.loads(account.read_text(encoding="utf-8"))["tests"]}


def show(row: dict[str, Any]) -> str:
    """One row as text, with its reasons below it."""
    counts = (row["tests"], row["explored"], row["schedules"], row["cut"], row["alone"], row["plain"])
    figures = "".join(f"{count:>10}" for count in (*counts, len(row["failed_under_control"])))
    lines = [f"{row['subject']:26}{figures}"]
    lines += [f"    {count} run plainly: {reason}" for reason, count in row["why"].items()]
    lines += [f"    failed under control: {name}" for name in row["failed_under_control"]]
    lines += [f"    fails by itself: {name}" for name in row["failed_by_themselves"]]
    return "\n".join([*lines, *(f"    left out, takes minutes by itself: {name}" for name in row["left_out"])])


def main() -> None:
    """Run what the command line names, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--schedules", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    heads = ("tests", "explored", "schedules", "cut", "alone", "plain", "failed")
    print(f"{'':26}{''.join(f'{head:>10}' for head in heads)}", flush=True)
    rows = []
    for package in PACKAGES:
        if not asked.names or package.name in asked.names:
            rows.append(run(package, asked.schedules, asked.seconds))
            print(show(rows[-1]), flush=True)
    if asked.json is not None:
        asked.json.write_text(json.dumps({"schema": 1, "rows": rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
