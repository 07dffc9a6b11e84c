"""A decorator that checks its condition, but not inside itself: each thread knows whether it is inside."""

import threading
from functools import wraps


class ViolationError(Exception):
    """A condition does not hold."""


def require_positive(func):
    inside = threading.local()

    @wraps(func)
    def wrapper(value):
        if getattr(inside, "checking", False):
            return func(value)
        inside.checking = True
        try:
            if not value:
                raise ViolationError("the value must not be zero or empty")
            return func(value)
        finally:
            inside.checking = False

    return wrapper
