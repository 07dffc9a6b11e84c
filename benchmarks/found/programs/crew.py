"""Threads that do one thing each; what one of them raises is raised again by whoever waits for them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = 5.0
AT_ONCE = False
"""Whether all threads wait until each of them is there, which makes some orders more likely on real threads."""


def together(*actions: Callable[[], object]) -> None:
    """Run the actions at the same time, and wait for their end; AssertionError if there is none."""
    raised: list[BaseException] = []
    ready = threading.Barrier(len(actions))

    def run(action: Callable[[], object]) -> None:
        if AT_ONCE:
            ready.wait()
        try:
            action()
        except Exception as error:  # noqa: BLE001 - raised again below
            raised.append(error)

    threads = [threading.Thread(target=run, args=(action,), daemon=True) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    for error in raised:
        raise error
    assert not any(thread.is_alive() for thread in threads), "the threads wait for each other"
