"""Races over locations with many accesses: looked up by thread and key, and held to the plain scan of all of them."""

import random
import time

import pytest

from plait.observe import happens
from plait.observe.happens import HappensBefore
from plait.run.operations import (
    ACQUIRE,
    HAND_OVER,
    KEY_INSERT,
    KEY_READ,
    KEY_WRITE,
    LOCAL,
    READ,
    RELEASE,
    SHIFT,
    SHIFT_ALL,
    TAKE,
    TICK,
    TRY,
    TRY_FAILED,
    WRITE,
)  # fmt: skip

DATA = (READ, WRITE, KEY_READ, KEY_READ, KEY_WRITE, KEY_WRITE, KEY_INSERT, SHIFT, SHIFT_ALL, TAKE, TICK, LOCAL)
LOCK = (ACQUIRE, RELEASE, TRY, TRY_FAILED, HAND_OVER, READ)


def random_steps(seed, count, threads, longest=4):
    """Steps over two containers with keys and two locks; some have several operations, some come after others."""
    draw = random.Random(seed)
    steps = []
    for number in range(count):
        operations = []
        for _ in range(draw.choice((1, 1, longest))):
            root = draw.choice((1, 1, 2, 3, 4))
            modes = DATA if root < 3 else LOCK
            mode = draw.choice(modes)
            loc = root * 10 + draw.randrange(6) if mode in (KEY_READ, KEY_WRITE, KEY_INSERT, SHIFT) else root
            operations.append((root, loc, mode))
        after = [draw.randrange(number)] if number and draw.random() < 0.1 else None
        steps.append((draw.randrange(1, threads + 1), tuple(operations), (), after))
    return steps


def both(monkeypatch, act):
    """What is told by the plain scan and by the look-up."""
    told = []
    for least in (10**9, 1):
        monkeypatch.setattr(happens, "_LOOKED_AT", least)
        told.append(act())
    return told


@pytest.mark.parametrize("seed", range(100))
def test_the_look_up_tells_what_the_scan_tells(monkeypatch, seed):
    steps = random_steps(seed, 150, 2 + seed % 4)

    def act():
        order = HappensBefore()
        return order.extend(steps), order.pasts

    scanned, found = both(monkeypatch, act)
    assert scanned == found


@pytest.mark.parametrize("seed", range(20))
def test_what_was_taken_back_is_forgotten(monkeypatch, seed):
    first, second = random_steps(seed, 120, 3), random_steps(seed + 1000, 80, 3)
    draw = random.Random(seed)
    cuts = [draw.randrange(1, 100) for _ in range(5)]

    def act():
        order, told = HappensBefore(), []
        told.append(order.extend(first))
        for cut in cuts:
            order.truncate(cut)
            told.append(order.extend([(thread, done, enabled, None) for thread, done, enabled, _ in second]))
            told.append(list(order.pasts))
        return told

    scanned, found = both(monkeypatch, act)
    assert scanned == found


def test_it_grows_with_the_accesses_not_with_their_square():
    """Two threads that fill a dictionary, each its own keys, in steps of several operations."""

    def cost(count):
        steps = [
            (1 + number % 2, ((1, 10 + number, KEY_WRITE), (1, 10 + number, KEY_READ)), (), None)
            for number in range(count)
        ]
        started = time.process_time()
        HappensBefore().extend(steps)
        return time.process_time() - started

    assert min(cost(6_000) for _ in range(2)) < 16 * max(min(cost(1_000) for _ in range(3)), 0.001)
