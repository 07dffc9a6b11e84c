"""The fixture of whoever runs tasks of `lab`: the worker does not need pytest, so it is not there."""

import pickle

import pytest

import lab as lab_module
from plait.workers.pool import Workers
from plait.workers.protocol import WorkerSpec


@pytest.fixture(scope="session")
def lab():
    """Runs a task of the module `lab` in a worker process."""
    with Workers(WorkerSpec(), count=1) as workers:

        def run(task, *args, **named):
            return pickle.loads(workers.submit(lab_module.call, task, args, named, timeout=60).result().value)

        yield run
