"""Small classes to generate tests for, with the traits that real ones have."""

import threading
import weakref
from dataclasses import dataclass
from enum import Enum
from typing import Protocol


class Counter:
    """No arguments needed."""

    def __init__(self):
        self.value = 0

    def increment(self):
        self.value += 1

    def decrement(self):
        self.value -= 1

    def read(self):
        return self.value


class Cache:
    """Unannotated, bounded."""

    def __init__(self, maxsize, on_evict=None):
        if maxsize < 1:
            raise ValueError("maxsize must be positive")
        self._maxsize = maxsize
        self._on_evict = on_evict
        self._data = {}

    def put(self, key, value):
        if len(self._data) >= self._maxsize and key not in self._data:
            evicted = self._data.popitem()
            if self._on_evict:
                self._on_evict(*evicted)
        self._data[key] = value

    def get(self, key, default=None):
        return self._data.get(key, default)

    def take(self, key):
        return self._data.pop(key)

    def __len__(self):
        return len(self._data)

    def __contains__(self, key):
        return key in self._data


class Mode(Enum):
    READ = 1
    WRITE = 2


@dataclass(frozen=True)
class Rate:
    amount: int
    per: float


class Limiter:
    """Annotated with classes that must be built."""

    def __init__(self, rate: Rate, mode: "Mode" = Mode.READ):
        self.rate = rate
        self.mode = mode
        self.hits: dict[str, int] = {}

    def hit(self, key: str, *, cost: int = 1) -> bool:
        self.hits[key] = self.hits.get(key, 0) + cost
        return self.hits[key] <= self.rate.amount

    def switch(self, mode: Mode) -> None:
        if not isinstance(mode, Mode):
            raise TypeError("mode must be a Mode")
        self.mode = mode

    def merge(self, other: "Limiter") -> None:
        self.hits.update(other.hits)


class Emitter:
    """Callbacks, registered and removed by identity."""

    def __init__(self):
        self._listeners = {}

    def on(self, event, listener):
        if not callable(listener):
            raise TypeError("listener must be callable")
        self._listeners.setdefault(event, []).append(listener)

    def off(self, event, listener):
        self._listeners[event].remove(listener)

    def emit(self, event, *args):
        for each in list(self._listeners.get(event, ())):
            each(*args)


class Registry:
    """Wants objects that weak references can point to."""

    def __init__(self):
        self._members = weakref.WeakValueDictionary()

    def add(self, obj):
        self._members[id(obj)] = obj

    def remove(self, obj):
        del self._members[id(obj)]

    def __len__(self):
        return len(self._members)


class Mailbox:
    """`receive` waits for ever on an empty box."""

    def __init__(self):
        self._condition = threading.Condition()
        self._letters = []

    def send(self, letter):
        with self._condition:
            self._letters.append(letter)
            self._condition.notify()

    def receive(self):
        with self._condition:
            while not self._letters:
                self._condition.wait()
            return self._letters.pop(0)


class Hidden:
    """Signatures that only error messages reveal, and a method that no argument suits."""

    def __init__(self):
        self.seen = []

    def store(self, *args):
        def store(key, value):
            self.seen.append((key, value))

        store(*args)

    def never(self, thing):
        raise TypeError("not that thing")

    def absent(self):
        raise NotImplementedError

    def fine(self):
        return len(self.seen)


class Sized(Protocol):
    def size(self) -> int: ...


class Singleton:
    """Every second construction fails: state that a run leaves behind."""

    made = 0

    def __init__(self):
        Singleton.made += 1
        if Singleton.made % 2 == 0:
            raise RuntimeError("there is one already")

    def measure(self, thing: Sized):
        return 1

    def notify(self, callback):
        callback()


class Caller:
    """Says of an argument only what it does with it."""

    def __init__(self):
        self.sent = 0

    def call(self, connection):
        self.sent += 1
        return connection.open_session("a", 1).send("b")


class Picky:
    """Cannot be built from its signature."""

    def __init__(self, connection):
        if not hasattr(connection.open_session("a", 1), "_mock_name"):
            raise AttributeError("open_session gives no session")

    def use(self):
        pass


ALL = [Counter, Cache, Limiter, Emitter, Registry, Hidden]


class OldLedger:
    """Named like a parameter, at its end, without what is asked of it."""


class CashLedger:
    """Named like a parameter, at its end, and with all that is asked of it."""

    def __init__(self, size):
        self._rates = [size]

    def book(self):
        return self._rates


class Panel:
    """Told by what it can do."""

    def show(self):
        return 1

    def hide(self):
        return 0

    def get(self):
        return self

    def items(self):
        return []


class Till:
    """Takes objects and says nowhere which."""

    def __init__(self, ledger):
        self._ledger = ledger
        self.count = 0

    def sell(self):
        self.count += len(self._ledger._rates)
        self._ledger.book()

    def close(self, printer):
        return printer.show() or printer.hide()


class Named:
    """The class has no module to tell: its instances have."""


Named.__module__ = property(lambda self: "zoo")


class Courier:
    """Uses its parameter here, where it keeps it, and in functions that it passes it on to."""

    def __init__(self, van, fallback=None):
        self._van = van or fallback
        van.load("a")
        self._check(van)

    def _check(self, car):
        if len(_wheels(car)) > 99:
            raise ValueError(car.driver)

    def done(self):
        self._van.close()


