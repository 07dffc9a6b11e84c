"""What a class's own thread does in the middle of a call belongs to the class, unless changes get lost."""

import pytest

CLASS = """
    import threading
    import time

    class Shop:
        def __init__(self):
            self._lock = threading.Lock()
            self._items = {{}}
            self.count = 0
            self.state = "new"
            self.done = 0
            threading.Thread(target=self._work, daemon=True).start()

        def _work(self):
            {work}

        def put(self, key):
            with self._lock:
                self._items[key] = 1
                return self.state

        def take(self, key):
            {take}

        def add(self):
            with self._lock:
                self.count += 1

        def get(self, key):
            with self._lock:
                return self._items.get(key)

        def look(self):
            return self.state
"""
POP = "with self._lock: return self._items.pop(key, None)"
IN_TWO_STEPS = "return self._items.pop(key) if key in self._items else None"


def examined(judged, work, *threads, take=POP, probes=("x.get('a')", "x.get('b')")):
    source = CLASS.format(work=work, take=take)
    return judged(source, ["x = Shop()"], *(thread.split("; ") for thread in threads), probes=probes)


@pytest.mark.parametrize(
    ("work", "threads"),
    [
        ("self._items = {k: v for k, v in self._items.items()}", ("x.put('a')", "x.put('b')")),
        ("self.count += 10", ("x.add()", "x.add()")),
        ("count = self.count; self._lock.acquire(); self.count = count; self._lock.release()", ("x.add()", "x.add()")),
    ],
    ids=["copied", "unlocked", "read before the lock"],
)
def test_a_thread_of_the_class_must_not_lose_what_a_call_has_done(judged, work, threads):
    found = examined(judged, work, *threads)
    assert found.violation is not None
    assert found.violation.kind == "wrong-result"


def test_a_call_must_not_use_what_a_thread_of_the_class_has_taken(judged):
    work = "self._lock.acquire(); self._items.clear(); self._lock.release()"
    found = examined(judged, work, "x.put('a'); x.take('a')", "x.look()", take=IN_TWO_STEPS)
    assert found.violation is not None
    assert found.violation.exception == "KeyError"


@pytest.mark.parametrize(
    "work",
    [
        "self._lock.acquire(); self._items = {k: v for k, v in self._items.items()}; self._lock.release()",
        "self._lock.acquire(); self.count += 1; self._lock.release()",
        "self.state = 'running'; self.done = 1; self.done = 2; self.state = 'done'",
        "count = self.count; self.done = count",
        "while not self._items and self.done < 3: self.done += 1; time.sleep(0.1)",
    ],
    ids=["copied under the lock", "locked", "progress", "published", "polling"],
)
def test_what_a_thread_of_the_class_does_besides_is_the_class_itself(judged, work):
    for threads in (("x.put('a')", "x.put('b')"), ("x.add()", "x.add()"), ("x.look()", "x.put('a'); x.take('a')")):
        assert examined(judged, work, *threads).violation is None, threads
