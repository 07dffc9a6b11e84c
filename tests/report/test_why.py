"""What lacks a lock, and which one, in sentences: the terminal, the page and machines are told the same."""

import pytest
from report_samples import row

from plait.generate import callables
from plait.model.finding import Finding, Gap, function_shown
from plait.model.test import Test
from plait.report.finding_text import finding_lines
from plait.report.layout import Layout, as_text
from plait.report.why import STAND_INS, protection, why_sentences

LOCK = ["Pool._lock"]


def at(thread, line, access, *locks, function="Pool.take", file="pool.py"):
    return row(thread, line, f"line {line}", access, file=file, locks=locks, function=function)


GAP = Gap(1, "pool.py", "Pool.take", 23, 25)


def test_the_other_access_says_which_lock():
    race = [at(1, 23, "read Pool.free"), at(2, 40, "write Pool.free", *LOCK, function="Pool.give")]
    found = protection(GAP, race, race)
    assert (found.first, found.last, found.lock) == (23, 25, "Pool._lock")
    assert "lines 23 and 25 of pool.py, in `Pool.take`, must run under `Pool._lock`, as the other" in found.sentence


def test_who_does_not_respect_the_lock_has_to_take_it():
    """The interrupted lines hold it: to say that they must hold one would send the reader to the wrong place."""
    other = at(2, 60, "read Pool.free", function="Pool.report.<locals>.<listcomp>")
    steps = [at(1, 23, "write Pool.free", *LOCK), other, at(1, 25, "write Pool.free", *LOCK)]
    found = protection(GAP, [other, steps[2]], steps)
    assert (found.file, found.first, found.last, found.lock) == ("pool.py", 60, 60, "Pool._lock")
    assert found.sentence == (
        "Not under the lock: line 60 of pool.py, in `Pool.report`, must run under `Pool._lock`, which is held at lines "
        "23 and 25 in `Pool.take` (thread 1 is interrupted there)."
    )


def test_a_lock_that_is_taken_too_late_is_named():
    other = at(2, 23, "read Pool.free")
    steps = [at(1, 23, "read Pool.free"), other, at(1, 25, "write Pool.free", *LOCK)]
    found = protection(GAP, [other, steps[2]], steps)
    assert (found.first, found.last, found.lock) == (23, 25, "Pool._lock")
    assert "must run under `Pool._lock`, which is held at line 25 only" in found.sentence


def test_each_access_under_the_lock_is_not_all_of_them_under_it():
    race = [at(1, 70, "read Pool.free", *LOCK), at(2, 71, "write Pool.free", *LOCK)]
    found = protection(GAP, race, race)
    assert "must run under `Pool._lock` as a whole: each access takes it for itself" in found.sentence


def test_without_any_lock_none_is_named():
    race = [at(1, 23, "read Pool.free"), at(2, 25, "write Pool.free")]
    found = protection(GAP, race, race)
    assert (found.lock, "must run under one lock" in found.sentence) == ("", True)


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
        odd_call="x.take()", expected=["returns 1", "returns 2"],
    )  # fmt: skip
    text = as_text(finding_lines(finding, Layout(80)))
    assert " 99 line 99 " in text.partition("One after the other")[0]
    assert "more steps" in text
    assert "One after the other, `x.take()` returns 1 or 2." in text
    assert [part for _text, part in why_sentences(finding)][:3] == ["around", "cause", "cause"]


def test_what_plait_gives_for_arguments_is_explained():
    """A reader who meets `fresh` in a test looks for it in vain in the project."""
    imports = ["from shop import once", "from plait.generate.callables import fresh, Recorder"]
    test = Test.from_lines(imports, ["x = once(fresh)"], [["x()"], ["x()"]])
    said = [text for text, _part in why_sentences(Finding("wrong-result", "", ["once.__call__"], test=test))]
    assert said[-1] == (
        "Given by plait for an argument: `fresh` (a function that returns a new object each time), `Recorder` (a "
        "function that notes its calls)."
    )
    plain = Test.from_lines(imports[:1], ["x = once(print)"], [["x()"]])
    assert not any("Given by plait" in text for text, _part in why_sentences(Finding("hang", "", [], test=plain)))


def test_every_stand_in_is_explained():
    own = {
        name for name, value in vars(callables).items()
        if getattr(value, "__module__", "") == callables.__name__ and not name.startswith("_")
    }  # fmt: skip
    assert own - {"likely_value"} == set(STAND_INS)
