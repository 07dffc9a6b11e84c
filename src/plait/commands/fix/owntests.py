"""Run the project's own tests of the class under test in a copy, confined by the kernel."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from plait.model.files import file_text
from plait.model.folders import files_below
from plait.run.native.process import passed_on
from plait.subject.name import Subject
from plait.workers.blackbox import tail
from plait.workers.session import COMMAND, ConfinementOrder

MOST_FILES = 40
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$", re.MULTILINE)
_COUNTED = re.compile(r"(\d+) passed")
_NO_TESTS = 5


@dataclass(frozen=True, slots=True)
class SuiteRun:
    """The result of pytest: how many tests passed, and which failed; ``reason`` if there is no result."""

    passed: int = 0
    failed: frozenset[str] = frozenset()
    reason: str = ""


def files_about(subject: Subject, base: Path) -> list[Path]:
    """Return the test files of a project that name both the module and the class under test."""
    if importlib.util.find_spec("pytest") is None:
        return []
    words = [re.compile(rf"\b{re.escape(each)}\b") for each in _words(subject)]
    found = []
    for file in map(Path, files_below(base, ".py")):
        if not (file.name.startswith("test_") or file.name.endswith("_test.py")):
            continue
        try:
            text = file_text(file, "replace")
        except OSError:
            continue
        if all(word.search(text) for word in words):
            found.append(file)
    return found[:MOST_FILES]


def _words(subject: Subject) -> list[str]:
    return [subject.module.partition(".")[0], *([subject.qualname.rpartition(".")[2]] if subject.qualname else [])]


def run_tests(
    files: list[Path], base: Path, root: Path, extra: tuple[Path, ...], allow: tuple[str, ...], seconds: float
) -> SuiteRun:
    """Run test files of a copy with its version of the code first on the path."""
    with tempfile.TemporaryDirectory(prefix="plait-session-") as folder:
        order = ConfinementOrder(folder, list(allow), [str(root), *map(str, extra)])
        said = Path(folder) / "output.txt"
        command = [
            sys.executable, *COMMAND, order.as_text(), *map(str, files), "-q", "--no-header", "--tb=no", "-rfE",
            "-p", "no:cacheprovider", "-p", "no:randomly", f"--rootdir={base}",
        ]  # fmt: skip
        calm = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "1000"}
        environment = {**passed_on(os.environ, allow), **calm}
        with said.open("w", encoding="utf-8") as output:
            process = subprocess.Popen(
                command, cwd=base, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                start_new_session=True,
            )  # fmt: skip
            try:
                code = process.wait(seconds)
            except subprocess.TimeoutExpired:
                return SuiteRun(reason=f"they have not ended within {seconds:.0f} s")
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
        text = tail(said, 200_000)
    return _read(text, code)


def _read(text: str, code: int) -> SuiteRun:
    if code == _NO_TESTS:
        return SuiteRun(reason="pytest finds none in them")
    if code not in (0, 1):
        lines = [line for line in text.splitlines() if line.strip()]
        return SuiteRun(reason=f"pytest ended with {code}: {lines[-1].strip()[:160] if lines else 'no output'}")
    counted = _COUNTED.search(text.splitlines()[-1] if text.splitlines() else "")
    return SuiteRun(int(counted[1]) if counted else 0, frozenset(_FAILED.findall(text)))
