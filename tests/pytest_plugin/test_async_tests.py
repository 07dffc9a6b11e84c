"""Asynchronous tests that start threads: explored where a plug-in runs them."""

import json

TESTS = """
import asyncio
import pytest
import anyio.to_thread

total = [0]

@pytest.fixture
def anyio_backend():
    return "asyncio"

def add():
    for _ in range(3):
        before = total[0]
        total[0] = before + 1

@pytest.mark.anyio
async def test_updates_are_lost():
    total[0] = 0
    await asyncio.gather(asyncio.to_thread(add), asyncio.to_thread(add))
    assert total == [6]

@pytest.mark.anyio
async def test_one_after_the_other():
    total[0] = 0
    await asyncio.to_thread(add)
    await asyncio.to_thread(add)
    assert total == [6]

@pytest.mark.anyio
async def test_with_anyio():  # an installed package, whose worker threads are real ones
    total[0] = 0
    await anyio.to_thread.run_sync(add)
    assert total == [3]

@pytest.mark.anyio
async def test_all_tasks_have_an_order():
    async def wait():
        await asyncio.to_thread(lambda: None)

    tasks = [asyncio.ensure_future(wait()) for _ in range(4)]
    names = [task.get_name() for task in asyncio.all_tasks()]
    assert names == sorted(names, key=lambda name: int(name.rpartition("-")[2]))
    await asyncio.gather(*tasks)

@pytest.mark.anyio
async def test_without_threads():
    await asyncio.sleep(3600)
"""


def test_each_is_explored(pytester):
    pytester.makepyfile(TESTS)
    file = pytester.path / "account.json"
    options = ("--plait-seconds", "60", "--plait-schedules", "60", "--plait-result", str(file))
    pytester.runpytest_subprocess("-p", "no:cacheprovider", "--plait", *options, timeout=500)
    told = {each["test"].rpartition("::")[2]: each for each in json.loads(file.read_text())["tests"]}
    assert {name: (each["ran"], each["outcome"]) for name, each in told.items()} == {
        "test_updates_are_lost": ("explored", "failed"), "test_one_after_the_other": ("explored", "passed"),
        "test_with_anyio": ("OS threads", "passed"), "test_all_tasks_have_an_order": ("explored", "passed"),
        "test_without_threads": ("one thread", "passed"),
    }  # fmt: skip


def test_one_without_a_mark_is_explored_where_anyio_runs_all(pytester):
    pytester.makepyfile("""
        import asyncio
        import pytest

        @pytest.fixture
        def anyio_backend():
            return "asyncio"

        async def test_in_a_thread():
            assert await asyncio.to_thread(int, "3") == 3
    """)
    file = pytester.path / "account.json"
    options = ("-o", "anyio_mode=auto", "--plait-schedules", "2", "--plait-result", str(file))
    pytester.runpytest_subprocess("-p", "no:cacheprovider", "--plait", *options, timeout=500)
    (told,) = json.loads(file.read_text())["tests"]
    assert (told["ran"], told["outcome"]) == ("explored", "passed")
