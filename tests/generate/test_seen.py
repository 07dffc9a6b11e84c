"""Which tests were made already."""

import pickle

from plait.generate.seen import Seen
from plait.model.test import Call, Test


def a_test(number):
    call = Call("f", "x.f({args})", args=(str(number),))
    return Test(("from a import A",), (Call("A", "A()", result="x"),), ((call,),))


def test_a_test_is_new_once():
    seen = Seen()
    assert [seen.is_new(a_test(number)) for number in (1, 2, 1, 2, 3)] == [True, True, False, False, True]


def test_it_is_known_elsewhere_and_small():
    seen = Seen()
    for number in range(1000):
        assert seen.is_new(a_test(number))
    packed = pickle.dumps(seen)
    assert len(packed) < 12_000
    assert not pickle.loads(packed).is_new(a_test(999))
