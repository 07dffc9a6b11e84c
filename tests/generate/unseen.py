"""Classes that say little of themselves, as many old ones do."""

import abc
import typing
from collections.abc import Mapping, MutableMapping

T = typing.TypeVar("T")
PLACE = "./plait-"
Alias = tuple[int, str]


class Rule(abc.ABC, typing.Generic[T]):
    @abc.abstractmethod
    def get(self): ...


class Always(Rule[T]):
    def __init__(self, value):
        self.value = value

    def get(self):
        return self.value


class Once(Rule[T]):
    def __init__(self, make: typing.Callable[[], T]):
        self.make = make
        self.made = None

    def get(self):
        if self.made is None:
            self.made = self.make()
        return self.made


class Kitchen:
    def __init__(self):
        self.rules = {}

    def put(self, dish: type[T], rule: Rule[T] | T):
        self.rules[dish] = rule

    def follow(self, rule_class):
        self.rules[rule_class] = rule_class

    def take(self, wanted: type[T]):
        return self.rules.get(wanted)


class Store:
    def room(self, name):
        room = Room(self, name)
        return room


class Room:
    def __init__(self, store, name):
        self.store, self.name = store, name

    def shelf(self, name):
        shelf = self.last = Shelf(self, name)
        return shelf


class Shelf:
    def __init__(self, room, name):
        self.room, self.name = room, name

    def label(self):
        return self.room.store, self.name


class Table:
    kind = None
    size = None

    def __init__(self, name):
        self.name, self.size = name, 0

    def load(self):
        return self.kind.upper() + self.name


class Numbers(Table):
    kind = "numbers"


class Resolving:
    def get(self):
        return self.resolve_it()


class Eager(Resolving):
    def resolve_it(self):
        return 1


class Open:
    def __getattr__(self, name):
        return name

    def get(self):
        return self.anything


numbers = Numbers(PLACE + "numbers")
_TABLE = {"two": 2, "three": 3}


class Lazy:
    def __getattr__(self, name):
        if name == "one":
            return 1
        if name in _TABLE:
            return _TABLE[name]
        raise AttributeError(name)


def chosen(side):
    return side in ("left", "right")


class Index:
    def __init__(self):
        self.parts = {}

    def fill(self, spec):
        for name, spec in spec.items():
            self.parts[name] = spec.split(":")

    def show(self, spec):
        return spec.split(":")


class Ledger:
    def __init__(self):
        self.lines = []

    def write(self, place, entry):
        if not isinstance(entry, dict):
            raise TypeError("entry must be an instance of dict")
        self.lines.append((place, entry))


class Looping:
    def __init__(self):
        self.total = 0

    def count(self, step):
        self.total += step


class Rows:
    def __init__(self):
        self.rows = {}

    def add(self, key):
        self.rows[key] = 1

    def find(self, limit=0):
        return Cursor(self, limit).skip(0)


class Cursor:
    def __init__(self, owner, limit):
        self.owner = owner
        self.limit = limit

    def skip(self, _count):
        return self

    def __iter__(self):
        return iter(self.owner.rows)


class Opener:
    def reading(self, path_or_file):
        return Reading(path_or_file)


class Reading:
    def __init__(self, place):
        with open(place, encoding="utf-8") as file:
            self.text = file.read()

    def take(self):
        self.text = self.text[1:]


class MapWindow:
    def __init__(self, start, size):
        self.start = start
        self.size = size

    def extend(self, window):
        self.size = window.start + window.size - self.start


class Metadata:
    def __init__(self, name, *, size):
        self.name = name
        self.size = size


class Refusing:
    def __init__(self):
        raise ValueError


class Provider(abc.ABC):
    @abc.abstractmethod
    def metadata(self) -> Metadata: ...

    @abc.abstractmethod
    def refusing(self) -> "Refusing": ...


class Frozen(Mapping):
    def __init__(self, items=()):
        self._items = dict(items)

    def __getitem__(self, key):
        return self._items[key]

    def __iter__(self):
        return iter(self._items)

    def __len__(self):
        return len(self._items)


class Growing(Frozen, MutableMapping):
    def __setitem__(self, key, value):
        self._items[key] = value

    def __delitem__(self, key):
        del self._items[key]


_PRICES = {"apple": 1, "pear": 2}
_SOLD = {}


class Prices:
    def of(self, fruit: str) -> int:
        return _PRICES[fruit] if fruit in _PRICES and fruit not in _SOLD else 0


class Stages:
    def __init__(self):
        self.before = []
        self.after = []

    def note(self, stage, entry):
        getattr(self, stage).append(entry)


class Oven:
    def __init__(self):
        self._dials = self._fresh()

    def _fresh(self):
        return {"heat": 0, "minutes": 0}

    def turn(self, dial: str, by: int) -> int:
        if by > 40 or by <= -7:
            raise ValueError(by)
        self._dials[dial] += by
        return self._dials[dial]

    def label(self, text: str, size: int) -> str:
        return f"{text}: {self._dials['heat']}" * size
