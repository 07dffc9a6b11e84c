"""A decorator that keeps the results of few calls: two callers throw the same one out."""

from collections import OrderedDict
from functools import wraps


def cached(maxsize=1):
    def decorate(func):
        kept = OrderedDict()

        @wraps(func)
        def wrapper(*args):
            if args in kept:
                kept.move_to_end(args)
                return kept[args]
            value = func(*args)
            kept[args] = value
            if len(kept) > maxsize:
                kept.popitem(last=False)
            return value

        wrapper.clear = kept.clear
        return wrapper

    return decorate
