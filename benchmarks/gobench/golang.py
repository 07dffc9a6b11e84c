"""What Go programs use, over `threading`: channels with select, wait groups, once, contexts, readers-writer locks.

A channel without a capacity hands over: a send ends when somebody has received. Of several cases of a `select` that
are ready the first one is taken (Go draws); which are ready is a matter of the schedule. `go` starts a thread that is
not a daemon: one that is left waiting when the test is over is what Go calls a leaked goroutine.
"""

import threading
import time

_world = threading.Condition()  # one for all channels: a select waits for several of them


class Panic(Exception):
    """What ends a Go program: a send to a closed channel, a counter below zero."""


class _Offer:
    """A blocked operation: whoever completes it says by which case, and with what."""

    def __init__(self):
        self.case = None
        self.value = None
        self.ok = True


class Channel:
    """A channel; `None` in its place is Go's nil channel, which is never ready."""

    def __init__(self, capacity=0):
        self.capacity = capacity
        self.items = []
        self.closed = False
        self.senders = []  # (offer, number of the case, value)
        self.receivers = []  # (offer, number of the case)

    def send(self, value=None):
        select(("send", self, value))

    def receive(self):
        """Return the value; None from a closed channel."""
        return select(("receive", self))[1]

    def close(self):
        with _world:
            if self.closed:
                raise Panic("close of closed channel")
            self.closed = True
            for offer, case in self.receivers:
                if offer.case is None:
                    offer.case, offer.ok = case, False
            for offer, case, _value in self.senders:
                if offer.case is None:
                    offer.case, offer.ok = case, False
            _world.notify_all()

    def __iter__(self):
        while True:
            _case, value, ok = select(("receive", self))
            if not ok:
                return
            yield value

    def _received(self):
        """Take a value if there is one: (value, ok), or None."""
        waiting = next((each for each in self.senders if each[0].case is None), None)
        if self.items:
            value = self.items.pop(0)
            if waiting is not None:
                self.items.append(waiting[2])
                waiting[0].case = waiting[1]
            return value, True
        if waiting is not None:
            waiting[0].case = waiting[1]
            return waiting[2], True
        return (None, False) if self.closed else None

    def _sent(self, value):
        if self.closed:
            raise Panic("send on closed channel")
        waiting = next((each for each in self.receivers if each[0].case is None), None)
        if waiting is not None:
            waiting[0].case, waiting[0].value = waiting[1], value
            return True
        if len(self.items) < self.capacity:
            self.items.append(value)
            return True
        return False


def select(*cases, default=False):
    """Perform the first case that is ready: ("send", channel, value) or ("receive", channel).

    Returns the number of the case, what was received, and whether the channel was open; -1 with a ``default``.
    """
    with _world:
        for number, case in enumerate(cases):
            if case[1] is None:
                continue
            if case[0] == "send":
                if case[1]._sent(case[2]):
                    _world.notify_all()
                    return number, None, True
            else:
                got = case[1]._received()
                if got is not None:
                    _world.notify_all()
                    return number, *got
        if default:
            return -1, None, True
        offer = _Offer()
        for number, case in enumerate(cases):
            if case[1] is not None and case[0] == "send":
                case[1].senders.append((offer, number, case[2]))
            elif case[1] is not None:
                case[1].receivers.append((offer, number))
        while offer.case is None:
            _world.wait()
        for case in cases:
            if case[1] is not None:
                case[1].senders = [each for each in case[1].senders if each[0] is not offer]
                case[1].receivers = [each for each in case[1].receivers if each[0] is not offer]
    if not offer.ok and cases[offer.case][0] == "send":
        raise Panic("send on closed channel")
    return offer.case, offer.value, offer.ok


class WaitGroup:
    """Counts what is under way."""

    def __init__(self):
        self._condition = threading.Condition()
        self._count = 0

    def add(self, number=1):
        with self._condition:
            self._count += number
            if self._count < 0:
                raise Panic("negative WaitGroup counter")
            if not self._count:
                self._condition.notify_all()

    def done(self):
        self.add(-1)

    def wait(self):
        with self._condition:
            while self._count:
                self._condition.wait()


class Once:
    """Runs a function once; others wait until it has ended, and so does the function itself if it asks again."""

    def __init__(self):
        self._lock = threading.Lock()
        self._done = False

    def do(self, function):
        with self._lock:
            if not self._done:
                try:
                    function()
                finally:
                    self._done = True


class RWMutex:
    """A writer that waits keeps new readers out."""

    def __init__(self):
        self._condition = threading.Condition()
        self._readers = 0
        self._writing = False
        self._waiting = 0

    def rlock(self):
        with self._condition:
            while self._writing or self._waiting:
                self._condition.wait()
            self._readers += 1

    def runlock(self):
        with self._condition:
            self._readers -= 1
            self._condition.notify_all()

    def lock(self):
        with self._condition:
            self._waiting += 1
            while self._writing or self._readers:
                self._condition.wait()
            self._waiting -= 1
            self._writing = True

    def unlock(self):
        with self._condition:
            self._writing = False
            self._condition.notify_all()


class Context:
    """Something that can be cancelled; ``done`` is closed then."""

    def __init__(self, parent=None):
        self.done = Channel()
        self._lock = threading.Lock()
        self._cancelled = False
        self._children = []
        if parent is not None:
            parent._children.append(self)

    def cancel(self):
        with self._lock:
            if self._cancelled:
                return
            self._cancelled = True
        self.done.close()
        for child in self._children:
            child.cancel()


def go(function, *args):
    """Start a thread."""
    thread = threading.Thread(target=function, args=args)
    thread.start()
    return thread


def after(seconds):
    """Return a channel on which something comes when the time has passed."""
    channel = Channel(1)

    def tick():
        time.sleep(seconds)
        channel.send(True)

    threading.Thread(target=tick, daemon=True).start()
    return channel
