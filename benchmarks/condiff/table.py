"""ConDiff's Tables III and IV: what the paper reports for its 24 scenarios (means of ten seeds, one hour each)."""

from typing import NamedTuple


class Figures(NamedTuple):
    """One scenario: success rates in percent, numbers of tests and checks, seconds to the difference."""

    changed: int
    pairs: int
    sr: int
    ct: int
    bc: int
    drt_s: int
    baseline_sr: int
    baseline_bc: int
    baseline_drt_s: int
    fewer_bc: float
    faster: float


PAPER = {
    ("C1", "B"): Figures(1, 26, 100, 3, 1, 6, 100, 3, 10, 2.5, 1.5),
    ("C1", "BR25"): Figures(7, 161, 100, 4, 1, 6, 100, 4, 12, 3.7, 1.9),
    ("C1", "BR50"): Figures(13, 260, 100, 4, 1, 6, 100, 4, 10, 3.9, 1.8),
    ("C1", "BR100"): Figures(26, 351, 100, 8, 1, 6, 100, 8, 15, 7.6, 2.5),
    ("C2", "B"): Figures(1, 10, 100, 7, 3, 7, 100, 7, 20, 2.2, 2.9),
    ("C2", "BR25"): Figures(3, 27, 100, 18, 6, 38, 100, 18, 122, 3.0, 3.2),
    ("C2", "BR50"): Figures(5, 34, 100, 25, 8, 58, 100, 25, 164, 3.3, 2.8),
    ("C2", "BR100"): Figures(10, 55, 100, 41, 11, 78, 100, 41, 260, 3.8, 3.3),
    ("C3", "B"): Figures(1, 26, 100, 19, 9, 126, 100, 19, 156, 2.0, 1.2),
    ("C3", "BR25"): Figures(7, 161, 100, 115, 8, 135, 100, 115, 488, 14.5, 3.6),
    ("C3", "BR50"): Figures(13, 260, 100, 285, 11, 169, 100, 285, 1046, 25.7, 6.2),
    ("C3", "BR100"): Figures(26, 351, 100, 223, 6, 149, 100, 223, 832, 35.4, 5.6),
    ("C4", "B"): Figures(1, 8, 100, 2, 1, 7, 100, 2, 8, 1.3, 1.1),
    ("C4", "BR25"): Figures(2, 15, 100, 23, 2, 10, 100, 22, 41, 14.3, 4.0),
    ("C4", "BR50"): Figures(4, 26, 100, 90, 2, 17, 100, 90, 173, 55.9, 9.9),
    ("C4", "BR100"): Figures(8, 36, 100, 163, 2, 31, 100, 154, 271, 96.5, 8.8),
    ("C5", "B"): Figures(1, 44, 100, 60, 10, 146, 100, 54, 534, 5.5, 3.7),
    ("C5", "BR25"): Figures(11, 429, 90, 274, 10, 649, 60, 229, 2720, 22.4, 4.2),
    ("C5", "BR50"): Figures(22, 665, 70, 204, 5, 1908, 0, 178, 3600, 34.9, 1.9),
    ("C5", "BR100"): Figures(44, 990, 60, 904, 8, 2260, 0, 209, 3600, 26.4, 1.6),
    ("C6", "B"): Figures(1, 4, 100, 4, 3, 18, 100, 4, 20, 1.3, 1.1),
    ("C6", "BR25"): Figures(1, 4, 100, 4, 3, 18, 100, 4, 20, 1.3, 1.1),
    ("C6", "BR50"): Figures(2, 6, 100, 5, 2, 14, 100, 5, 27, 2.5, 1.9),
    ("C6", "BR100"): Figures(4, 10, 100, 6, 2, 14, 100, 6, 27, 2.7, 1.9),
}
PAPER_MEAN_FEWER_BC = 15.5
PAPER_MEAN_FASTER = 3.2
