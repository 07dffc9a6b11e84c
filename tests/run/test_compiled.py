"""The same sources, compiled: what HATCH_BUILD_HOOKS_ENABLE=1 installs explores as the pure engine does."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(*command, folder, **environment):
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("cc") is None or not all(map(importlib.util.find_spec, ("mypyc", "setuptools"))),
    reason="no compiler here",
)
def test_the_compiled_engine_explores_the_same(tmp_path):
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    hook = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["mypyc"]
    assert not hook["enable-by-default"]
    source = shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    files = [str(Path(file).relative_to("src")) for file in hook["include"]]
    run("-m", "mypyc", *hook["mypy-args"], *files, folder=source, MYPYC_OPT_LEVEL="0")
    where = "import plait.run.engine, plait.explore.dpor as d; print(plait.run.engine.__file__, d.__file__)"
    compiled = run("-c", where, folder=tmp_path, PYTHONPATH=str(source)).split()
    assert all(file.startswith(str(source)) and not file.endswith(".py") for file in compiled)
    long = ("test_spin", "test_whole_reads") if os.environ.get("PLAIT_LONG") else ()  # `make bench-suites`
    tests = [f"tests/explore/{name}.py" for name in ("test_counts", "test_waiting", *long)]
    told = run("-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, folder=ROOT, PYTHONPATH=str(source))
    assert "passed" in told