def _wheels(thing):
    return str(thing.wheels)


class Sink(Protocol):
    """What a `Notifier` writes to."""

    def write(self, text: str) -> int: ...


class Notifier:
    """Takes a Protocol."""

    def __init__(self, sink: Sink):
        self._sink = sink

    def tell(self, text):
        return self._sink.write(text)


class Switch:
    """Says in its errors what it takes."""

    def __init__(self):
        self.state = "off"

    def turn(self, state):
        if state not in _states():
            raise ValueError(f"unknown state {state!r}, valid states: {', '.join(_states())}")
        self.state = state


def _states():
    return ["o" + "n", "o" + "ff"]


class Configured:
    """Takes what it needs out of dictionaries."""

    def __init__(self, arguments):
        self.file = arguments["filename"]
        self.size = arguments["size"] + arguments.get("more", 0)

    def use(self, hints):
        return hints.copy().pop("url", None) or hints.pop("host", None)


class Clock:
    """Wants texts of a certain shape, and functions whose result it can iterate over.

    >>> clock.zone("Mars/Olympus", summer=3)
    """

    def __init__(self):
        self.alarms = []

    def alarm(self, time_text: str):
        hours, minutes = time_text.split(":")
        self.alarms.append(60 * int(hours) + int(minutes))

    def each(self, function):
        self.alarms += list(function())

    def zone(self, name, summer=1):
        return name.partition("/")[2], summer

    def wind(self, by):
        return [getattr(by, part) for part in ("spring", "torque")]

    def tick(self, amount: int):
        return amount.hours


class Framed:
    """Keeps what it is given, and asks something of it only later."""

    def __init__(self, frame):
        self._parts = [frame]

    def shown(self):
        return self._parts[0].upper()


def framing(frame=None):
    """Return a decorator, or what it makes of a function."""
    return Framed(frame) if frame else framing


class Template:
    """Uses what only its subclasses have."""

    def __init__(self):
        self.done = 0

    def run(self):
        self.done += self._step()
        return self.done

    def reset(self):
        self.done = self.late

    def set_late(self):
        self.late = 1


class Stepping(Template):
    """One of them."""

    def _step(self):
        return 1


class Handle:
    """What a `Lender` hands out; its parts are known to nobody else."""

    def __init__(self, slot):
        self._slot = slot

    def release(self):
        self._slot.lent -= 1
        return self._slot.lent

    def copy(self):
        return Handle(self._slot)


class _Slot:
    def __init__(self):
        self.lent = 1


class Lender:
    """Hands out handles."""

    def acquire(self, name):
        return Handle(_Slot()) if name else None

    @property
    def first(self) -> Handle:
        return self._hidden()

    def each(self):
        yield Handle(_Slot())

    async def later(self) -> Handle:
        return self._hidden()

    def _hidden(self) -> Handle:
        return Handle(_Slot())


def a_handle() -> "Handle":
    return Lender().first


class Bag(list):
    """A collection with a view."""

    def view(self):
        return BagView(self)


class BagView:
    """Shows a `Bag`."""

    def __init__(self, bag):
        self._bag = bag

    def first(self):
        return self._bag[0]


class Shelf:
    """Has a size.

    >>> Shelf(100, "a", depth=3)
    """

    def __init__(self, maxsize, name, depth=1):
        self.room = (maxsize, name, depth)

    def use(self):
        return self.room


class Shelves:
    """Holds what its maker says.

    >>> Shelves({"b": 2})
    """

    def __init__(self, held):
        self._held = dict(held)

    def take(self, key):
        return self._held.pop(key)


class Store:
    """Keeps words."""

    known = ()

    @classmethod
    def register(cls, word):
        cls.known = (*cls.known, word)

    def put(self, word):
        return word

    def get(self, word):
        return word


class Front:
    """Is counted when it is made, takes a class that is used like `Store`, and passes on what it lacks."""

    made = 0

    def __init__(self, store_cls, until_dt, raw=None):
        self.made = Front.made = Front.made + 1
        self._store_cls = store_cls
        self._until = until_dt.year

    def enter(self):
        self._store_cls.register("a")

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(Store(), name)


class Bound:
    """Takes a bound method, and something to read from."""

    def __init__(self, target, source):
        self._target = target.__self__
        self._source = source.readable()

    def both(self):
        return self._target, self._source


class Fussy:
    """Can do little unless it was made in the right way."""

    def __init__(self, way):
        self._way = way

    def use(self):
        return {"a": 1}[self._way]


class Reader:
    """Wants three kinds of things at once."""

    def read(self, one, two, three):
        return one.upper() + str(two.readable()) + str(three.__self__)


class Rack:
    """A base class: what it keeps things in is for others to say."""

    def open(self):
        raise NotImplementedError

    def _rows(self):
        """Say where the rows are."""
        raise NotImplementedError("no rows")

    def size(self):
        return len(self._rows())


class LateRack(Rack):
    """Leaves something open, too."""

    def open(self):
        return self


class MemoryRack(Rack):
    """Leaves nothing open."""

    def __init__(self, database):
        self._all = [database]

    def open(self):
        return self

    def _rows(self):
        return self._all
