"""Why a finding happens, in sentences: the terminal, the page and machines are told the same."""

import pytest
from report_samples import row

from plait.generate import callables
from plait.model.finding import Finding, RaisedAt, function_shown
from plait.model.test import Test
from plait.report.finding_text import finding_lines
from plait.report.layout import Layout, as_text
from plait.report.why import STAND_INS, why_sentences


def at(thread, line, access, *locks, function="Pool.take", file="pool.py"):
    return row(thread, line, f"line {line}", access, file=file, locks=locks, function=function)


@pytest.mark.parametrize(("name", "shown"), [
    ("A.f.<locals>.<listcomp>", "A.f"), ("A.f.<locals>.g", "A.f.g"), ("f.<locals>.<lambda>", "f"), ("A.f", "A.f"),
    ("f.<locals>.g.<locals>.<genexpr>", "f.g"),
])  # fmt: skip
def test_functions_within_functions(name, shown):
    assert function_shown(name) == shown


def test_the_line_that_raises_is_never_folded():
    steps = [at(1, 20, "read Pool.free"), at(1, 25, "write Pool.free")]
    more = [at(2, number, f"read Pool.own{number}") for number in range(100, 160)]
    raising = at(2, 99, "read Pool.private")
    finding = Finding(
        "exception", "Pool: `x.take()` can raise IndexError", ["Pool.take"], exception="IndexError",
        interleaving=[*steps, *more[:40], raising, *more[40:]], race=[steps[0], steps[1]],
        raised="IndexError: pop from empty list, raised at pool.py:99, in `Pool.take`: `line 99`",
        raised_at=RaisedAt("pop from empty list", "pool.py", 99),
        odd_call="x.take()", expected=["returns 1", "returns 2"],
    )  # fmt: skip
    text = as_text(finding_lines(finding, Layout(80)))
    assert " 99 line 99 " in text.partition("One after the other")[0]
    assert "more steps" in text
    assert "One after the other, `x.take()` returns 1 or 2." in text
    assert [part for _text, part in why_sentences(finding)][:3] == ["around", "cause", "cause"]


@pytest.mark.parametrize(("gil", "where", "how"), [
    (True, "Can happen today, on builds with the GIL as well as on free-threaded ones.", "switch at the same steps."),
    (False, "Only on free-threaded builds:", "held at these steps, where the GIL would not let them switch."),
])  # fmt: skip
def test_confirmed_says_how_where_a_build_with_the_gil_cannot_show_it(gil, where, how):
    """Beside "only on free-threaded builds", a bare "confirmed" on this one would contradict it."""
    finding = Finding("wrong-result", "", ["A.f"], reachable={"gil": gil, "free-threaded": True})
    ((plain, _),) = why_sentences(finding)
    assert plain.startswith(where)
    assert "Confirmed" not in plain
    finding.confirmed_on_threads = True
    ((said, _),) = why_sentences(finding)
    assert said.startswith(where)
    assert said.endswith(how)


def test_what_plait_gives_for_arguments_is_explained():
    """A reader who meets `fresh` in a test looks for it in vain in the project."""
    imports = ["from shop import once", "from plait.generate.callables import fresh, Recorder"]
    test = Test.from_lines(imports, ["x = once(fresh)"], [["x(Recorder('f'))"], ["x()"]])
    said = [text for text, _part in why_sentences(Finding("wrong-result", "", ["once.__call__"], test=test))]
    assert said[-1] == (
        "Given by plait for an argument: `fresh` (a function that returns a new object each time), `Recorder` (a "
        "function that notes its calls)."
    )
    plain = Test.from_lines(imports, ["x = once(print)"], [["x()"]])  # it no longer uses what it imports
    assert not any("Given by plait" in text for text, _part in why_sentences(Finding("hang", "", [], test=plain)))


def test_every_stand_in_is_explained():
    """All but what no test names: `StandinStore` is what a stand-in keeps its values in."""
    own = {
        name for name, value in vars(callables).items()
        if getattr(value, "__module__", "") == callables.__name__ and not name.startswith("_")
    }  # fmt: skip
    assert own - {"likely_value", "StandinStore"} == set(STAND_INS)


def test_code_that_python_generates_is_named_by_its_text():
    """Line 4 of a generated `__eq__` is no line of the file, and its maker no method of the class."""
    made = "__create_fn__.<locals>.__eq__"
    steps = [
        row(1, 4, "self.counts", "read Stats.counts", file="<string>", function=made),
        row(1, 4, "self.total", "read Stats.total", file="<string>", function=made),
        row(2, 18, "self.total += n", "write Stats.total", file="stats.py", function="Stats.record"),
        row(1, 4, "other.total", "read Stats.total", file="<string>", function=made),
    ]
    finding = Finding(
        "wrong-result", "Stats: `x == x` is False", ["Stats.__eq__"], interleaving=steps, race=[steps[2], steps[3]]
    )
    said = [text for text, _kind in why_sentences(finding)]
    assert "Race: write Stats.total at line 18 (thread 2) and read Stats.total at `other.total` (thread 1)." in said
    uncovered = "line 18 in `Stats.record` and `other.total` in the generated `__eq__`"
    assert f"Not under one lock: {uncovered}; no lock covers both accesses." in said
    shown = as_text(finding_lines(finding, Layout(120)))
    rows = [line.split("→")[0].strip("▶ ") for line in shown.splitlines() if "→ read Stats.total" in line]
    assert rows == ["self.total", "other.total"]
