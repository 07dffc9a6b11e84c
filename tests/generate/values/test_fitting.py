"""Values that are found by what the code does with a parameter."""

import enum
import json
import re
import struct
import uuid
from datetime import date, datetime
from functools import cmp_to_key

import pytest

from plait.generate.values.fitting import fitting

HEADER = struct.Struct(">HH")
COLOUR = re.compile(r"#[0-9a-f]{6}")


class Level(enum.Enum):
    LOW = 1
    HIGH = 2


class Reader:
    """Each method reads its argument in another way, and returns what it has read."""

    SIZES = (8, 16)
    WORD = re.compile(r"(\w+)!")

    def document(self, it):
        return json.loads(it)

    def day(self, it):
        return date.fromisoformat(it)

    def moment(self, it):
        return datetime.strptime(it, "%Y-%m-%d %H:%M:%S")  # noqa: DTZ007

    def identity(self, it):
        return uuid.UUID(it)

    def colour(self, it):
        if not COLOUR.fullmatch(it):
            raise ValueError(it)
        return it

    def word(self, it):
        found = self.WORD.match(it)
        return found[1] + "?"

    def duration(self, it):
        found = re.match(r"^(\d+)([smhd])$", it)
        if found is None:
            raise ValueError(it)
        return found

    def header(self, it):
        return HEADER.unpack(it)

    def packet(self, it):
        return struct.unpack(">I", it)

    def version(self, it):
        major, minor, patch = it.split(".")
        return int(major), int(minor), int(patch)

    def limits(self, it):
        low, high = map(int, it.split("-"))
        return low, high

    def pair(self, it):
        name, value = it
        return name, value

    def rows(self, it):
        return [name + "" for name, (_x, _y) in it]

    def record(self, it):
        return it["user"]["name"].upper(), it["id"]

    def ordered(self, it):
        return sorted([2, 1], key=cmp_to_key(it))

    def pairs(self, it):
        return [(a, b) for a, b in map(it, [1])]

    def flat(self, it):
        return [each for row in [1] for each in it(row)]

    def shout(self, it):
        return it(1).upper()

    def share(self, it):
        if not 0 < it < 1:
            raise ValueError(it)
        return it

    def secret(self, it):
        if len(it) < 8:
            raise ValueError(it)
        return it

    def level(self, it):
        if it not in Level:
            raise ValueError(it)
        return it

    def exact(self, it):
        if it is not Level.HIGH:
            raise ValueError(it)
        return it

    def resize(self, it):
        if it not in self.SIZES:
            raise ValueError(it)
        return it

    def beginning(self, it):
        return struct.unpack(">HI", it[:6])

    def passed_on(self, it):
        return self.day(it)

    def kept(self, it):
        self._kept = it
        return json.loads(self._kept)

    def silent(self, it):
        return it


READING = [name for name in vars(Reader) if not name.startswith("_") and name.islower() and name != "silent"]


@pytest.mark.parametrize("name", READING)
def test_one_of_the_values_is_what_the_code_reads(name):
    worked = []
    for value in fitting(Reader, name, "it"):
        scope = {"Level": Level}
        exec("\n".join(line for line in value.imports if "plait" in line), scope)
        try:
            getattr(Reader(), name)(eval(value.text, scope))
        except (ValueError, TypeError, KeyError, AttributeError, struct.error):
            continue
        worked.append(value.text)
    assert worked


def test_code_that_says_nothing_gives_nothing():
    assert fitting(Reader, "silent", "it") == ()
    assert fitting(Reader, "missing", "it") == ()


def test_members_of_an_enumeration_bring_their_import():
    assert {each.text: each.imports for each in fitting(Reader, "level", "it")} == {
        "Level.LOW": (f"from {__name__} import Level",), "Level.HIGH": (f"from {__name__} import Level",),
    }  # fmt: skip
