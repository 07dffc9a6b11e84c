"""Definition 2 and the table of pairs, against the figures that the paper prints."""

import pytest

from plait.generate.pairs import PairTable, score

TABLE_I = """
0 0 0 0 0 0 0 0 0 0 0
1 1 1 2 3 4 5 6 7 8 9
4 2 2 2 4 6 8 10 12 14 16
9 6 3 3 3 6 9 12 15 18 21
16 12 8 4 4 4 8 12 16 20 24
25 20 15 10 5 5 5 10 15 20 25
36 30 24 18 12 6 6 6 12 18 24
49 42 35 28 21 14 7 7 7 14 21
64 56 48 40 32 24 16 8 8 8 16
81 72 63 54 45 36 27 18 9 9 9
100 90 80 70 60 50 40 30 20 10 10
"""
"""Rows are tried counts 0 to 10, columns covered counts 0 to 10."""

FIGURE_1D = [
    ("m1", "m1", 2, 0, 4), ("m1", "m2", 2, 0, 4), ("m1", "m3", 2, 4, 4), ("m1", "m4", 2, 7, 10),
    ("m2", "m2", 2, 0, 4), ("m2", "m3", 2, 2, 2), ("m2", "m4", 2, 8, 12), ("m3", "m3", 2, 2, 2),
    ("m3", "m4", 2, 3, 2), ("m4", "m4", 2, 5, 6),
]  # fmt: skip


def test_table_1():
    printed = [[int(cell) for cell in line.split()] for line in TABLE_I.split("\n") if line]
    assert [[score(tried, covered) for covered in range(11)] for tried in range(11)] == printed


def test_figure_1d():
    table = PairTable(["m1", "m2", "m3", "m4"])
    assert list(table.records) == [(first, second) for first, second, *_ in FIGURE_1D]
    assert table.lowest() == list(table.records)
    for first, second, tried, covered, _ in FIGURE_1D:
        table.records[first, second].tried = tried
        table.add_coverage({(first, second): covered})
    assert [row["score"] for row in table.matrix()] == [priority for *_, priority in FIGURE_1D]
    # Section II: the next tests most likely focus on these three, one of which has the fault.
    assert table.lowest() == [("m2", "m3"), ("m3", "m3"), ("m3", "m4")]
    assert table.covered == 7


@pytest.mark.parametrize(("methods", "pairs"), [(9, 45), (44, 990), (52, 1378), (217, 23653)])
def test_number_of_pairs_is_that_of_table_2(methods, pairs):
    assert len(PairTable(f"m{index}" for index in range(methods)).records) == pairs


def test_order_of_a_pair_means_nothing_and_strangers_do_not_count():
    table = PairTable(["a", "b"], not_parallel=[("b", "b")])
    table.add_coverage({("b", "a"): 2, ("_helper", "a"): 5, ("b", "b"): 1})
    assert {each: record.covered for each, record in table.records.items()} == {("a", "a"): 0, ("a", "b"): 2}
