"""A check that finds nothing is a pass only if it could have found something; else it says what is missing."""

from collections import Counter

import pytest

from plait.commands.check.command import _code
from plait.commands.check.evidence import LEFT_OPEN, Alone, conclude
from plait.generate.catalogue import Hints
from plait.judge.oracle.evidence import RAISED, RETURNED, WAITED, Evidence
from plait.judge.oracle.rules import Rules
from plait.subject.interface.members import Interface, Method, written_in_c
from plait.subject.interface.signature import Parameter


def interface(*names, argument=True):
    given = (Parameter("key"),) if argument else ()
    return Interface("shop:Shop", (), (), tuple(Method(name, "", "method", given) for name in names), ())


def seen(met=3, touched=3, **calls):
    """Evidence of tests in which the calls of each method ended like this."""
    counted = Counter({(name, how): 4 for name, how in calls.items()})
    errors = {name: "KeyError: 'a'" for name, how in calls.items() if how == RAISED}
    return Evidence(4, touched, met, counted, errors)


def reason(evidence, alone=Alone(), hints=Hints(), argument=True, names=None):  # noqa: B008 - plain data
    names = names or sorted({name for name, _how in evidence.calls})
    return conclude(interface(*names, argument=argument), hints, alone, evidence)


def test_calls_that_return_and_meet_are_evidence():
    found = reason(seen(get=RETURNED, put=RETURNED))
    assert (found.reason, found.notes) == ("", ())
    assert found.methods["get"] == {"called": 4, "returned": 4, "returned_together": 4}


def test_a_call_that_waits_has_not_failed():
    assert reason(seen(get=RETURNED, wait=WAITED)).reason == ""


def test_a_method_that_never_returned_is_named():
    found = reason(seen(get=RETURNED, put=RETURNED, pop=RAISED))
    assert found.reason == ""
    assert found.notes[0].startswith("never returned, so not tested: `pop` KeyError: 'a'. Give arguments that fit")
    assert "values = { key = [...] }" in found.notes[0]
    assert found.methods["pop"] == {"called": 4, "returned": 0, "returned_together": 0, "error": "KeyError: 'a'"}


def test_most_pairs_must_be_left():
    found = reason(seen(get=RETURNED, put=RETURNED, pop=RAISED, drop=RAISED))
    assert found.reason.startswith("2 of 4 methods always raised: `drop` KeyError: 'a'; `pop`")
    assert reason(seen(get=RAISED, put=RAISED)).reason.startswith("all methods always raised")


def test_what_is_left_out_does_not_count():
    evidence = seen(get=RETURNED, put=RETURNED, pop=RAISED, drop=RAISED)
    assert reason(evidence, hints=Hints(exclude=("pop", "drop"))).reason == ""


def test_operators_and_what_is_not_implemented_do_not_count():
    evidence = seen(get=RETURNED, put=RETURNED, __lt__=RAISED, __add__=RAISED, seek=RAISED, tell=RAISED)
    evidence.errors |= {"seek": "NotImplementedError: ", "tell": "io.UnsupportedOperation: tell"}
    assert reason(evidence).reason == ""
    assert reason(seen(__lt__=RAISED, __add__=RAISED)).reason


def test_a_getter_that_always_fails_tells_of_a_wrong_object():
    evidence = seen(name=RETURNED, token=RETURNED, scopes=RETURNED, expired=RAISED)
    evidence.errors["expired"] = "TypeError: unsupported operand type(s) for -: 'int' and 'datetime.timedelta'"
    found = reason(evidence, Alone(built="Credentials(expiry=60)"), argument=False)
    assert found.reason.startswith("the object seems to be built from the wrong parts: `expired` TypeError")
    assert "it was built by `Credentials(expiry=60)`): factories = [...]" in found.reason
    assert 'exclude = ["expired"]' in found.reason
    assert reason(evidence).reason == ""  # with an argument it may be that one


def test_a_copy_that_calls_its_own_constructor_with_too_little_is_the_class_s_fault():
    evidence = seen(put=RETURNED, get=RETURNED, size=RETURNED, copy=RAISED)
    evidence.errors["copy"] = "TypeError: Shop.__init__() missing 1 required positional argument: 'size'"
    found = reason(evidence, Alone(built="Shop(size=2)"), argument=False)
    assert found.reason == ""
    assert any(note.startswith("never returned, so not tested: `copy` TypeError") for note in found.notes)
    evidence.errors["copy"] = "TypeError: Other.__init__() missing 1 required positional argument: 'size'"
    assert reason(evidence, Alone(built="Shop(size=2)"), argument=False).reason.startswith("the object seems to be")


def test_what_returned_alone_but_never_in_a_thread():
    alone = Alone(called={"get": 3, "put": 3}, returned={"get": 3, "put": 3})
    assert reason(seen(get=RAISED, put=RAISED), alone).reason.startswith("every call in a thread raised")


