"""GoBench's kernels (GoKer): 68 block, 35 end wrongly; which have a Python form, and why the others have none.

A port has the shape of a kernel: the locks, channels, conditions, wait groups and contexts, and who does what in which
order. ``faulty/`` and ``mended/`` hold the same tests, one function for each kernel; ``golang.py`` what Go has.
"""

from __future__ import annotations

import ast
from pathlib import Path

HERE = Path(__file__).parent
FAULTY, MENDED = HERE / "faulty", HERE / "mended"
BLOCKING, OTHERS = 68, 35
KINDS = {"test_locks": "locks", "test_channels": "channels", "test_data": "non-blocking"}

_RACE = "a data race that Go's race detector reports and nothing else shows: each access of CPython is whole"
NOT_PORTABLE = {
    "etcd_4876": f"{_RACE} (a package variable)", "etcd_8194": f"{_RACE} (a package variable)",
    "etcd_9446": f"{_RACE} (a map that one thread empties)", "grpc_1748": f"{_RACE} (a package variable)",
    "istio_8144": f"{_RACE} (a counter with one writer)", "istio_8214": f"{_RACE} (statistics, copied)",
    "istio_16742": f"{_RACE} (a field set to nil)", "kubernetes_70892": f"{_RACE} (slices replaced by equal ones)",
    "kubernetes_77796": f"{_RACE} (a slice made empty)", "kubernetes_79631": f"{_RACE} (a key removed from a map)",
    "kubernetes_80284": f"{_RACE} (a function replaced by an equal one)",
    "kubernetes_81148": f"{_RACE} (a time stamp)", "kubernetes_82239": f"{_RACE} (a value replaced by an equal one)",
    "kubernetes_88331": f"{_RACE} (the length of a slice)", "kubernetes_89164": f"{_RACE} (a slice made empty)",
    "moby_18412": "the exit code of another process", "serving_3148": f"{_RACE} (a slice replaced)",
}  # fmt: skip


def kernels() -> dict[str, str]:
    """Return the file of each kernel that has a port."""
    found = {}
    for file in KINDS:
        for node in ast.parse((FAULTY / f"{file}.py").read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                found[node.name.removeprefix("test_")] = file
    return found
