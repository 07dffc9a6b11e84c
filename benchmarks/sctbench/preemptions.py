"""How many preemptions SafeStack needs to fail: all states of its atomic operations, those with few preemptions first.

``python -m benchmarks.sctbench.preemptions`` takes minutes. It knows nothing of plait, and shows what a
search of schedules is up against. A thread that yields may be followed by any other one at no cost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

THREADS, ROUNDS = 3, 2
_COUNT, _HEAD, _OWNER = 3, 4, 5  # behind the links of the three cells: the free cells, the first one, who wrote a cell
_END = -1


class Thread(NamedTuple):
    """The next operation of a thread, and its variables."""

    at: int = 0
    rounds: int = 0
    cell: int = 0
    head: int = 0
    link: int = 0


State = tuple[tuple[int, ...], tuple[Thread, ...]]
START: State = ((1, 2, -1, 3, 0, -1, -1, -1), (Thread(),) * THREADS)


def after(state: State, number: int) -> tuple[State | None, bool]:
    """Return the state after the next operation of a thread, None if that fails; and whether the thread yields."""
    shared, thread = list(state[0]), state[1][number]
    if thread.at < 8:
        new = _popped(shared, thread)
    else:
        new = _pushed(shared, thread, number)
    if new is None:
        return None, False
    threads = list(state[1])
    threads[number] = new
    return (tuple(shared), tuple(threads)), thread.at in (6, 7)


def _popped(shared: list[int], thread: Thread) -> Thread:
    at, _rounds, _cell, head, link = thread
    if at == 0:
        return thread._replace(at=1 if shared[_COUNT] > 1 else 7)
    if at == 1:
        return thread._replace(at=2, head=shared[_HEAD])
    if at == 2:
        link, shared[head] = shared[head], -1
        return thread._replace(at=3 if link >= 0 else 6, link=link)
    if at == 3 and shared[_HEAD] == head:
        shared[_HEAD] = link
        return thread._replace(at=4)
    if at == 3:
        return thread._replace(at=5)
    if at == 4:
        shared[_COUNT] -= 1
        return thread._replace(at=8, cell=head, head=0, link=0)
    if at == 5:
        shared[head] = link
    return thread._replace(at=0, head=0, link=0)


def _pushed(shared: list[int], thread: Thread, number: int) -> Thread | None:
    at, rounds, cell, head, _link = thread
    if at == 8:
        shared[_OWNER + cell] = number
    elif at == 9 and shared[_OWNER + cell] != number:
        return None
    elif at == 10:
        head = shared[_HEAD]
    elif at == 11:
        shared[cell] = head
    elif at == 12 and shared[_HEAD] != head:
        return thread._replace(at=11, head=shared[_HEAD])
    elif at == 12:
        shared[_HEAD], head = cell, 0
    elif at == 13:
        shared[_COUNT] += 1
        return Thread(0 if rounds + 1 < ROUNDS else _END, rounds + 1)
    return thread._replace(at=at + 1, head=head)


def levels() -> Iterator[tuple[int, bool]]:
    """Yield the number of states so far, and whether one fails, for each number of preemptions."""
    now: list[tuple[State, int]] = [(START, -1)]
    seen: set[tuple[State, int]] = set()
    fails = False
    while now and not fails:
        later: list[tuple[State, int]] = []
        while now:
            here = state, last = now.pop()
            if here in seen:
                continue
            seen.add(here)
            able = [number for number in range(THREADS) if state[1][number].at != _END]
            for number in able:
                new, yields = after(state, number)
                preempts = last in able and number != last
                if new is not None:
                    (later if preempts else now).append((new, -1 if yields else number))
                elif not preempts:
                    yield len(seen), True
                    return
                else:
                    fails = True
        yield len(seen), False
        now = later
    if fails:
        yield len(seen), True


if __name__ == "__main__":
    for preemptions, (states, fails) in enumerate(levels()):
        print(f"{preemptions} preemptions: {states} states{', one fails' if fails else ''}", flush=True)
