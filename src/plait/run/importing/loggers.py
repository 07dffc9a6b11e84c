"""What an execution changes in loggers is put back: the next one would log to its handlers as well.

Loggers belong to `logging`, which is not under control, and a test often leaves a handler on one.
"""

from __future__ import annotations

import logging
from operator import is_
from typing import Any

_State = tuple[list[Any], list[Any], int, bool, bool]  # as `_state` makes it


class Loggers:
    """The state of all loggers when this was made; what is made later has none of its own behind an execution."""

    def __init__(self) -> None:
        self._saved = {logger: _state(logger) for logger in _all()}

    def restore(self) -> None:
        """Put back handlers, filters, levels and switches."""
        changed = False
        for logger in _all():
            saved = self._saved.get(logger, _FRESH)
            if not _is_in(logger, saved):
                changed = True
                logger.handlers[:], logger.filters[:] = saved[0], saved[1]
                logger.level, logger.propagate, logger.disabled = saved[2:]
        if changed:
            for logger in _all():
                logger._cache.clear()  # type: ignore[attr-defined]  # of the levels that it lets through


_FRESH: _State = ([], [], logging.NOTSET, True, False)


def _all() -> list[logging.Logger]:
    named = logging.root.manager.loggerDict.values()
    return [logging.root, *(each for each in list(named) if isinstance(each, logging.Logger))]


def _state(logger: logging.Logger) -> _State:
    return list(logger.handlers), list(logger.filters), logger.level, logger.propagate, logger.disabled


def _is_in(logger: logging.Logger, saved: _State) -> bool:
    """Return whether a logger is in a state, without comparing handlers: code under test may define that."""
    lists = ((logger.handlers, saved[0]), (logger.filters, saved[1]))
    same = all(len(now) == len(then) and all(map(is_, now, then)) for now, then in lists)
    return same and (logger.level, logger.propagate, logger.disabled) == saved[2:]
