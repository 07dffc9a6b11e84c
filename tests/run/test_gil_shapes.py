"""The model's answer for twenty-four code shapes equals what real threads do, on every interpreter that is here."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from interpreters import SOURCE, VERSIONS, WITH_GIL, interpreters

HERE = Path(__file__).parent
NEVER_TORN = {
    "attribute_iadd", "dict_iadd", "list_iadd", "nested_attribute_iadd", "global_iadd", "two_statements",
    "arithmetic_between", "try_between", "format_between", "len_between", "isinstance_between", "contains_then_delete",
    "truth_then_pop", "while_between",
}  # fmt: skip


def answers_of(version, folder):
    """What real threads and the model say, by shape."""
    executable = interpreters().get(version)
    if executable is None:
        pytest.skip(f"no Python {version} here")
    done = subprocess.run(
        [executable, HERE / "gil_shapes.py", folder], env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == 24
    return tuple({each["shape"]: each[who] for each in answers} for who in ("real", "model"))


@pytest.mark.slow
@pytest.mark.parametrize("version", WITH_GIL)
def test_the_model_answers_what_real_threads_do(version, tmp_path):
    real, model = answers_of(version, tmp_path)
    # A shape that real threads tear must be torn in the model: luck cannot make that up. The other way round luck
    # can hide a loss, but of 480,000 updates a torn shape loses thousands (measured: 7 to 47 in a hundred).
    assert model == real
    expected = set(model) - NEVER_TORN
    if version != "3.11":
        expected.discard("comprehension_between")  # inlined since 3.12
    if version in ("3.14", "3.15"):
        expected.add("while_between")  # it always jumps back to its test
    assert {shape for shape, torn in model.items() if torn} == expected


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS[len(WITH_GIL) :])
def test_without_a_gil_every_shape_is_torn(version, tmp_path):
    real, model = answers_of(version, tmp_path)
    assert model == real
    assert all(model.values())
