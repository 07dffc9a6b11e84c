"""`plait doctor`: reports what this installation can do, and what is missing for the rest."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from plait import __version__

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

_EXTRAS = (
    ("rapidfuzz", "atg", "test generation by interleaving coverage"),
    ("distributed", "cluster", "--cluster"),
    ("mcp", "mcp", "tools for agents (plait mcp)"),
    ("pytest", "pytest", "pytest plug-in"),
)
_PROBE = """
class Counter:
    def __init__(self):
        self.value = 0

    def increment(self):
        self.value += 1
"""
_CLASSES = 4  # inequivalent schedules of two increments without a lock: each of the two reads sees 0 or 1


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One line of the report. ``missing`` means that plait cannot work, ``without`` that a feature is not available."""

    text: str
    missing: bool = False
    without: bool = False

    def __str__(self) -> str:
        return f"{'MISSING' if self.missing else 'without' if self.without else 'ok':8}{self.text}"


def run_doctor(options: argparse.Namespace) -> int:
    """Print the report; return 2 if something that plait needs is missing or broken, otherwise 0."""
    findings = list(report())
    for finding in findings:
        print(finding)
    return 2 if any(finding.missing for finding in findings) else 0


def report() -> Iterator[Diagnosis]:
    """Yield all lines of the report."""
    free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    build = "free-threaded" if free else "with the GIL"
    yield Diagnosis(f"plait {__version__} on Python {platform.python_version()} ({build}), {os.cpu_count()} cores")
    yield _models(free=free)
    yield _tried("the engine cannot be imported", _engine)
    yield _fibers()
    yield Diagnosis("versions: the work tree, folders (dir:PATH)")
    git = shutil.which("git") is not None
    yield Diagnosis(f"{'git: ' if git else 'git, so no '}versions named by a revision", without=not git)
    pip = importlib.util.find_spec("pip") is not None or importlib.util.find_spec("ensurepip") is not None
    yield Diagnosis(f"{'pip: ' if pip else 'pip, so no '}versions named by a release (pypi:...)", without=not pip)
    for package, extra, use in _EXTRAS:
        version = _version(package)
        lacking = f"{package}, so no {use} (pip install 'plait[{extra}]')"
        yield Diagnosis(f"{package} {version}: {use}" if version else lacking, without=not version)
    yield from _layers()
    yield _tried("the cache for rewritten code cannot be written", _cache)
    yield _tried("the engine does not explore a racy counter", _probe)
    yield _tried("a check does not work", _check)


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _models(*, free: bool) -> Diagnosis:
    """Return the line on models: both are searched on every build, while `plait perf` measures this one's threads."""
    running = free and not getattr(sys, "_is_gil_enabled", lambda: True)()
    measured = "without the GIL" if running else "with the GIL"
    return Diagnosis(f"models: gil and free-threaded are both searched here; plait perf measures {measured}")


def _engine() -> str:
    """Return whether the engine runs compiled or as pure Python (see `make wheels`)."""
    from plait.run import engine  # noqa: PLC0415 - as in `_fibers`

    compiled = not str(engine.__file__).endswith(".py")
    return "engine: compiled" if compiled else "engine: pure Python (`make wheels` builds a compiled one)"


def _fibers() -> Diagnosis:
    version = _version("greenlet")
    try:
        from plait.run.fibers import loaded  # noqa: PLC0415 - an error here must not hide the other lines

        unusable = loaded()[1]
    except Exception as error:
        return Diagnosis(f"greenlet {version}: {type(error).__name__}: {error}", missing=True)
    if unusable is None and version is not None:
        return Diagnosis(f"greenlet {version}: virtual threads")
    why = "greenlet" if version is None else unusable
    return Diagnosis(f"{why}, so virtual threads are OS threads, about ten times slower", without=True)


def _tried(trouble: str, check: Callable[[], str]) -> Diagnosis:
    try:
        return Diagnosis(check())
    except Exception as error:
        return Diagnosis(f"{trouble}: {type(error).__name__}: {error}", missing=True)


_CONFINED = """
import json, tempfile
print(json.dumps(confine(tempfile.gettempdir(), ()).as_json()))
"""


def _confined() -> dict[str, dict[str, str]]:
    """Return which protections of the kernel a process gets here, by confining one."""
    from plait.run.native.kernel import kernel_source  # noqa: PLC0415 - as above

    program = [sys.executable, "-I", "-c", kernel_source() + _CONFINED]
    done = subprocess.run(program, capture_output=True, text=True, check=True, timeout=60)
    told: dict[str, dict[str, str]] = json.loads(done.stdout)
    return told


def _layers() -> Iterator[Diagnosis]:
    """Yield the lines on protections around code under test, besides the audit hook."""
    alone = "so the audit hook alone stops code under test: run none that you do not trust"
    try:
        told = _confined()
    except Exception as error:
        yield Diagnosis(f"layers of the kernel ({type(error).__name__}: {error}), {alone}", without=True)
        return
    held = [f"{name} ({covers})" if covers else name for name, covers in told["in_force"].items()]
    if held:
        yield Diagnosis(f"the kernel confines code under test: {', '.join(held)}")
    for name, why in told["missing"].items():
        rest = f", {alone}" if name in ("landlock", "seccomp") else ""
        yield Diagnosis(f"{name} around code under test ({why}){rest}", without=True)


def _cache() -> str:
    from plait.run.importing.world import cache_folder  # noqa: PLC0415 - an error here must not hide the other lines

    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        return f"rewritten code is kept in {folder}"


def _probe() -> str:
    from plait.explore.dpor import Dpor  # noqa: PLC0415 - as above
    from plait.explore.runner import execute  # noqa: PLC0415 - as above
    from plait.observe.places import PLACES  # noqa: PLC0415
    from plait.run.engine import ENGINE  # noqa: PLC0415
    from plait.run.importing.world import World  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "plait_probe.py").write_text(_PROBE, encoding="utf-8")
        world = World(PLACES, cache=Path(folder))
        counter_class = world.load("plait_probe", roots=[Path(folder)]).Counter
        sys.path.remove(str(Path(folder).resolve()))
    counter = counter_class()
    values = set()

    def prepare() -> list[Callable[[], object]]:
        nonlocal counter
        counter = counter_class()
        return [counter.increment] * 2

    strategy = Dpor()
    executions = 0
    start = time.perf_counter()
    while (prefix := strategy.next_prefix()) is not None:
        execute(prepare, prefix, strategy, free=strategy.free)
        strategy.executed(ENGINE)
        executions += 1
        values.add(counter.value)
    elapsed = time.perf_counter() - start
    if values != {1, 2} or executions != _CLASSES:
        raise RuntimeError(f"{executions} executions showed {sorted(values)}, not {_CLASSES} and [1, 2]")
    return f"the engine explores: a racy counter, {executions} schedules in {elapsed * 1000:.1f} ms"


def _check() -> str:
    """Check the probe as a user would: in a process that is confined, where some of what works here may be stopped."""
    from plait.commands.check.command import check  # noqa: PLC0415 - as above
    from plait.commands.check.options import CheckOptions  # noqa: PLC0415
    from plait.subject.name import Subject  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "plait_probe.py").write_text(_PROBE, encoding="utf-8")
        subject = Subject.parse("plait_probe:Counter", path=folder)
        result = check(CheckOptions(subject, project=folder, store=folder, max_tests=3, workers=1, streams=1))
    if not result.findings:
        raise RuntimeError("it did not find the race of a counter without a lock")
    return "a check works: it finds the race of a counter without a lock, in a confined process"
