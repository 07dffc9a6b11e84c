"""A repository with three commits and two classes for threads: a race comes in, then a lock becomes wider.

`make_project` adds what the pages of the documentation take for granted in the reader's own project.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from plait.commands.perf.measure import MeasureRules

STOCK = '''"""What is in store."""

import threading


class Stock:
    """Counts items; may be used by several threads."""

    def __init__(self):
        self._lock = threading.Lock()
        self._items = {}

    def put(self, name: str, count: int = 1):
        with self._lock:
            self._items[name] = self._items.get(name, 0) + count

    def count(self, name: str):
        with self._lock:
            return self._items.get(name, 0)
'''
RACY = STOCK.replace("        with self._lock:\n            self._items[name] =", "        self._items[name] =", 1)
PRICES = '''"""What things cost."""

import threading
import time


class Prices:
    def __init__(self):
        self._lock = threading.Lock()
        self._known = {}

    def price(self, name: str) -> int:
        found = ask(name)
        with self._lock:
            self._known[name] = found
        return found

    def known(self) -> int:
        with self._lock:
            return len(self._known)


def ask(name):
    time.sleep(0.002)  # the network
    return len(name)
'''
WIDE = PRICES.replace(
    "        found = ask(name)\n        with self._lock:\n",
    "        with self._lock:\n            found = ask(name)\n",
)
LABEL = "class Label:\n    text = 'x'\n\n    def shown(self):\n        return {}\n"

STOCK_TEST = """import threading

from shop.stock import Stock


def test_two_deliveries():
    stock = Stock()
    threads = [threading.Thread(target=stock.put, args=("apple",)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stock.count("apple") == 2
"""

CACHE = """import threading


class Cache:
    def __init__(self):
        self._lock = threading.Lock()
        self._items = {}

    def get(self, key: str):
        with self._lock:
            return self._items.get(key)

    def put(self, key: str, value: int = 1):
        with self._lock:
            self._items[key] = value
"""
QUEUE_TEST = """import threading
from queue import Queue


def test_two_writers():
    queue = Queue()
    threads = [threading.Thread(target=queue.put, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted((queue.get(), queue.get())) == [0, 1]
"""
ROOT = Path(__file__).resolve().parents[1]
MINA = ROOT / "benchmarks" / "capp" / "mina"

QUICK = MeasureRules(m_min=3, m_max=4, t_s=0.2, sigma_acceptable=0.5, heavy=1e9)
"""Effects in these tests are so large that a busy machine does not hide them."""


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    done = subprocess.run(["git", *identity, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit(folder: Path, message: str, **files: str) -> str:
    for name, text in files.items():
        file = folder / "src" / "shop" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", message, "--allow-empty")
    return git(folder, "rev-parse", "HEAD")


def make_shop(folder: Path) -> dict[str, str]:
    """Commit names by what they bring; the branch ``main`` stays at the first one."""
    git(folder, "init", "-qb", "main")
    (folder / ".gitignore").write_text("plait-out\n__pycache__\n", encoding="utf-8")
    (folder / "tests").mkdir()
    (folder / "tests" / "test_stock.py").write_text(STOCK_TEST, encoding="utf-8")
    (folder / "conftest.py").write_text("import sys\n\nsys.path.insert(0, 'src')\n", encoding="utf-8")
    made = {"start": commit(folder, "A shop", __init__="", stock=STOCK, prices=PRICES, label=LABEL.format("self.text"))}
    git(folder, "checkout", "-qb", "topic")
    made["race"] = commit(folder, "Put without waiting", stock=RACY, label=LABEL.format("self.text.upper()"))
    made["wide"] = commit(folder, "One question at a time", prices=WIDE)
    return made


def make_project(folder: Path, settings: str) -> None:
    """The shop with releases and a remote, a cache that is being changed, and tests of two more modules."""
    (folder / "pyproject.toml").write_text(settings, encoding="utf-8")
    (folder / "src").mkdir()
    (folder / "src" / "cache.py").write_text(CACHE, encoding="utf-8")
    shutil.copy(MINA / "old" / "mina.py", folder / "src")
    shutil.copytree(ROOT / "action", folder / "action")
    made = make_shop(folder)
    for name, point in (("v1.0", "start"), ("v1.2", "start"), ("v2.0", "wide")):
        git(folder, "tag", name, made[point])
    git(folder, "update-ref", "refs/remotes/origin/main", "main")
    shutil.copy(MINA / "test_mina.py", folder / "tests")
    (folder / "tests" / "test_queue.py").write_text(QUEUE_TEST, encoding="utf-8")
    shutil.copy(MINA / "new" / "mina.py", folder / "src")
    commit(folder, "Encoders on demand")
    unlocked = CACHE.replace("        with self._lock:\n            return", "        return")
    (folder / "src" / "cache.py").write_text(unlocked, encoding="utf-8")
