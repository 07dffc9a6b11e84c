"""The table of `plait bench fix`: a diff is applied as users apply it, and figures count what they say."""

import difflib

import pytest

from benchmarks.fix import bench


@pytest.mark.parametrize(("before", "after"), [
    ("a\nb\nc\n", "a\nx\nc\n"), ("a\n", "x\na\n"), ("".join(f"{n}\n" for n in range(30)), "x\n2\n9\n25\ny\n29\n"),
    ("a\nb\n", "a\n"), ("a\n", "a\nb\nc\n"),
])  # fmt: skip
def test_a_diff_is_applied(before, after):
    lines = difflib.unified_diff(before.splitlines(True), after.splitlines(True), "a/x", "b/x")
    assert bench.patched(before, "".join(lines)) == after


def row(**words):
    return {"group": "port", "subject": "a", "finding": 1, "kind": "deadlock", "verdict": "none", "tried": 2,
            "candidates": 3, "seconds": 1.0, "reasons": ["no"], **words}  # fmt: skip


def test_the_figures():
    held = row(verdict="mended", fresh=True, fresh_says="", size=2, mend="hold it")
    fell = row(verdict="mended", fresh=False, fresh_says="again", size=4, mend="add one", group="drop-with")
    rows = [held, fell, row(), row(verdict="inconclusive", group="drop-with")]
    summary = bench._summary(rows)
    assert {name: (each["mended"], each["findings"], each["hold"]) for name, each in summary.items()} == {
        "ports": (1, 2, 1),
        "mutants": (1, 2, 0),
        "all": (2, 4, 1),
    }
    text = bench.show({"rows": rows, "summary": summary})
    assert "DOES NOT HOLD: again" in text
    assert "all: 2 of 4 findings mended (50%, goal 60%), 1 of 2 hold in a fresh check; 1 none, 1 inconclusive" in text
