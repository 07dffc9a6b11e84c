"""A hook for uncaught exceptions that an execution sets is gone in the next one."""

import threading

BEFORE = threading.excepthook


def setup():
    return [threading.excepthook is BEFORE]


def replace(seen):
    threading.excepthook = lambda args: seen.append(str(args.exc_value))
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()


def fail():
    raise ValueError("heard")


def look(seen):
    len(seen)


threads = [replace, look]


def check(seen):
    assert seen == [True, "heard"]
