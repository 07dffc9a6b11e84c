"""One object where there must be one: a difference that only identity shows."""

import textwrap

LAZY = textwrap.dedent("""
    import threading

    class Part:
        pass

    class Maker:
        _lock = threading.Lock()
        _one = None

        @classmethod
        def one(cls):
            with cls._lock:
                if cls._one is None:
                    cls._one = Part()
                return cls._one
""")
UNLOCKED = LAZY.replace("with cls._lock:", "if True:")


def test_two_objects_instead_of_one_are_a_difference(compare):
    finding = compare(LAZY, UNLOCKED, "Maker", tests=40).findings[0]
    assert finding.summary == (
        "Maker: after the change `one` can return different objects (before: one object), "
        "when two calls of `one` run at the same time"
    )
    assert compare(UNLOCKED, LAZY, "Maker", tests=40).verdict == "difference"


def test_a_new_object_for_every_call_is_no_race(compare):
    fresh = LAZY.replace("return cls._one", "return Part()")
    result = compare(LAZY, fresh, "Maker", tests=40)
    assert result.findings == []
