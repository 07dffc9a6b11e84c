"""The random module gives every execution the same numbers."""

import random


def setup():
    return []


def draw(numbers):
    if random.random() < 0.5:
        numbers.append(random.randrange(10))


threads = [draw, draw]
