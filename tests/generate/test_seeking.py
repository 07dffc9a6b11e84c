"""The search for arguments with which a method returns, and for what the state tells about them."""

import pytest

from plait.generate.draft import Draft
from plait.generate.outcome import CallOutcome
from plait.generate.revealed import RevealedError, reveal, revealed
from plait.generate.seeking import sought
from plait.generate.values.value import Pool, literal
from plait.model.test import Call


def draft(*columns, names=()):
    pools = [Pool(tuple(literal(text) for text in texts)) for texts in columns]
    drawn = tuple((pool, pool.values[0]) for pool in pools)
    shown = tuple(value.text for _pool, value in drawn)
    named = tuple(names) or tuple(f"p{number}" for number in range(len(columns)))
    return Draft(Call("f", "f({args})", args=shown), (), drawn, shown, named)


def attempts(function):
    """Return what tries a call of a function, and the list of the calls that were made."""
    made = []

    def attempt(each):
        made.append(each.call.source)
        try:
            eval(each.call.source, {"f": function})
        except Exception as error:
            line = error.__traceback__.tb_next.tb_next.tb_lineno if error.__traceback__.tb_next.tb_next else 0
            return CallOutcome("raised", type(error).__name__, str(error), line=line, place=str(line))
        return CallOutcome("ok")

    return attempt, made


def test_arguments_are_found_one_after_the_other():
    def check(day, count):
        if day != "2020-01-02":
            raise ValueError("no date")
        if count != 16:
            raise ValueError("not sixteen")

    attempt, made = attempts(check)
    numbers = [str(each) for each in range(10, 17)]
    found = sought(draft(["'a'", "'b'", "'2020-01-02'"], numbers), attempt)
    assert found.call.args == ("'2020-01-02'", "16")
    assert len(made) < 3 * len(numbers)  # not all combinations


def test_equal_arguments_are_told_apart():
    def check(_user, secret):
        if len(secret) < 8:
            raise ValueError("too short")

    attempt, _made = attempts(check)
    found = sought(draft(["'a'"], ["'a'", "'abcdefgh'"]), attempt)
    assert found.call.args == ("'a'", "'abcdefgh'")


def test_missing_keys_are_added_to_a_dictionary():
    def check(options):
        return 1 + options["size"] + options["depth"]

    attempt, _made = attempts(check)
    found = sought(draft(["{'a': 1}"]), attempt)
    assert found.call.args == ("{'a': 1, 'size': 1, 'depth': 1}",)


def test_as_many_parts_are_given_as_are_unpacked():
    def check(row):
        _a, _b, _c = row

    attempt, _made = attempts(check)
    assert sought(draft(["(1, 2)"]), attempt).call.args == ("(1, 1, 1, )",)


def test_what_earlier_calls_left_comes_first_and_the_limit_holds():
    def check(token):
        if token != "known":
            raise PermissionError("no session")

    attempt, made = attempts(check)
    left = [literal("'known'")]
    assert sought(draft(["'a'", "'b'"]), attempt, left=left).call.args == ("'known'",)
    assert len(made) == 2
    attempt, made = attempts(check)
    assert sought(draft([f"{number}" for number in range(50)]), attempt, limit=7) is None
    assert len(made) == 8  # the first call, and seven more


class State:
    MOVES = {("idle", "start"): "running"}  # noqa: RUF012 - constants of a class are looked at

    def __init__(self):
        self._sessions = {"a-0": {"user": 7}}
        self.names = ["first", ("second", 2.5)]
        self.root = Part()
        self.flag = True
        self.text = "own"


class Part:
    def __init__(self):
        self.key = "root"


def test_the_state_tells_keys_names_and_parts():
    with pytest.raises(RevealedError) as told:
        reveal(State())
    found = revealed(str(told.value))
    assert {"'a-0'", "'user'", "'first'", "'second'", "'root'", "'start'", "x.root"} <= set(found)
    assert "True" not in found


def test_what_is_told_fits_into_a_message():
    state = State()
    state._sessions = {f"{number:>020}": number for number in range(100)}
    with pytest.raises(RevealedError) as told:
        reveal(state)
    assert len(str(told.value)) <= 200
    assert revealed(str(told.value))
    assert revealed("no list") == revealed("3") == []