def test_threads_must_meet():
    assert reason(seen(met=0, get=RETURNED)).reason.startswith("no two threads ever touched the same thing")
    free = reason(seen(met=0, touched=0, get=RETURNED))
    assert free.reason == ""
    assert free.notes == ("its calls touch nothing that threads could share: they cannot disturb each other",)


@pytest.mark.parametrize("met", [0, 4])
def test_code_in_c_is_no_evidence(met):
    evidence = seen(met=met, append=RETURNED, pop=RETURNED)
    assert "are written in C" in reason(evidence, Alone(in_c=frozenset({"append", "pop"}))).reason
    assert "are written in C" not in reason(evidence, Alone(in_c=frozenset({"append"}))).reason


def test_which_code_is_in_c():
    class Mixed(dict):
        def put(self):
            return self

        @property
        def size(self):
            return 0

    assert written_in_c(Mixed, ["put", "size", "pop", "nowhere"]) == {"pop"}


def test_evidence_travels_as_plain_data():
    evidence = seen(get=RETURNED, pop=RAISED)
    assert Evidence.from_json(evidence.as_json()) == evidence
    with pytest.raises(KeyError):
        Evidence.from_json({})


@pytest.mark.parametrize(("name", "said"), [
    ("Display", "2 of 3 methods always raised: `advance` KeyError"),
])  # fmt: skip
def test_no_conclusion(run, name, said):
    result = run(name, tests=8)
    assert (result.verdict, _code(result)) == ("inconclusive", 3)
    assert result.reason.startswith(said)
    assert result.reason in result.notes


@pytest.mark.parametrize(("name", "module"), [
    ("Dao", "subjects"), ("Pool", "collaborators"), ("Client", "collaborators"), ("Loader", "collaborators"),
])  # fmt: skip
def test_a_class_whose_collaborators_are_stood_in_for(run, name, module):
    result = run(name, tests=30, module=module)
    assert (result.verdict, _code(result)) == ("none", 0)
    assert all(row["returned_together"] for row in result.stats["methods"].values())
    assert "Standin('" in result.more["built"]
    assert any("a stand-in that plait made" in note and "factories = [...]" in note for note in result.notes)


@pytest.mark.parametrize("name", ["Dispatcher", "Meter"])
def test_a_class_whose_collaborators_need_parts_that_errors_name(run, name):
    result = run(name, tests=32, module="collaborators")
    assert (result.verdict, _code(result)) == ("none", 0)
    assert all(row["returned_together"] for row in result.stats["methods"].values())


def test_an_invariant_that_does_not_hold_from_the_beginning(run):
    for invariant, said in (("x.get()", "is false"), ("x.nothing > 0", "raises AttributeError")):
        result = run("Flag", tests=4, rules=Rules(invariant=invariant))
        assert _code(result) == 3
        assert said in result.reason
        assert "for a fresh `Flag()`: correct `invariant`" in result.reason


@pytest.mark.parametrize("name", ["Stateless", "Flag"])
def test_little_to_share_is_a_pass(run, name):
    result = run(name, tests=6)
    assert (result.verdict, _code(result)) == ("none", 0)
    assert all(row["returned_together"] for row in result.stats["methods"].values())


def test_a_class_method_that_makes_the_one_object_is_called(run):
    result = run("Single", tests=8)
    assert [finding.methods for finding in result.findings] == [["Single.instance"]]


def test_what_does_not_end_in_one_thread_is_no_violation(run):
    result = run("Endless", tests=6)
    assert result.findings == []
    assert result.stats["tests"] == 6
    assert any("`list(x)` does not end" in note for note in result.notes)


def test_a_constructor_that_waits_for_something_outside_is_no_violation(run):
    result = run("Connected", tests=2)
    assert (result.verdict, _code(result)) == ("inconclusive", 3)
    assert result.findings == []
    assert "`x = Connected()` waits" in result.reason
    assert "for something that is not under control" in result.reason


def test_a_class_whose_stand_ins_do_not_fit_together(run):
    """A call of it always fails: the reason names it, what it raised and what to write."""
    result = run("Sealed", tests=24, module="collaborators")
    assert (result.verdict, _code(result)) == ("inconclusive", 3)
    assert "1 of 2 methods always raised: `open` " in result.reason
    assert "factories = [...]" in result.reason


def test_what_only_subclasses_can_do_does_not_count_and_is_said():
    evidence = seen(get=RETURNED, step=RAISED, walk=RAISED, run=RAISED)
    lacking = f"AttributeError: 'Shop' object has no attribute '_go'{LEFT_OPEN}"
    found = reason(evidence, alone=Alone(errors=dict.fromkeys(("step", "walk", "run"), lacking)))
    assert found.reason == ""
    assert found.notes[0].startswith(f"not tested, for only subclasses can do it: `run` {lacking}")
    assert found.methods["run"]["error"] == lacking
