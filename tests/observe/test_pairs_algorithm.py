"""Algorithm 1 of CovCon on its own example and on traces counted by hand."""

from plait.observe.overlap import MethodEvent, covered_pairs


def trace(*events):
    """Events written as ``"1+m3"`` (thread 1 enters m3) and ``"2-m1"`` (thread 2 leaves m1)."""
    return [MethodEvent("start" if each[1] == "+" else "end", each[2:], int(each[0])) for each in events]


def test_figure_1c():
    """Figure 1c: the pairs that section II says were covered, and no others."""
    covered = covered_pairs(
        trace(
            "1+m1",
            "1-m1",
            "1+m3",
            "2+m3",
            "2+m4",
            "2-m4",
            "2-m3",
            "2+m1",
            "1+m4",
            "1-m4",
            "1-m3",
            "2-m1",
        )  # fmt: skip
    )
    # m3 of thread 2 meets m3; m4 of thread 2 meets m3; m1 meets m3; m4 of thread 1 meets m1.
    assert covered == {("m3", "m3"): 1, ("m3", "m4"): 1, ("m1", "m3"): 1, ("m1", "m4"): 1}


def test_nested_calls_count_each_method_on_the_stack():
    covered = covered_pairs(trace("1+a", "1+b", "2+c"))
    assert covered == {("a", "c"): 1, ("b", "c"): 1}


def test_pairs_are_sorted_and_counted_again_each_time():
    covered = covered_pairs(trace("1+z", "2+a", "2-a", "2+a", "2-a", "1-z", "2+a"))
    assert covered == {("a", "z"): 2}


def test_three_threads():
    covered = covered_pairs(trace("1+a", "2+b", "3+c"))
    assert covered == {("a", "b"): 1, ("a", "c"): 1, ("b", "c"): 1}


def test_one_thread_covers_nothing():
    assert not covered_pairs(trace("1+a", "1+b", "1-b", "1-a"))


def test_end_without_start_is_ignored():
    assert covered_pairs(trace("1-a", "1+b", "2+c")) == {("b", "c"): 1}
