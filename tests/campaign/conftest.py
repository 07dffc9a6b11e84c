import pytest

from plait.campaign.spec import WorkerSpec
from plait.campaign.workers import Workers


@pytest.fixture(scope="module")
def workers():
    """One worker that is replaced whenever a test has killed it."""
    with Workers(WorkerSpec(memory_limit=1 << 30), count=1) as made:
        yield made
