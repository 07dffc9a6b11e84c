"""A decorator that checks its condition, but not inside itself: one set for all threads says who is inside."""

from functools import wraps


class ViolationError(Exception):
    """A condition does not hold."""


def require_positive(func):
    inside = []

    @wraps(func)
    def wrapper(value):
        if inside:
            return func(value)
        inside.append(value)
        try:
            if not value:
                raise ViolationError("the value must not be zero or empty")
            return func(value)
        finally:
            inside.pop()

    return wrapper
