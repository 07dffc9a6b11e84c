"""The changes that comparisons are tried on: ports of SpeedGun's Table 2, known effects, and no change at all."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Pair:
    """Two versions of a class.

    ``expected`` is the verdict that is right: for a port, what SpeedGun reported (Table 2) and the authors confirmed by
    inspection. ``paper_8`` and ``paper_64`` are its speed-ups, None where it reported nothing. ``note`` says how the
    port departs from the original because Python is not Java.
    """

    name: str
    subject: str
    old: str
    new: str
    expected: str
    paper_8: float | None = None
    paper_64: float | None = None
    note: str = ""

    @property
    def folders(self) -> tuple[Path, Path]:
        """Where the two versions lie."""
        return HERE / self.old, HERE / self.new


_POOL = "generic_object_pool:GenericObjectPool"
_EXPANDO = "expando_lite:ExpandoLite"
_LOCK_COST = "an uncontended lock costs about three times what an empty method does, more than in Java"

PORTS = (
    Pair("1 finer locks: clear, evict", _POOL, "pool/after_02", "pool/after_01", "improvement", 1.52, 1.57,
         "the factory sleeps, so that work outside the lock overlaps in spite of the GIL"),
    Pair("2 volatile flags", _POOL, "pool/after_03", "pool/after_02", "improvement", 1.30, 1.38, _LOCK_COST),
    Pair("3 finer locks: borrow, return", _POOL, "pool/before_03", "pool/after_03", "improvement", 2.09, 2.20,
         "the factory sleeps, so that work outside the lock overlaps in spite of the GIL"),
    Pair("4 locks for the size", "static_bucket_map:StaticBucketMap", "bucket_map/before_04", "bucket_map/after_04",
         "regression", 0.64, 0.61),
    Pair("5 volatile fields", "date_time:DateTime", "date_time/before_05", "date_time/after_05", "regression", 0.91,
         0.91, "Python has no volatile; the nearest is a lock that nobody holds for long"),
    Pair("6 locks everywhere", _EXPANDO, "expando/before_06", "expando/after_06", "regression", 0.48, 0.52),
    Pair("7 concurrent maps", _EXPANDO, "expando/after_06", "expando/after_07", "improvement", 1.08, 1.29,
         "a dictionary is the nearest to a concurrent map"),
    Pair("8 lock round a change", _EXPANDO, "expando/before_08", "expando/after_08", "none",
         note="a change re-indexes, which outweighs the lock"),
    Pair("9 synchronized flags", _EXPANDO, "expando/after_08", "expando/after_09", "regression", 0.92, 0.96,
         _LOCK_COST),
    Pair("10 index", _EXPANDO, "expando/after_09", "expando/after_10", "improvement", 1.39, 1.38),
    Pair("11 standard maps", _EXPANDO, "expando/after_10", "expando/after_11", "none"),
    Pair("12 more look-ups", _EXPANDO, "expando/after_11", "expando/after_12", "regression", 0.88, 0.91),
    Pair("13 volatile flags", _EXPANDO, "expando/after_12", "expando/after_13", "improvement", 1.50, 1.42, _LOCK_COST),
    Pair("14 synchronized flags", _EXPANDO, "expando/after_13", "expando/after_14", "regression", 0.95, 0.95,
         _LOCK_COST),
    Pair("15 volatile flags", _EXPANDO, "expando/after_14", "expando/after_15", "improvement", 1.03, None, _LOCK_COST),
    Pair("16 explicit locks", _EXPANDO, "expando/before_16", "expando/after_16", "none",
         note="the standard library has no lock for readers; the nearest is one lock with two names"),
    Pair("17 flags locked twice", _EXPANDO, "expando/before_17", "expando/after_17", "none",
         note="taking a lock again costs as much as taking it; the methods that do have more to do"),
)  # fmt: skip

EFFECTS = (
    Pair("lock round waiting", "loader:Loader", "effects/loader/old", "effects/loader/new", "regression"),
    Pair("lock split", "mailbox:Mailbox", "effects/mailbox/old", "effects/mailbox/new", "improvement"),
    Pair("lock removed from reading", "settings:Settings", "effects/settings/old", "effects/settings/new",
         "improvement"),
    Pair("10 % more under the lock", "histogram:Histogram", "effects/histogram/old", "effects/histogram/new",
         "regression"),
    Pair("RLock to Lock", "register:Register", "effects/register/old", "effects/register/new", "none",
         note="1 to 3 % faster, which is below the threshold"),
)  # fmt: skip


def same(count: int) -> list[Pair]:
    """Versions against themselves, in turn."""
    known = {(pair.subject, folder): None for pair in (*PORTS, *EFFECTS) for folder in (pair.old, pair.new)}
    versions = list(known)
    chosen = [versions[number % len(versions)] for number in range(count)]
    return [Pair(f"same: {folder}", subject, folder, folder, "none") for subject, folder in chosen]
