"""What `asyncio` takes for a future of an executor: those of the mirrored module as well."""

from __future__ import annotations

import asyncio.futures
import concurrent.futures
import types
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class _Accepting(type):
    """The class of a class that futures of several modules are instances of."""

    kinds: tuple[type, ...] = ()

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.kinds)


@contextmanager
def known_to_asyncio(mirrored: Mapping[str, types.ModuleType]) -> Iterator[None]:
    """Let `asyncio.wrap_future` take the futures of mirrored executors.

    `asyncio` is not rewritten, and asserts that it is given an instance of the class that it has imported itself. Its
    module of futures only ever asks whether something is one; the modules that make futures keep the real class.
    """
    kinds: list[type] = [concurrent.futures.Future]
    for name in ("concurrent.futures", "concurrent.futures._base"):
        kind = getattr(mirrored.get(name), "Future", None)
        if isinstance(kind, type) and kind not in kinds:
            kinds.append(kind)
    space: Any = vars(asyncio.futures)
    before = space["concurrent"]
    accepting = _Accepting("Future", (), {})
    accepting.kinds = tuple(kinds)
    space["concurrent"] = types.SimpleNamespace(
        futures=types.SimpleNamespace(**{**vars(concurrent.futures), "Future": accepting})
    )
    try:
        yield
    finally:
        space["concurrent"] = before
