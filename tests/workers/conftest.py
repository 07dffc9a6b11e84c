import pytest

from plait.workers.pool import Workers
from plait.workers.protocol import WorkerSpec


@pytest.fixture(scope="module")
def workers():
    """One worker that is replaced whenever a test has killed it."""
    with Workers(WorkerSpec(memory_limit=1 << 30), count=1) as made:
        yield made
