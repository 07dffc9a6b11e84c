"""A decorator that counts calls in a window of time, under a lock, and refuses those above the limit."""

import threading
import time
from functools import wraps


class RateLimitException(Exception):
    """Too many calls in one period."""


def limits(calls=2, period=60.0):
    def decorate(func):
        state = {"calls": 0, "since": time.monotonic()}
        lock = threading.Lock()

        @wraps(func)
        def wrapper(*args):
            with lock:
                if time.monotonic() - state["since"] > period:
                    state["calls"], state["since"] = 0, time.monotonic()
                if state["calls"] >= calls:
                    raise RateLimitException("too many calls")
                state["calls"] += 1
            return func(*args)

        return wrapper

    return decorate
