"""The faults of waiting and waking that are planted into the monitors, one patch each.

A patch replaces a text that occurs exactly once in the sound module. Faults that no caller could tell from the original
are not here: a latch that is only notified when it opens may ask with ``if``, and a sender of the rendezvous only ever
finds receivers waiting, so it may wake one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

SOUND = Path(__file__).with_name("sound")

IF = "if for while"
MISSING = "missing notify"
ONE = "notify for notify_all"
LATE = "state changed after notify"
WRONG = "wrong condition notified"
LOST = "lost permit"
KINDS = (IF, MISSING, ONE, LATE, WRONG, LOST)

CLASSES = {
    "bounded_buffer": "BoundedBuffer", "latch": "CountDownLatch", "barrier": "CyclicBarrier", "rendezvous": "Channel",
    "readers_writer": "ReadWriteLock", "semaphore": "CountingSemaphore", "pool": "ResourcePool", "future": "Promise",
    "single_flight": "LoadingCache", "phaser": "Phaser", "shutdown_queue": "ClosableQueue",
    "rate_limiter": "TokenBucket",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fault:
    """One planted fault."""

    monitor: str
    kind: str
    where: str
    old: str
    new: str

    @property
    def name(self) -> str:
        """Of the module that `write` makes."""
        return f"{self.monitor}__{self.kind.replace(' ', '_')}__{self.where}"

    def source(self) -> str:
        """The module with the fault in it."""
        text = (SOUND / f"{self.monitor}.py").read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise ValueError(f"{self.name}: the text to replace occurs {text.count(self.old)} times")
        return text.replace(self.old, self.new)

    def write(self, folder: Path, name: str | None = None) -> Path:
        """Write the module; by default under the name of the fault."""
        file = folder / f"{name or self.name}.py"
        file.write_text(self.source(), encoding="utf-8")
        return file


FAULTS = (
    Fault("bounded_buffer", IF, "get", "while not self._items:", "if not self._items:"),
    Fault("bounded_buffer", IF, "put", "while len(self._items) >= self._capacity:",
          "if len(self._items) >= self._capacity:"),
    Fault("bounded_buffer", MISSING, "put", """\
            self._items.append(item)
            self._not_empty.notify()

""", """\
            self._items.append(item)

"""),
    Fault("bounded_buffer", MISSING, "get", "            self._not_full.notify()\n", ""),
    Fault("bounded_buffer", WRONG, "put", """\
            self._not_empty.notify()

""", """\
            self._not_full.notify()

"""),
    Fault("bounded_buffer", WRONG, "get", "self._not_full.notify()", "self._not_empty.notify()"),
    Fault("bounded_buffer", LATE, "get", """\
            item = self._items.popleft()
            self._not_full.notify()
            return item
""", """\
            self._not_full.notify()
        with self._lock:
            return self._items.popleft()
"""),
    Fault("latch", MISSING, "count_down", "                    self._condition.notify_all()",
          "                    pass"),
    Fault("latch", ONE, "count_down", "notify_all()", "notify()"),
    Fault("latch", LATE, "count_down", """\
            if self._count > 0:
                self._count -= 1
                if self._count == 0:
                    self._condition.notify_all()
""", """\
            if self._count == 1:
                self._condition.notify_all()
        with self._condition:
            if self._count > 0:
                self._count -= 1
"""),
    Fault("barrier", MISSING, "wait", "                self._condition.notify_all()\n", ""),
    Fault("barrier", ONE, "wait", "notify_all()", "notify()"),
    Fault("barrier", LATE, "wait", """\
                self._arrived = 0
                self._generation += 1
                self._condition.notify_all()
            else:
                while generation == self._generation:
                    self._condition.wait()
            return index
""", """\
                self._condition.notify_all()
            else:
                while generation == self._generation:
                    self._condition.wait()
                return index
        with self._condition:
            self._arrived = 0
            self._generation += 1
        return index
"""),
    Fault("rendezvous", IF, "send", "while self._item is not _NOTHING:", "if self._item is not _NOTHING:"),
    Fault("rendezvous", IF, "receive", "while self._item is _NOTHING:", "if self._item is _NOTHING:"),
    Fault("rendezvous", MISSING, "send", """\
            self._condition.notify_all()
            while self._received < ticket:
""", """\
            while self._received < ticket:
"""),
    Fault("rendezvous", MISSING, "receive", """\
            self._condition.notify_all()
            return item
""", """\
            return item
"""),
    Fault("rendezvous", ONE, "receive", """\
            self._condition.notify_all()
            return""", """\
            self._condition.notify()
            return"""),
    Fault("rendezvous", LATE, "receive", """\
            self._received += 1
            self._condition.notify_all()
            return item
""", """\
            self._condition.notify_all()
        with self._condition:
            self._received += 1
        return item
"""),
    Fault("readers_writer", IF, "acquire_read", "while self._writing or self._writers_waiting:",
          "if self._writing or self._writers_waiting:"),
    Fault("readers_writer", IF, "acquire_write", "while self._writing or self._readers:",
          "if self._writing or self._readers:"),
    Fault("readers_writer", MISSING, "release_read", """\
            if self._readers == 0:
                self._condition.notify_all()
""", ""),
    Fault("readers_writer", MISSING, "release_write", """\
            self._writing = False
            self._condition.notify_all()
""", """\
            self._writing = False
"""),
    Fault("readers_writer", ONE, "release_write", """\
            self._writing = False
            self._condition.notify_all()
""", """\
            self._writing = False
            self._condition.notify()
"""),
    Fault("readers_writer", LATE, "release_write", """\
            self._writing = False
            self._condition.notify_all()
""", """\
            self._condition.notify_all()
        with self._condition:
            self._writing = False
