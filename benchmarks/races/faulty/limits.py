"""A decorator that counts calls in a window of time, and refuses those above the limit."""

import time
from functools import wraps


class RateLimitException(Exception):
    """Too many calls in one period."""


def limits(calls=2, period=60.0):
    def decorate(func):
        state = {"calls": 0, "since": time.monotonic()}

        @wraps(func)
        def wrapper(*args):
            if time.monotonic() - state["since"] > period:
                state["calls"], state["since"] = 0, time.monotonic()
            count = state["calls"] + 1
            if count > calls:
                raise RateLimitException("too many calls")
            state["calls"] = count
            return func(*args)

        return wrapper

    return decorate
