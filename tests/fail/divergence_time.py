"""A decision by the real clock."""

from datetime import datetime

OUTCOME = "divergence"
CAUSE = "real time"


def setup():
    return []


def look(log):
    for _ in range(200):
        if datetime.now().microsecond % 2:
            log.append(1)


threads = [look]
