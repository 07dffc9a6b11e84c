"""One object where there must be one: a difference that only identity shows."""

import textwrap

from plait.report.diff_text import outcome_table

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


NUMBERED = textwrap.dedent("""
    import threading

    class Ticket:
        def __init__(self, number):
            self.number = number

    class Desk:
        def __init__(self):
            self._lock = threading.Lock()
            self._made = 0

        def take(self):
            with self._lock:
                self._made += 1
                return Ticket(self._made)
""")


def test_objects_of_one_class_are_told_apart_by_the_attribute_that_differs(compare):
    """The report said "`take` returns a Ticket and `take` returns a Ticket", and its table had equal rows."""
    twice = NUMBERED.replace(
        "            self._made += 1\n            return Ticket(self._made)",
        "            made = self._made + 1\n        with self._lock:\n            self._made = made\n"
        "        return Ticket(made)",
    )
    result = compare(NUMBERED, twice, "Desk", tests=40, workers=1)
    finding = result.findings[0]
    assert "both calls of `take` can return Ticket(number=1)" in finding.summary
    assert finding.mend == "subject.py: Desk.take"
    table = outcome_table(result.more)
    assert sorted(row[-2:] for row in table.rows) == [["never", "yes"], ["yes", "yes"], ["yes", "yes"]]
    assert len({tuple(row) for row in table.rows}) == 3
