"""plait: is this class safe and fast when many threads use it?"""  # noqa: D400 - it is the question

from __future__ import annotations

TYPE_CHECKING = False  # what `typing` calls so; to import it would take longer than all the rest here
if TYPE_CHECKING:
    from typing import Any

    from plait.judge.handwritten.verdict import Verdict
    from plait.scenario import InterleavingError, ReplayLostError, explore_threads, raise_for_failure

__version__ = "0.1.0"
__all__ = ["InterleavingError", "ReplayLostError", "Verdict", "__version__", "explore_threads", "raise_for_failure"]

_HOMES = {
    "InterleavingError": "plait.scenario",
    "ReplayLostError": "plait.scenario",
    "Verdict": "plait.judge.handwritten.verdict",
    "explore_threads": "plait.scenario",
    "raise_for_failure": "plait.scenario",
}


def __getattr__(name: str) -> Any:
    """Import the engine when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module 'plait' has no attribute {name!r}")
    import importlib  # noqa: PLC0415 - as light as possible

    return getattr(importlib.import_module(_HOMES[name]), name)
