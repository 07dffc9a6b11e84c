"""The `gil` model's answer for twenty-four code shapes equals what real threads do on the running interpreter."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SOURCE = HERE.parent.parent / "src"
NEVER_TORN = {
    "attribute_iadd", "dict_iadd", "list_iadd", "nested_attribute_iadd", "global_iadd", "two_statements",
    "arithmetic_between", "try_between", "format_between", "len_between", "isinstance_between", "contains_then_delete",
    "truth_then_pop", "while_between",
}  # fmt: skip


def interpreters():
    """The running interpreter, and others of 3.12 and 3.13 where they are installed."""
    found = {f"{sys.version_info.major}.{sys.version_info.minor}": sys.executable}
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for minor in ("3.11", "3.12", "3.13"):
        for candidate in [*sorted(versions.glob(f"{minor}.*/bin/python")), shutil.which(f"python{minor}")]:
            if candidate is not None:
                found.setdefault(minor, str(candidate))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_the_model_answers_what_real_threads_do(version, tmp_path):
    executable = interpreters().get(version)
    if executable is None:
        pytest.skip(f"no Python {version} here")
    done = subprocess.run(
        [executable, HERE / "gil_shapes.py", tmp_path], env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == 24
    # A shape that real threads tear must be torn in the model: luck cannot make that up. The other way round luck
    # can hide a loss, but of 480,000 updates a torn shape loses thousands (measured: 7 to 47 in a hundred).
    assert {each["shape"]: each["model"] for each in answers} == {each["shape"]: each["real"] for each in answers}
    torn = {each["shape"] for each in answers if each["model"]}
    expected = {each["shape"] for each in answers} - NEVER_TORN
    if version != "3.11":
        expected.discard("comprehension_between")  # inlined since 3.12
    assert torn == expected
