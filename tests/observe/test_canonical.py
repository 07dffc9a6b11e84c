"""States as plain data: how attributes are read."""

from plait.observe.canonical import canonical


def test_attributes_are_read_in_one_order_and_keys_of_other_classes_are_not_asked():
    class Thing:
        pass

    class Other:  # its objects share no names with those, which putting a key in would ask
        pass

    class Asked(str):
        __slots__ = ()

        def __eq__(self, other):
            raise AssertionError("code under test was run")

        __hash__ = str.__hash__

    one, two, three, four = Thing(), Thing(), Thing(), Other()
    one.a, one.b = 1, 2
    two.b, two.a = 2, 1
    three.b, three.c = 2, 3
    assert canonical(one) == canonical(two) == canonical(one)
    assert canonical(three) != canonical(one)
    for name in ("a", "b"):
        vars(four)[Asked(name)] = 1
    assert [str.__str__(name) for name, _value in canonical(four)[1][1:]] == ["a", "b"]
    assert canonical(one) == canonical(two)


def test_keys_are_not_asked_for_their_hashes():
    """A class whose hash depends on its state, held by itself, has no end of it."""

    class Content:
        def __init__(self):
            self.items = {}

        def __hash__(self):
            return hash(frozenset(self.items.items()))

    content = Content()
    content.items[content] = 1
    assert canonical(content) == canonical(content)
