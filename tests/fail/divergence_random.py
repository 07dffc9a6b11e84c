"""A number that no seed decides."""

import secrets

OUTCOME = "divergence"
CAUSE = "randomness"


def setup():
    return []


def draw(numbers):
    for _ in range(30):
        if secrets.randbelow(2) and secrets.token_hex(1) > "7":
            numbers.append(1)


threads = [draw, draw]
