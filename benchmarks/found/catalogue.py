"""The defects that plait found in releases that were the current ones, and what shows each of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"


@dataclass(frozen=True, slots=True)
class Defect:
    """One defect: the release, the class that `plait check` is given, the only methods that show it, and a test."""

    name: str
    package: str
    number: str
    subject: str
    methods: frozenset[str]
    first: str

    @property
    def test(self) -> Path:
        """The file of its test."""
        return PROGRAMS / f"test_{self.name}.py"

    @property
    def version(self) -> str:
        """The release as the command line has it."""
        return f"pypi:{self.package}=={self.number}"


def _defect(name: str, release: str, subject: str, *methods: str) -> Defect:
    package, _, number = release.partition("==")
    return Defect(name, package, number, subject, frozenset(methods), methods[0])


DEFECTS = (
    _defect("cacheout_stats", "cacheout==0.17.0", "cacheout.cache:Cache", "info", "get"),
    _defect("cacheout_configure", "cacheout==0.17.0", "cacheout.manager:CacheManager", "configure", "register"),
    _defect(
        "concurrent_collections_equal", "concurrent-collections==2.1.0", "concurrent_collections:ConcurrentDictionary",
        "__eq__",
    ),
    _defect(
        "concurrent_collections_locked", "concurrent-collections==2.1.0", "concurrent_collections:ConcurrentDictionary",
        "get_locked", "update_atomic",
    ),
    _defect("expiringdict_setdefault", "expiringdict==1.2.2", "expiringdict:ExpiringDict", "setdefault"),
    _defect("limits_fixed_window", "limits==5.8.0", "limits.storage:MemoryStorage", "incr"),
    _defect("limits_refused", "limits==5.8.0", "limits.storage:MemoryStorage", "incr"),
    _defect("persist_queue_wake", "persist-queue==1.1.0", "persistqueue:SQLiteQueue", "get", "put"),
    _defect(
        "pybreaker_state", "pybreaker==1.4.1", "pybreaker:CircuitBreaker", "state", "open", "half_open", "close", "call"
    ),
    _defect("pyformance_counter", "pyformance==0.4", "pyformance:MetricsRegistry", "counter"),
    _defect(
        "pyformance_dump", "pyformance==0.4", "pyformance:MetricsRegistry", "dump_metrics", "add", "counter", "meter",
        "timer", "histogram", "gauge", "clear",
    ),
    _defect("reactivex_error", "reactivex==6.1.0", "reactivex.subject:Subject", "on_error", "subscribe"),
    _defect("throttled_hgetall", "throttled-py==3.5.0", "throttled.store:MemoryStore", "hgetall", "hset"),
    _defect("ttldict_len", "ttldict==0.3.0", "ttldict:TTLOrderedDict", "__len__", "clear"),
)  # fmt: skip
