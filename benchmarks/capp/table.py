"""The figures of CAPP's section 4 for the fifteen faults, beside what the ports change."""

from dataclasses import dataclass

HEURISTICS = ("CA", "CS", "COA", "COS", "MA", "MS", "MOA", "MOS", "LA", "LS", "LOA", "LOS", "FA", "FS")


@dataclass(frozen=True)
class Search:
    """Default search order: the cost of the basic search, and how many times cheaper each heuristic makes it.

    Costs are transitions in JPF (Table 2 of the paper) and schedules in ReEx (Table 3).
    """

    basic: int
    speedups: tuple[float, ...]

    def speedup(self, heuristic: str) -> float:
        """The figure of one heuristic."""
        return self.speedups[HEURISTICS.index(heuristic)]


@dataclass(frozen=True)
class Fault:
    """One fault: its row in Table 1, and its figures in Tables 2 and 3 (None where it was not run)."""

    name: str
    folder: str
    origin: str
    error: str
    threads: int
    classes: int
    methods: int
    sloc: int
    icps: int
    jpf: Search | None
    reex: Search | None
    note: str


JPF_MEANS = (1.9, 1.2, 2.4, 1.0, 2.7, 1.4, 2.4, 1.0, 2.0, 1.2, 2.2, 0.8, 2.4, 1.4)
REEX_MEANS = (3.1, 1.9, 2.3, 1.5, 5.1, 2.1, 3.8, 1.9, 5.1, 2.4, 5.3, 1.7, 4.3, 3.1)
# Tables 6 and 7, all faults together in 50 random orders: p-values, then A12
JPF_RANDOM = (
    (0.0661, 0.0655, 0.0283, 0.0607, 0.0001, 0.2181, 0.0001, 0.0161, 0.0001, 0.0703, 0.0001, 0.0351, 0.0046, 0.0007),
    (0.5306, 0.5307, 0.5365, 0.5313, 0.6411, 0.5205, 0.6082, 0.5401, 0.6299, 0.5302, 0.6109, 0.5351, 0.5471, 0.5563),
)
REEX_RANDOM = (
    (0.0249, 0.5653, 0.0267, 0.1095, 0.0054, 0.0947, 0.0025, 0.6015, 0.0012, 0.0012, 0.0001, 0.0001, 0.4769, 0.1770),
    (0.5346, 0.4911, 0.5342, 0.4752, 0.5430, 0.5258, 0.5467, 0.4920, 0.5499, 0.4499, 0.5594, 0.4296, 0.4890, 0.4792),
)

