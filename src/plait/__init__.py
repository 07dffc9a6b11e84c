"""plait: is this class safe and fast when many threads use it?

`plait.api` says what may be imported.
"""  # noqa: D400 - it is the question

from __future__ import annotations

TYPE_CHECKING = False  # what `typing` calls so; to import it would take longer than all the rest here
if TYPE_CHECKING:
    from typing import Any

    from plait.api import InterleavingError, ReplayLostError, Verdict, explore_threads, force, raise_for_failure

__version__ = "0.1.0"
__all__ = [
    "InterleavingError", "ReplayLostError", "Verdict", "__version__", "explore_threads", "force", "raise_for_failure",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import the engine when it is first asked for."""
    if name not in __all__:
        raise AttributeError(f"module 'plait' has no attribute {name!r}")
    import importlib  # noqa: PLC0415 - as light as possible

    return getattr(importlib.import_module("plait.api"), name)
