"""Runs the tests of a file again and again, each on its own OS threads as everybody has them, until one fails.

Used as a program of its own: ``python repeated.py FILE SECONDS`` prints a line of JSON for each test. Threads switch as
often as the interpreter lets them, in every second try they begin all at once; nothing of plait is imported.
"""

from __future__ import annotations

import json
import runpy
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

SWITCH = 1e-6


def repeat(test: Callable[[], object], seconds: float) -> dict[str, Any]:
    """Call a test until it raises, or the time is over."""
    end, tries = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        tries += 1
        if "crew" in sys.modules:
            sys.modules["crew"].AT_ONCE = tries % 2 == 0  # type: ignore[attr-defined]
        try:
            test()
        except Exception as error:  # noqa: BLE001 - whatever the package does
            return {"fails": True, "tries": tries, "said": f"{type(error).__name__}: {error}".splitlines()[0]}
    return {"fails": False, "tries": tries, "said": ""}


def main(file: str, seconds: float) -> None:
    """Repeat each test of a file."""
    sys.setswitchinterval(SWITCH)
    for name, test in list(runpy.run_path(file).items()):
        if name.startswith("test_"):
            print(json.dumps({"test": name, **repeat(test, seconds)}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
