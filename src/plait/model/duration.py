"""Times as people write them: ``60s``, ``5m`` or ``1.5h``, on the command line and in settings."""

from __future__ import annotations

import re

from plait.errors import UsageError

_TIME = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([smh])")
_SECONDS = {"s": 1, "m": 60, "h": 3600}
_LONGEST = 366 * 24 * 3600


def seconds(text: str) -> float:
    """Return ``60s``, ``5m`` or ``1.5h`` in seconds."""
    found = _TIME.fullmatch(text.strip())
    if found is None and re.fullmatch(r"[1-9][0-9]*(\.[0-9]+)?", text.strip()):
        raise UsageError(
            f"{text!r} is no time without a unit: write {text.strip()}s, {text.strip()}m or {text.strip()}h"
        )
    if found is None:
        raise UsageError(f"{text!r} is no time: write a number with s, m or h, such as 60s")
    amount = float(found[1]) * _SECONDS[found[2]]
    if not 0 < amount <= _LONGEST:
        raise UsageError(f"{text!r} is no useful time: it must be more than nothing and at most a year")
    return amount