"""),
    Fault("semaphore", IF, "acquire", """\
            while self._permits < permits:
                self._condition.wait()
""", """\
            if self._permits < permits:
                self._condition.wait()
"""),
    Fault("semaphore", MISSING, "release", """\
            self._condition.notify_all()
""", ""),
    Fault("semaphore", ONE, "release", "notify_all()", "notify()"),
    Fault("semaphore", LATE, "release", """\
            self._permits += permits
            self._condition.notify_all()
""", """\
            self._condition.notify_all()
        with self._condition:
            self._permits += permits
"""),
    Fault("semaphore", LOST, "release", """\
            self._permits += permits
            self._condition.notify_all()
""", """\
            now = self._permits
        with self._condition:
            self._permits = now + permits
            self._condition.notify_all()
"""),
    Fault("pool", IF, "acquire", """\
            while not self._free and self._made >= self._size:
""", """\
            if not self._free and self._made >= self._size:
"""),
    Fault("pool", MISSING, "release", """\
            self._free.append(resource)
            self._condition.notify()
""", """\
            self._free.append(resource)
"""),
    Fault("pool", MISSING, "discard", """\
            self._made -= 1
            self._condition.notify()
""", """\
            self._made -= 1
"""),
    Fault("pool", LATE, "release", """\
            self._free.append(resource)
            self._condition.notify()
""", """\
            self._condition.notify()
        with self._condition:
            self._free.append(resource)
"""),
    Fault("pool", LOST, "discard", """\
            self._lent.remove(resource)
            self._made -= 1
            self._condition.notify()
""", """\
            self._lent.remove(resource)
            made = self._made
        with self._condition:
            self._made = made - 1
            self._condition.notify()
"""),
    Fault("future", MISSING, "set_result", """\
            self._result = value
            self._done = True
            self._condition.notify_all()
""", """\
            self._result = value
            self._done = True
"""),
    Fault("future", MISSING, "fail", """\
            self._error = RuntimeError(reason)
            self._done = True
            self._condition.notify_all()
""", """\
            self._error = RuntimeError(reason)
            self._done = True
"""),
    Fault("future", ONE, "set_result", """\
            self._result = value
            self._done = True
            self._condition.notify_all()
""", """\
            self._result = value
            self._done = True
            self._condition.notify()
"""),
    Fault("future", LATE, "set_result", """\
            self._result = value
            self._done = True
            self._condition.notify_all()
""", """\
            self._condition.notify_all()
        with self._condition:
            self._result = value
            self._done = True
"""),
    Fault("single_flight", IF, "get", """\
            while key in self._loading:
                self._condition.wait()
            if key in self._values:
""", """\
            if key in self._loading:
                self._condition.wait()
            if key in self._values:
"""),
    Fault("single_flight", MISSING, "get", """\
            self._values[key] = value
            self._loading.discard(key)
            self._condition.notify_all()
""", """\
            self._values[key] = value
            self._loading.discard(key)
"""),
    Fault("single_flight", ONE, "get", """\
            self._values[key] = value
            self._loading.discard(key)
            self._condition.notify_all()
""", """\
            self._values[key] = value
            self._loading.discard(key)
            self._condition.notify()
"""),
    Fault("single_flight", LATE, "get", """\
            self._values[key] = value
            self._loading.discard(key)
            self._condition.notify_all()
""", """\
            self._condition.notify_all()
        with self._condition:
            self._values[key] = value
            self._loading.discard(key)
"""),
    Fault("phaser", MISSING, "arrive", "            self._condition.notify_all()\n", ""),
    Fault("phaser", ONE, "arrive", "notify_all()", "notify()"),
    Fault("phaser", LATE, "arrive", """\
        with self._condition:
            return self._arrive()

    def arrive_and_deregister""", """\
        with self._condition:
            if self._unarrived == 1:
                self._unarrived = self._parties
                self._condition.notify_all()
            else:
                return self._arrive()
        with self._condition:
            self._phase += 1
            return self._phase - 1

    def arrive_and_deregister"""),
    Fault("shutdown_queue", IF, "get", """\
            while not self._items and not self._closed:
""", """\
            if not self._items and not self._closed:
"""),
    Fault("shutdown_queue", MISSING, "put", """\
            self._condition.notify()
""", ""),
    Fault("shutdown_queue", MISSING, "close", """\
            self._condition.notify_all()
""", ""),
    Fault("shutdown_queue", ONE, "close", "notify_all()", "notify()"),
    Fault("shutdown_queue", LATE, "close", """\
            self._closed = True
            self._condition.notify_all()
""", """\
            self._condition.notify_all()
        with self._condition:
            self._closed = True
"""),
    Fault("shutdown_queue", LATE, "put", """\
            self._items.append(item)
            self._condition.notify()
""", """\
            self._condition.notify()
        with self._condition:
            self._items.append(item)
"""),
    Fault("rate_limiter", IF, "acquire", "while self._tokens < tokens:", "if self._tokens < tokens:"),
    Fault("rate_limiter", MISSING, "refill", "            self._refilled.notify_all()\n", ""),
    Fault("rate_limiter", ONE, "refill", "notify_all()", "notify()"),
    Fault("rate_limiter", LATE, "refill", """\
            self._tokens = min(self._capacity, self._tokens + tokens)
            self._refilled.notify_all()
""", """\
            self._refilled.notify_all()
        with self._refilled:
            self._tokens = min(self._capacity, self._tokens + tokens)
"""),
    Fault("rate_limiter", LOST, "acquire_within", """\
            if not self._refilled.wait_for(lambda: self._tokens >= tokens, timeout):
                return False
            self._tokens -= tokens
            return True
""", """\
            self._tokens -= tokens
            if not self._refilled.wait_for(lambda: self._tokens >= 0, timeout):
                return False
            return True
"""),
)  # fmt: skip
