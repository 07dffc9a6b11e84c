"""CovCon's 18 thread-safe classes: the paper's figures (Table II) beside what the Python ports are expected to show.

Each port exists twice under the same module and class name: ``faulty/`` has the published defect, ``sound/`` is
linearizable in all its method pairs. The folders are meant to be put on the import path, one at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

LIMIT = 3600  # seconds; a time of this length means: never found
FEW_PAIRS = 10  # of methods: a class with no more has no use for an order of them
HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Row:
    """One class under test.

    ``loc``, ``methods`` and ``pairs`` count superclasses too; times are means of ten runs in seconds. ``symptom`` is
    the name of an exception, ``deadlock`` or ``wrong-result``; ``note`` says where the port deviates.
    """

    number: int
    name: str
    module: str
    cls: str
    loc: int
    methods: int
    pairs: int
    kind: str
    covcon_s: int
    contege_s: int
    symptom: str
    note: str

    @property
    def faulty(self) -> Path:
        """The file with the defect."""
        return HERE / "faulty" / f"{self.module}.py"

    @property
    def sound(self) -> Path:
        """The file without it."""
        return HERE / "sound" / f"{self.module}.py"


ROWS = [
    Row(
        1, "BufferedInputStream (JDK 1.1)", "buffered_input_stream", "BufferedInputStream", 239, 9, 45, "atomicity",
        3, 178, "AttributeError",
        "Use after close is StreamClosedError; a read that meets the missing buffer shows TypeError. One lock for all "
        "streams instead of one each.",
    ),
    Row(
        2, "Logger (JDK 1.4.1)", "logger", "Logger", 531, 44, 990, "atomicity", 159, 2810, "AttributeError",
        "One lock for the whole hierarchy instead of one per logger; handlers and filters are stateless; overloads "
        "have names of their own.",
    ),
    Row(
        3, "SynchronizedMap (JDK 1.4.2)", "synchronized_map", "SynchronizedMap", 79, 15, 120, "deadlock", 2602, LIMIT,
        "deadlock",
        "The wrapped table is an association list; put compares keys but hashes nothing, so equals and put_all between "
        "two maps can deadlock besides hash_code. Views are snapshots. Sound: one lock for all maps.",
    ),
    Row(
        4, "ConcurrentHashMap (JDK 1.6.0)", "concurrent_hash_map", "ConcurrentHashMap", 972, 22, 253, "atomicity",
        2477, 2504, "RecursionError",
        "A depth limit of 40 stands for the end of the stack. All operations but put_all are atomic (the original's "
        "are weakly consistent), so that put_all is the only finding. The exception takes three methods (put_all "
        "against clear and hash_code); clear and put_all alone give a wrong result.",
    ),
    Row(
        5, "StringBuffer (JDK 1.6.0)", "string_buffer", "StringBuffer", 789, 52, 1378, "atomicity", 560, 689,
        "IndexError",
        "Methods that change the text return None instead of the buffer; one lock for all buffers, so that a buffer as "
        "argument is safe everywhere but in insert_sequence.",
    ),
    Row(
        6, "TimeSeries (JFreeChart 0.9.8)", "time_series", "TimeSeries", 359, 41, 861, "race", 59, 73,
        "AttributeError",
        "Periods are integers. Appending raises the size before it stores the item, so two single calls can show the "
        "hole; items handed out are copies.",
    ),
    Row(
        7, "XYSeries (JFreeChart 0.9.8)", "xy_series", "XYSeries", 200, 25, 325, "race", 9, 15, "RuntimeError",
        "The listener list counts its modifications, as Python lists do not.",
    ),
    Row(
        8, "NumberAxis (JFreeChart 0.9.12)", "number_axis", "NumberAxis", 1662, 110, 6105, "atomicity", 72, 374,
        "ValueError", "Getters and setters of appearance are attached by a loop and notify nobody.",
    ),
    Row(
        9, "PeriodAxis (JFreeChart 1.0.1)", "period_axis", "PeriodAxis", 1975, 125, 7875, "race", 26, 25, "ValueError",
        "Periods are day numbers, today is 15000. Getters and setters of appearance as in 8.",
    ),
    Row(
        10, "XYPlot (JFreeChart 1.0.9)", "xy_plot", "XYPlot", 3080, 217, 23653, "race", 325, 722, "RuntimeError",
        "Maps are dicts copied entry by entry. Getters and setters of appearance as in 8.",
    ),
    Row(
        11, "Day (JFreeChart 1.0.13)", "day", "Day", 267, 26, 351, "race", 26, 44, "ValueError",
        "The two shared formats are reduced to a digit buffer each; days that do not exist parse to None. Sound: a "
        "parser per call and no lock, as days are immutable.",
    ),
    Row(
        12, "PerUserPoolDataSource (DBCP 1.4)", "per_user_pool_data_source", "PerUserPoolDataSource", 719, 65, 2145,
        "race", 28, 738, "RuntimeError", "Connections are texts. Settings are attached by a loop.",
    ),
    Row(
        13, "SharedPoolDataSource (DBCP 1.4)", "shared_pool_data_source", "SharedPoolDataSource", 546, 51, 1326, "race",
        17, 433, "RuntimeError", "As 12 with one pool for all users.",
    ),
    Row(
        14, "XStream (1.4.1)", "xstream", "XStream", 926, 66, 2211, "race", 1416, 55, "AttributeError",
        "The cause lies in the original's run-time library and is inferred: a writer that is reset and used again. Two "
        "preemptions for the exception, one for a document in the wrong output.",
    ),
    Row(
        15, "Vector (JDK 1.1.7)", "vector_117", "Vector", 216, 24, 300, "atomicity", 793, LIMIT, "IndexError",
        "All methods but last_index_of are locked (five more are not in the original, harmlessly); elements is a "
        "snapshot; capacities above 64 are refused. The exception takes three methods (last_index_of against "
        "remove_all_elements and trim_to_size); the first two alone give a wrong result for None.",
    ),
    Row(
        16, "Vector (JDK 1.4.2)", "vector_142", "Vector", 786, 45, 1035, "atomicity", 134, 612, "RuntimeError",
        "Reconstruction: the paper does not say which defect was found. Here bulk methods walk another vector; two "
        "vectors that take each other as argument can deadlock too. Iterators handed out are snapshots.",
    ),
    Row(
        17, "IntRange (Commons Lang 2.4)", "int_range", "IntRange", 276, 26, 351, "atomicity", LIMIT, LIMIT,
        "wrong-result", "The class hash is 1. Sound: no lock, as everything computed twice is computed alike.",
    ),
    Row(
        18, "AsMap (Google Collections 1.0)", "as_map", "AsMap", 409, 15, 120, "atomicity", 2881, 2166,
        "AttributeError",
        "entry_set alone shows a wrong result, what is built on it the exception. Sound: the local is tested and every "
        "method is locked; entry_set hands out a snapshot.",
    ),
]  # fmt: skip
