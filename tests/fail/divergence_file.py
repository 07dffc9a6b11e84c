"""A decision by what another execution has written to a file."""

import os
import tempfile

OUTCOME = "divergence"
CAUSE = "input or output"
with tempfile.NamedTemporaryFile(prefix="plait-divergence-") as _file:
    PATH = _file.name  # deleted at once: a name of its own


def setup():
    return []


def look(log):
    with open(PATH, "ab") as file:
        file.write(b"x")
    for _ in range(os.path.getsize(PATH)):
        log.append(1)


threads = [look]


def clean_up():
    os.unlink(PATH)
