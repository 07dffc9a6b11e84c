"""Every thread knows its own name and number."""

import threading


def setup():
    return {}


def note(seen):
    me = threading.current_thread()
    seen[me.name] = me.ident == threading.get_ident()


def run(seen):
    workers = [threading.Thread(target=note, args=(seen,), name=name) for name in "ab"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


threads = [run]


def check(seen):
    assert seen == {"a": True, "b": True}
