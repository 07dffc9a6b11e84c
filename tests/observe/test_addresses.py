"""Numbers and names that mean nothing: addresses of objects, and what `uuid.uuid4` makes."""

import time
import uuid

from plait.judge.words import plain
from plait.observe.canonical import canonical


def test_an_address_is_any_address():
    one, other = object(), object()
    assert canonical(id(one)) == canonical(id(other))
    assert canonical({"made by": id(one)}) == canonical({"made by": id(other)})
    assert "address" in plain(canonical(id(one)))


def test_two_addresses_are_two():
    one, other = object(), object()
    assert canonical([id(one), id(one)]) != canonical([id(one), id(other)])


def test_numbers_and_times_are_what_they_are():
    numbers = [0, -1, 1 << 20, 1 << 32, 1 << 62, int(time.time()), int(time.time() * 1000), time.time_ns(), True, None]
    assert all(canonical(number) == number for number in numbers)


def test_random_names_are_numbered():
    first, second = uuid.uuid4(), uuid.uuid4()
    for shape in (lambda each: each, str, lambda each: each.hex, lambda each: each.urn):
        assert canonical(shape(first)) == canonical(shape(second))
        assert canonical([shape(first)] * 2) != canonical([shape(first), shape(second)])


def test_other_names_are_what_they_are():
    digests = ["d41d8cd98f00b204e9800998ecf8427e" * 2, str(uuid.uuid5(uuid.NAMESPACE_DNS, "a")), "a" * 40]
    assert all(canonical(text) == ("str", text) for text in digests)
