"""A decorator that keeps the results of few calls, under a lock."""

import threading
from collections import OrderedDict
from functools import wraps


def cached(maxsize=1):
    def decorate(func):
        kept = OrderedDict()
        lock = threading.RLock()

        @wraps(func)
        def wrapper(*args):
            with lock:
                if args in kept:
                    kept.move_to_end(args)
                    return kept[args]
                value = func(*args)
                kept[args] = value
                if len(kept) > maxsize:
                    kept.popitem(last=False)
                return value

        def clear():
            with lock:
                kept.clear()

        wrapper.clear = clear
        return wrapper

    return decorate
