"""Build the wheels of plait: a pure one, and one with the hot paths compiled (mypyc) for each interpreter there is.

``make wheels`` puts them into ``dist``. Interpreters are looked for as ``make matrix`` does; those that are missing are
named and skipped. Each compiled wheel is installed into a fresh environment in which no compiler can be called, and
its `plait doctor` must say there that it is compiled and explore a program; one that does not is not given out.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent))

from matrix import ROOT, SkipError, clone, find

if TYPE_CHECKING:
    from collections.abc import Sequence

NAMES = ("3.11", "3.12", "3.13", "3.14", "3.15")
HOOKS = "HATCH_BUILD_HOOKS_ENABLE"
LAST = 20  # lines of what a command printed that say why it failed


def built(python: str, source: Path, target: Path, *, compiled: bool) -> Path:
    """Build one wheel into a folder of its own and return it."""
    shutil.rmtree(target, ignore_errors=True)
    environment = {name: value for name, value in os.environ.items() if name not in {HOOKS, "PYTHONPATH"}}
    if compiled:
        environment[HOOKS] = "1"
    command = [python, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-cache-dir"]
    _checked([*command, "--wheel-dir", str(target), str(source)], environment)
    return next(target.glob("plait-*.whl"))


def checked(python: str, wheel: Path, venv: Path, *, compiled: bool) -> None:
    """Install a wheel where no compiler can be called, and let `plait doctor` speak of it."""
    shutil.rmtree(venv, ignore_errors=True)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    _checked([python, "-m", "venv", str(venv)], environment)
    inside = str(venv / "bin" / "python")
    without = environment | {"CC": "false", "CXX": "false"}
    install = [inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
    _checked([*install, str(wheel)], without)
    said = _checked([inside, "-m", "plait", "doctor"], without)
    wanted = "engine: compiled" if compiled else "engine: pure Python"
    if wanted not in said:
        raise SkipError(f"the wheel was installed, but `plait doctor` does not say {wanted!r}")


def _checked(command: Sequence[str], environment: dict[str, str]) -> str:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=ROOT.parent)
    if done.returncode:
        lines = (done.stdout + done.stderr).strip().splitlines()
        raise SkipError("\n  ".join(["", *lines[-LAST:]]) if lines else f"{command[0]} failed")
    return done.stdout


def main(arguments: Sequence[str] | None = None) -> int:
    """Build what can be built; 1 if an interpreter that is there gets no wheel."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=",".join(NAMES), help="versions of Python, with commas between them")
    parser.add_argument("--to", type=Path, default=ROOT / "dist", help="where the wheels go (default: dist)")
    options = parser.parse_args(arguments)
    work = ROOT / "build" / "wheels"
    options.to.mkdir(parents=True, exist_ok=True)
    failed = False
    kinds: list[tuple[str, str, bool]] = [("pure", sys.executable, False)]
    for name in options.only.split(","):
        interpreter = find(name, ROOT / "build" / "matrix")
        if interpreter is None or interpreter.system is not None:
            print(f"{name}: skipped, no such interpreter on PATH or in pyenv", flush=True)
        else:
            kinds.append((name, interpreter.python, True))
    for name, python, compiled in kinds:
        source = work / f"source-{name}"
        try:
            clone(source)  # what is compiled stays beside its source, where it would be imported instead
            wheel = built(python, source, work / f"wheel-{name}", compiled=compiled)
            checked(python, wheel, work / f"venv-{name}", compiled=compiled)
        except SkipError as error:
            print(f"{name}: FAILED: {error}", flush=True)
            failed = True
            continue
        shutil.copy(wheel, options.to / wheel.name)
        print(f"{name}: {wheel.name}, {wheel.stat().st_size // 1024} kB, installed without a compiler", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
