"""Which further calls show the state that a test has left."""

import pytest

from plait.judge.oracle.probes import filled, probes_of
from plait.model.test import Call, Test
from plait.subject.interface.members import Interface, Method, Parameter

NEEDED, OPTIONAL = Parameter("key"), Parameter("default", default="None")


def interface(*methods):
    return Interface("shop:Shop", (), (), methods)


def method(name, *parameters, **more):
    return Method(name, f"{{receiver}}.{name}({{args}})", parameters=parameters, **more)


def test_readers_come_first_and_what_needs_a_key_is_asked_for_the_tests_own():
    shop = interface(method("clear"), method("get", NEEDED, OPTIONAL), method("size"), method("put", NEEDED))
    found = probes_of(shop)
    assert [call.expression for call in found] == ["x.size()", "x.get(...)", "x.clear()"]


def test_what_takes_the_key_of_other_methods_is_asked_too():
    shop = interface(method("tag", NEEDED, Parameter("tag")), method("tags", NEEDED), method("remove", NEEDED),
                     method("price", Parameter("item")), method("box", NEEDED, waits=True))  # fmt: skip
    assert [call.expression for call in probes_of(shop)] == ["x.tags(...)"]


def test_what_answers_nothing_is_no_question_and_what_takes_the_key_alone_comes_first():
    shop = interface(method("open", NEEDED, OPTIONAL), method("tags", NEEDED), method("note", NEEDED, returns="None"))
    assert [call.expression for call in probes_of(shop)] == ["x.tags(...)", "x.open(...)"]


@pytest.mark.parametrize("each", [
    method("get", NEEDED, NEEDED), method("get", NEEDED, waits=True), method("get", NEEDED, kind="context"),
    method("remove", NEEDED), method("get", Parameter("key", "keyword")),
])  # fmt: skip
def test_what_needs_more_than_a_key_or_may_wait_is_no_probe(each):
    assert probes_of(interface(each)) == ()


@pytest.mark.parametrize(("prefix", "suffix", "wanted"), [
    (["x = Shop(2)"], "x.put('a', 1)", ["x.get('a')"]),
    (["x = Shop(2)", "x['b'] = 3"], "'c' in x", ["x.get('b')", "x.get('c')"]),
    (["x = Shop(2)"], "x.put(y, 1)", []),
    (["x = Shop(2)"], "x.put('a', x)", []),  # what `get` gives is then a copy of the shop
    (["x = Shop(2)", "x.put('a', 1)"], "len(x)", ["x.get('a')"]),
    (["x = Shop(2)"], "x.put('{a}', 1)", ["x.get('{a}')"]),
    (["x = Shop(2)", "x.put(1)", "x.put(2)", "x.put(3)"], "x.put(4)", ["x.get(1)", "x.get(2)", "x.get(3)"]),
])  # fmt: skip
def test_open_keys_are_filled_with_those_of_the_test(prefix, suffix, wanted):
    test = Test.from_lines([], prefix, [[suffix], [suffix]])
    open_one = Call("get", "{receiver}.get({args})", args=("...",))
    for probe in (open_one, Call.from_line(open_one.expression)):
        assert [call.expression for call in filled([probe], test)] == wanted


def test_other_probes_stay_as_they_are():
    probes = (Call.from_line("x.size()"), Call.from_line("x.clear()"))
    assert filled(probes, Test.from_lines([], ["x = Shop()"], [["x.put(1)"]])) == probes


STOCK = """
    import enum
    from decimal import Decimal
    from fractions import Fraction

    class State(enum.Enum):
        NONE = 0
        SOME = 1
        MANY = 2

    class Stock:
        def __init__(self):
            self.{0} = {1}

        def add(self):
            known = self.{0}
            self.{0} = {2}
"""


@pytest.mark.parametrize(("start", "more"), [
    ("0", "known + 1"), ("Decimal(0)", "known + 1"), ("Fraction(1, 2)", "known + 1"), ("1j", "known + 1"),
    ("State.NONE", "State(known.value + 1)"), ("[Decimal(0)]", "[known[0] + 1]"),
])  # fmt: skip
@pytest.mark.parametrize("public", [True, False])
def test_an_update_that_is_lost_shows_in_public_data(judged, start, more, public):
    source = STOCK.format("value" if public else "_value", start, more)
    found = judged(source, ["x = Stock()"], ["x.add()"], ["x.add()"])
    assert (found.violation is not None) is public
