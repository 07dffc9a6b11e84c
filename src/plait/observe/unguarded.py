"""Whether threads have touched the same thing without a common lock: a quick look at a raw trace."""

from __future__ import annotations

from plait.run.engine import Engine
from plait.run.operations import ACQUIRE, KEY_INSERT, KEY_WRITE, RELEASE, TRY, WRITE

_WRITES = frozenset({WRITE, KEY_WRITE, KEY_INSERT})


def unguarded(engine: Engine) -> bool:
    """Whether two threads accessed one location, one of them writing, with no lock that both held.

    Locksets (Eraser) rather than happens-before: in an execution where one thread follows the other, locks order
    everything, but an access without the lock stays one.
    """
    held: dict[int, list[int]] = {}
    seen: dict[int, list[tuple[int, bool, frozenset[int]]]] = {}
    for thread, loc, mode, _site, _enabled, _after in engine.trace:
        if not loc or thread <= 0:
            continue
        root = engine.heap.roots[loc]
        locks = held.setdefault(thread, [])
        if mode in (ACQUIRE, TRY):
            locks.append(root)
        elif mode == RELEASE:
            if root in locks:
                locks.remove(root)
        elif mode <= KEY_INSERT:
            mine = (thread, mode in _WRITES, frozenset(locks))
            others = seen.setdefault(root, [])
            if mine not in others:
                if any(o[0] != thread and (o[1] or mine[1]) and not o[2] & mine[2] for o in others):
                    return True
                others.append(mine)
    return False
