"""The identity of an object, as a number that no other live object has.

With an audit hook, as in workers, every call of `id` raises an audit event, which costs more than the rest of an
access. The default hash of an object is the same address with its bits rotated, and raises no event. The function is
``object.__hash__``, so that a class's own ``__hash__`` does not matter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

identity: Callable[[Any], int] = object.__hash__
