"""A decision by the real clock."""

from datetime import datetime

OUTCOME = "divergence"
CAUSE = "real time"


def setup():
    return []


def look(log):
    for _ in range(20):
        for _ in range(datetime.now().microsecond // 3 % 97):
            log.append(1)


threads = [look]
