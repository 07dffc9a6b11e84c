"""Module state is put back behind every execution, whatever an execution did to it."""

import itertools
import random
import sys
import types
from collections import OrderedDict, deque
from fractions import Fraction

import pytest

from plait.run.importing.modulestate import ModuleState


class Loud:
    """Complains when somebody compares it."""

    def __eq__(self, other):
        raise AssertionError("module state is compared by identity")

    __hash__ = object.__hash__


def _module():
    module = types.ModuleType("state_under_test")
    loud = Loud()
    source = """
number, nothing = 1, None
names = ["a", "b"]
table = {"a": 1, "b": None}
ordered = OrderedDict(a=1, b=2)
line = deque([1, 2])
marks = {1, 2}
raw = bytearray(b"xy")
nested = [[1], {"k": [2]}]

class Shop:
    count = 0
    stock = {"apple": 3}

    def __init__(self):
        self.items = [loud]

    def sell(self):
        return None

shop = Shop()
"""
    module.__dict__.update(OrderedDict=OrderedDict, deque=deque, loud=loud)
    exec(source, module.__dict__)  # the classes must say that they belong to the module
    return module


def _picture(module):
    return {
        "number": module.number, "nothing": getattr(module, "nothing", "gone"), "names": list(module.names),
        "table": list(module.table.items()), "ordered": list(module.ordered.items()), "line": list(module.line),
        "marks": sorted(module.marks), "raw": bytes(module.raw), "nested": repr(module.nested),
        "count": module.Shop.count, "stock": list(module.Shop.stock.items()), "items": list(map(id, module.shop.items)),
        "globals": sorted(name for name in vars(module) if not name.startswith("__")),
        "class": sorted(name for name in vars(module.Shop) if not name.startswith("__")),
    }  # fmt: skip


CHANGES = [
    "number = 2",
    "del nothing",
    "del nothing; extra = None",  # as many names as before
    "nothing = 0",
    "extra = 1",
    "names[0] = 'z'",  # as long as before
    "names.append('c')",
    "names = []",
    "table['a'] = 2",
    "table['b'] = table.pop('b', 0)",
    "table['c'] = table.pop('a')",  # as large as before
    "table.clear()",
    "ordered.move_to_end('a')",  # equal, in another order
    "line.rotate(1)",
    "marks.remove(1); marks.add(3)",
    "raw[0] = 0",
    "nested[0].append(5)",
    "nested[1]['k'][0] = 7",
    "Shop.count += 1",
    "Shop.stock['pear'] = 1",
    "Shop.extra = 1",
    "shop.items = []",
    "shop.items.append(1)",
    "loud = Loud2 = None",
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_done_is_undone(change):
    module = _module()
    before = _picture(module)
    state = ModuleState([module])
    exec(change, module.__dict__)
    state.restore()
    assert _picture(module) == before
    assert isinstance(module.loud, Loud)


def test_an_ordered_dict_works_on_after_it_was_put_back():
    module = _module()
    state = ModuleState([module])
    for _ in range(3):
        module.ordered.popitem(last=False)
        module.ordered["c"] = 3
        module.ordered.move_to_end("b")
        state.restore()
        assert list(module.ordered) == list(reversed(list(reversed(module.ordered)))) == ["a", "b"]
        assert dict(module.ordered) == {"a": 1, "b": 2}


def test_nothing_is_replaced_where_nothing_was_done():
    module = _module()
    kept = {name: id(value) for name, value in vars(module).items()}
    state = ModuleState([module])
    state.restore()
    state.restore()
    assert {name: id(value) for name, value in vars(module).items()} == kept


def test_it_stays_so_for_many_executions():
    module = _module()
    before = _picture(module)
    state = ModuleState([module])
    for change in CHANGES:
        exec(change, module.__dict__)
        state.restore()
    assert _picture(module) == before


def test_the_picture_sees_every_change():
    for change in CHANGES:
        module = _module()
        before = _picture(module)
        exec(change, module.__dict__)
        seen = _picture(module) != before or not isinstance(module.loud, Loud)
        assert seen or change == "table['b'] = table.pop('b', 0)", change


class Lazy:
    """A proxy, as projects have one for their settings: whoever asks it anything makes it load what is not there."""

    def __init__(self):
        object.__setattr__(self, "held", [])

    def __getattribute__(self, name):
        raise RuntimeError("settings are not configured")


class Sequence(list):
    """Runs code where a list would not."""

    def __iter__(self):
        raise RuntimeError("iterated")

    __len__ = clear = extend = __iter__


def test_a_proxy_is_not_asked():
    module = types.ModuleType("lazy_under_test")
    lazy, odd = Lazy(), Sequence()
    list.append(odd, 1)
    module.__dict__.update(settings=lazy, number=1, odd=odd)
    state = ModuleState([module])
    module.settings, module.number = None, 2
    list.append(odd, 2)
    state.restore()
    assert module.settings is lazy
    assert module.number == 1
    assert list(list.__iter__(odd)) == [1]


def test_counters_start_again_wherever_they_are_kept():
    module = types.ModuleType("state_under_test")
    source = """
ids = itertools.count(3)
draw = itertools.count(10, 5).__next__
table = {"ids": ids, "halves": itertools.count(0.5)}

class Job:
    numbers = itertools.count()

    def __init__(self):
        self.own = ids

job = Job()
"""
    module.__dict__.update(itertools=itertools)
    exec(source, module.__dict__)
    state = ModuleState([module])

    def drawn():
        job = module.job
        shared = [next(module.ids), next(module.table["ids"]), next(job.own)]
        return [*shared, module.draw(), module.draw(), next(module.Job.numbers), next(module.table["halves"])]

    first = drawn()
    assert first == [3, 4, 5, 10, 15, 0, 0.5]
    for _ in range(3):
        state.restore()
        assert drawn() == first


def test_a_counter_that_nobody_used_stays():
    module = types.ModuleType("state_under_test")
    module.ids = itertools.count()
    state, before = ModuleState([module]), module.ids
    state.restore()
    assert module.ids is before


def test_a_counter_that_was_replaced_comes_back():
    module = types.ModuleType("state_under_test")
    module.ids = itertools.count(7)
    state = ModuleState([module])
    module.ids = None
    state.restore()
    assert next(module.ids) == 7


def test_a_counter_of_something_else_than_numbers_is_left_alone():
    module = types.ModuleType("state_under_test")
    module.ids = itertools.count(Fraction(1, 2))
    state = ModuleState([module])
    next(module.ids)
    state.restore()
    assert next(module.ids) == Fraction(3, 2)


def test_modules_that_code_enters_itself_are_forgotten(monkeypatch):
    class Lazy(types.ModuleType):
        pass

    before = dict(sys.modules)
    monkeypatch.setattr(sys, "modules", before)
    state = ModuleState([])
    for made in (Lazy("plait_lazy"), types.ModuleType("plait_lazy")):  # not loaded yet, and loaded since
        before["plait_lazy"], before["plait_plain"] = made, types.ModuleType("plait_plain")
        state.restore()
        assert "plait_lazy" not in before
        assert "plait_plain" in before


def test_a_source_of_random_numbers_begins_anew():
    module = types.ModuleType("state_under_test")
    module.draws = random.Random()
    module.nested = {"system": random.SystemRandom(), "own": [random.Random(7)]}
    state = ModuleState([module])
    first = [module.draws.random(), module.nested["own"][0].randrange(1000)]
    module.nested["system"].random()
    state.restore()
    assert [module.draws.random(), module.nested["own"][0].randrange(1000)] == first