FAULTS = (
    Fault(
        "Airline", "airline", "SIR", "assertion",
        threads=6, classes=2, methods=18, sloc=136, icps=6,
        jpf=Search(1328, (1.0, 1.0, 1.0, 1.0, 1.0, 0.9, 1.0, 1.0, 1.0, 0.9, 1.0, 1.0, 1.3, 1.0)),
        reex=Search(44312, (1.0, 1.0, 1.0, 1.0, 13.4, 1.0, 13.5, 1.0, 13.4, 1.0, 13.5, 1.0, 2.2, 1.0)),
        note="four seats, five tickets; never more seats may be sold",
    ),
    Fault(
        "Allocation", "allocation", "SIR", "assertion",
        threads=3, classes=3, methods=22, sloc=209, icps=5,
        jpf=Search(1573, (1.1, 1.0, 1.1, 1.0, 1.1, 1.0, 1.1, 1.0, 1.0, 0.4, 1.0, 0.4, 4.1, 1.0)),
        reex=Search(4101, (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.4, 0.6, 0.4, 0.6, 512.6, 1.0)),
        note="first-fit search, 4 blocks and 2 requests per worker, as in the paper's copy",
    ),
    Fault(
        "BoundedBuffer", "bounded_buffer", "SIR", "deadlock",
        threads=9, classes=5, methods=10, sloc=110, icps=2,
        jpf=Search(1391, (1.4, 1.1, 1.4, 1.0, 1.4, 1.1, 1.4, 1.0, 1.8, 1.5, 0.9, 1.5, 1.8, 1.5)),
        reex=Search(1329, (22.2, 4.5, 22.2, 4.5, 22.2, 4.5, 22.2, 4.5, 34.1, 4.5, 34.1, 4.5, 13.3, 4.5)),
        note="two items per producer and consumer; endless loops in the original",
    ),
    Fault(
        "BubbleSort", "bubble_sort", "SIR", "assertion",
        threads=4, classes=3, methods=15, sloc=89, icps=4,
        jpf=Search(3880, (1.2, 1.0, 1.2, 1.0, 0.9, 1.1, 2.6, 1.0, 0.9, 1.1, 2.6, 1.0, 3.2, 1.1)),
        reex=Search(5179, (1294.8, 1.1, 1294.8, 1.1, 1294.8, 1.1, 1294.8, 1.1, 1294.8, 1.1, 1294.8, 1.1, 1294.8, 1.1)),
        note="three numbers, as in the paper's copy",
    ),
    Fault(
        "Deadlock", "deadlock", "SIR", "deadlock",
        threads=3, classes=4, methods=4, sloc=52, icps=3,
        jpf=Search(81, (1.0, 1.0, 0.6, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.5, 1.0, 1.5, 3.5, 1.8)),
        reex=Search(6, (1.2, 0.6, 1.2, 0.6, 1.2, 0.6, 1.2, 0.6, 1.2, 0.8, 1.2, 0.8, 1.5, 2.0)),
        note="main joins both threads",
    ),
    Fault(
        "ReadersWriters", "readers_writers", "SIR", "deadlock",
        threads=5, classes=6, methods=19, sloc=154, icps=2,
        jpf=Search(1545, (1.1, 0.7, 1.0, 1.0, 3.4, 0.3, 3.0, 0.3, 1.3, 0.4, 1.3, 0.4, 3.3, 0.2)),
        reex=None,
        note="every thread reads or writes once; the writers start when the first reader has left",
    ),
    Fault(
        "ReplWorkers", "repl_workers", "SIR", "deadlock",
        threads=3, classes=14, methods=45, sloc=432, icps=2,
        jpf=Search(5003, (0.8, 1.2, 7.4, 1.2, 7.0, 1.3, 6.8, 1.2, 7.9, 4.8, 7.9, 4.8, 2.8, 4.8)),
        reex=None,
        note="one coordinator, one barrier, three pieces of work",
    ),
    Fault(
        "RAXextended", "rax_extended", "SIR", "assertion",
        threads=6, classes=11, methods=23, sloc=166, icps=2,
        jpf=Search(31987, (0.6, 2.9, 37.8, 0.8, 0.6, 2.9, 0.6, 0.8, 1.1, 1.9, 1.1, 0.5, 1.7, 5.9)),
        reex=None,
        note="two rounds of planner and executive, one diagnosis, two writes per task",
    ),
    Fault(
        "Groovy", "groovy", "GROOVY-1890", "deadlock",
        threads=3, classes=607, methods=6399, sloc=54872, icps=60,
        jpf=Search(6721, (11.6, 1.0, 11.6, 1.0, 11.6, 1.0, 11.6, 1.0, 11.6, 1.0, 11.6, 1.0, 11.6, 1.0)),
        reex=Search(19, (1.0, 0.4, 1.0, 0.4, 1.0, 0.4, 1.0, 0.4, 1.0, 0.4, 1.0, 0.4, 0.6, 0.7)),
        note="the map alone, without references that are cleared by themselves",
    ),
    Fault(
        "Lang", "lang", "LANG-481", "assertion",
        threads=3, classes=215, methods=4422, sloc=48369, icps=3,
        jpf=Search(1268, (1.5, 1.1, 1.5, 1.1, 1.5, 1.1, 1.5, 1.1, 1.7, 1.8, 1.7, 1.8, 1.5, 1.1)),
        reex=Search(9, (2.3, 3.0, 2.3, 3.0, 2.3, 3.0, 2.3, 3.0, 2.3, 3.0, 2.3, 3.0, 2.3, 3.0)),
        note="the range alone; the hash of the class is 1",
    ),
    Fault(
        "Mina", "mina", "DIRMINA-803", "assertion",
        threads=3, classes=341, methods=3188, sloc=34804, icps=36,
        jpf=None,
        reex=Search(58, (0.6, 3.1, 0.9, 2.9, 0.7, 2.6, 0.6, 3.9, 0.7, 2.6, 11.6, 8.3, 0.6, 3.1)),
        note="the filter and its queue alone",
    ),
    Fault(
        "Pool1", "pool1", "POOL-107", "assertion",
        threads=3, classes=51, methods=688, sloc=10042, icps=148,
        jpf=Search(2978, (6.6, 2.0, 2.8, 1.0, 7.2, 2.3, 2.8, 1.0, 1.2, 2.2, 1.2, 1.9, 1.0, 0.7)),
        reex=Search(6463, (4.4, 8.7, 1.2, 8.0, 30.6, 22.6, 1.2, 8.0, 119.7, 113.4, 10.6, 22.0, 1.3, 8.0)),
        note="no ages of idle objects; the borrower must not fail, the evictor may, as in the developers' test",
    ),
    Fault(
        "Pool2", "pool2", "POOL-120", "assertion",
        threads=3, classes=35, methods=371, sloc=4473, icps=201,
        jpf=Search(5077, (6.4, 1.4, 3.1, 1.0, 8.7, 4.9, 3.1, 1.0, 29.4, 6.7, 35.5, 1.1, 1.4, 2.7)),
        reex=Search(98, (0.3, 1.2, 0.1, 1.3, 0.4, 1.4, 0.1, 1.3, 16.3, 3.6, 12.3, 1.6, 2.3, 8.2)),
        note="as Pool1; the correct version locks whole methods, as release 1.3 did",
    ),
    Fault(
        "Pool3", "pool3", "POOL-146", "deadlock",
        threads=2, classes=51, methods=706, sloc=10802, icps=29,
        jpf=Search(507, (2.6, 1.2, 1.6, 1.0, 1.8, 1.2, 1.8, 1.0, 2.6, 0.2, 2.6, 0.02, 5.1, 0.3)),
        reex=Search(2, (2.0, 1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0, 0.5, 1.0, 0.5, 1.0, 0.5, 1.0)),
        note="no evictor, no clearing at the limit of all keys",
    ),
    Fault(
        "Pool4", "pool4", "unreported", "deadlock",
        threads=3, classes=51, methods=705, sloc=10783, icps=47,
        jpf=Search(9327, (4.8, 1.8, 2.9, 1.0, 30.0, 8.3, 15.0, 2.8, 0.8, 1.5, 1.0, 1.4, 0.8, 9.8)),
        reex=Search(13593, (6.3, 15.7, 2.0, 1.1, 17.8, 31.9, 121.4, 16.1, 1.0, 15.3, 1.0, 0.9, 1.1, 199.9)),
        note="a stand-in, POOL-147 in release 1.5.1: the fault of the paper is not known",
    ),
)  # fmt: skip
