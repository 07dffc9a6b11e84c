"""A decision by a clock that no virtual time stands for: what the process has used."""

from resource import RUSAGE_SELF, getrusage

OUTCOME = "divergence"
CAUSE = "real time"


def setup():
    return []


def look(log):
    for _ in range(20):
        for _ in range(int(getrusage(RUSAGE_SELF).ru_utime * 1e6) // 3 % 97):
            log.append(1)


threads = [look]
