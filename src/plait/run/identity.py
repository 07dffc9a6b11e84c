"""Which object it is, as a number that no other live object has.

Under an audit hook, as workers have one, every call of `id` raises an event, which costs more than the rest of a small
access. The default hash is the same address in another order of its bits, and no event. It is taken from `object`, so
that what a class says about its own hash plays no role.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

identity: Callable[[Any], int] = object.__hash__
