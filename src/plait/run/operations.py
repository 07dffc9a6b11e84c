"""What a step does to a location (its mode), and which pairs of steps do not commute.

A location is a small integer: a field of an object, a key of a container, a whole container, a lock. `DEPENDS` is used
for two operations on the same root location (the root of a key is its container). It decides what a reduction may skip:
every zero in it is a claim that the two operations commute, and that neither disables the other.
"""

from __future__ import annotations

READ = 0  # a field, a whole container, or a lock that was found free
WRITE = 1
KEY_READ = 2
KEY_WRITE = 3  # of a key that is already there, or its removal
KEY_INSERT = 4  # a new key; two insertions do not commute, because iteration shows their order
ACQUIRE = 5  # blocks while the lock is held
RELEASE = 6
TRY = 7  # an acquisition that cannot block, and succeeded
TRY_FAILED = 8  # an acquisition that cannot block, and found the lock held
LOCAL = 9  # not visible to other threads
TIME = 10  # the clock advanced because nothing could run: ordered after everything before it
TAKE = 11  # a write that blocks while there is nothing to take: the acquisition of a semaphore
HAND_OVER = 12  # a release by a thread that does not hold the lock
TICK = 13  # time passed for one thread; other threads see it when they read the clock
SHIFT = 14  # a further step of a change that holds the container's own lock: only lock-free reads can come in between
SHIFT_ALL = 15  # the same, for a change that affects all keys

MODE_NAMES = (
    "read", "write", "read", "write", "insert", "acquire", "release", "try-acquire", "try-acquire (busy)", "local",
    "time", "acquire", "release", "advance", "write", "write",
)  # fmt: skip

COMMUTE = 0
RACE = 1  # dependent, and both orders may be possible
ORDERED = 2  # dependent, but the later one had to wait for the earlier one
SAME_KEY = 3  # a race if both are on the same key, else they commute
WAITS = 4  # a race, but the later one may have had to wait for the earlier one: what it waited for races, too


def _table() -> tuple[tuple[int, ...], ...]:
    size = len(MODE_NAMES)
    table = [[COMMUTE] * size for _ in range(size)]

    def both(first: int, second: int, value: int) -> None:
        table[first][second] = table[second][first] = value

    for mode in (READ, WRITE, KEY_READ, KEY_WRITE, KEY_INSERT):
        both(WRITE, mode, RACE)
    for mode in (READ, WRITE, TAKE):
        both(TAKE, mode, RACE)
    table[WRITE][TAKE] = table[READ][TAKE] = WAITS
    both(READ, KEY_WRITE, RACE)
    both(READ, KEY_INSERT, RACE)
    both(KEY_READ, KEY_WRITE, SAME_KEY)
    both(KEY_READ, KEY_INSERT, SAME_KEY)
    both(KEY_WRITE, KEY_WRITE, SAME_KEY)
    both(KEY_WRITE, KEY_INSERT, SAME_KEY)
    both(KEY_INSERT, KEY_INSERT, RACE)
    for first in (ACQUIRE, TRY, TRY_FAILED):
        for second in (ACQUIRE, TRY, TRY_FAILED):
            both(first, second, RACE)
    both(TRY_FAILED, TRY_FAILED, COMMUTE)
    table[TRY_FAILED][ACQUIRE] = ORDERED
    both(RELEASE, TRY, RACE)
    both(RELEASE, TRY_FAILED, RACE)
    both(RELEASE, ACQUIRE, ORDERED)
    both(RELEASE, RELEASE, ORDERED)
    for mode in (ACQUIRE, RELEASE, TRY, TRY_FAILED, HAND_OVER):
        both(HAND_OVER, mode, RACE)
    for mode in (ACQUIRE, RELEASE, TRY, HAND_OVER):
        both(READ, mode, RACE)
    table[HAND_OVER][ACQUIRE] = WAITS
    both(TICK, READ, RACE)
    for mode in (READ, WRITE, KEY_WRITE, KEY_INSERT):  # these take the lock and wait for the change; some reads do not
        table[SHIFT][mode] = table[SHIFT_ALL][mode] = WAITS if mode == READ else ORDERED
        table[mode][SHIFT] = table[mode][SHIFT_ALL] = RACE
    both(SHIFT, KEY_READ, SAME_KEY)
    both(SHIFT_ALL, KEY_READ, RACE)
    for mode in range(size):
        both(TIME, mode, ORDERED)
    return tuple(tuple(row) for row in table)


DEPENDS = _table()


def dependent(first_mode: int, first_loc: int, second_mode: int, second_loc: int) -> bool:
    """Return whether two operations on the same root location do not commute."""
    relation = DEPENDS[first_mode][second_mode]
    return relation != COMMUTE and (relation != SAME_KEY or first_loc == second_loc)
