"""The real clocks while virtual threads ask, and when they do not."""

import datetime as dt
import pickle
import sys
import time
import types
import warnings

import pytest

from plait.observe.places import PLACES
from plait.run import foreign_time
from plait.run.engine import ENGINE
from plait.run.foreign_time import kept_method, virtual_clocks
from plait.run.importing.world import World


def in_virtual_thread(body):
    """What a body that is not rewritten returns, run in a virtual thread."""
    found = []
    with virtual_clocks():
        status = ENGINE.execute(lambda: [lambda: found.append(body())])
    errors = [thread.error for thread in ENGINE.threads if thread.error is not None]
    if errors:
        raise errors[0]
    assert found, (status, ENGINE.any_timeouts, ENGINE.backend, ENGINE.uncontrolled, ENGINE.step, ENGINE.time.now)
    return found[0]


def outside(source, **names):
    """A function of a module that is not plait's, and not rewritten."""
    module = types.ModuleType("somebody")
    vars(module).update(names)
    exec(source, vars(module))
    return module.work


def test_every_clock_is_that_of_the_execution_and_the_real_one_behind_it(request, monkeypatch):
    if foreign_time._rewritten_code:  # an earlier test of this process has prepared it as a worker
        monkeypatch.setattr(foreign_time, "_rewritten_code", False)
        request.addfinalizer(foreign_time.virtual_dates_for_rewritten_code)
    asked = "time.time(), datetime.now().timestamp(), (date.today(), datetime.today()), time.monotonic()"
    work = outside(f"def work(): return {asked}",
                   time=time, datetime=dt.datetime, date=dt.date)  # fmt: skip
    seconds, moment, (day, moment_today), monotonic = in_virtual_thread(work)
    assert seconds == moment == ENGINE.time.epoch
    assert monotonic == ENGINE.time.monotonic
    assert day == dt.date.fromtimestamp(ENGINE.time.epoch)
    assert moment_today == dt.datetime.fromtimestamp(ENGINE.time.epoch)
    assert abs(work()[0] - work()[1]) < 60
    assert work()[0] != ENGINE.time.epoch
    for owner, name in ((dt.datetime, "now"), (dt.date, "today")):
        assert type(vars(owner)[name]).__name__ == "classmethod_descriptor"


def test_a_sleep_takes_no_time_and_all_clocks_see_it():
    work = outside("def work():\n time.sleep(3600)\n return time.time(), datetime.utcnow()",
                   time=time, datetime=dt.datetime)  # fmt: skip
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        seconds, moment = in_virtual_thread(work)
    assert time.perf_counter() - began < 600
    assert seconds - ENGINE.time.epoch == 3600 == moment.replace(tzinfo=dt.UTC).timestamp() - ENGINE.time.epoch


def test_what_another_module_has_imported_by_name_is_virtual_too():
    module = types.ModuleType("importer")
    exec("from time import monotonic as clock, sleep\ndef work():\n sleep(5)\n return clock()", vars(module))
    sys.modules["importer"] = module
    try:
        assert in_virtual_thread(module.work) == ENGINE.time.monotonic + 5
        assert module.clock is time.monotonic
    finally:
        del sys.modules["importer"]


def test_who_watches_other_processes_sees_the_real_clock():
    work = outside("def work(): return clock()", clock=time.time)
    work.__globals__["__name__"] = "subprocess"
    assert abs(in_virtual_thread(work) - time.time()) < 600


def test_a_loop_until_a_deadline_ends():
    work = outside("def work():\n end = time.monotonic() + 60\n while time.monotonic() < end: pass\n return True",
                   time=time)  # fmt: skip
    assert in_virtual_thread(work)


def test_a_clock_has_no_points_where_the_library_is_under_control(tmp_path):
    """A world rewrites `contextlib` where it is: what uses it to read a clock would pass its points."""
    (tmp_path / "clock_user.py").write_text("import contextlib\n")
    World(PLACES, cache=tmp_path / "cache").load("clock_user", roots=[tmp_path])
    work = outside("def work(): return len([time.monotonic() for _ in range(9)])", time=time)
    assert in_virtual_thread(work) == 9
    assert ENGINE.step < 9


def test_the_classes_stay_what_they_are():
    class Mine(dt.datetime):
        pass

    def look():
        now = Mine.now(dt.UTC)
        return type(now), isinstance(now, dt.datetime), pickle.loads(pickle.dumps(dt.datetime)) is dt.datetime

    look.__globals__  # noqa: B018 - this module is not plait's
    assert in_virtual_thread(look) == (Mine, True, True)


def test_wrong_arguments_are_refused_as_ever():
    def wrong():
        with pytest.raises(TypeError):
            dt.datetime.now("noon")
        with pytest.raises(TypeError):
            dt.datetime.utcnow(1)
        with pytest.raises(ValueError, match="non-negative"):
            time.sleep(-1)
        return True

    assert in_virtual_thread(wrong)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="deprecated from 3.12 on")
def test_utcnow_warns_as_the_real_one():
    def ask():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            dt.datetime.utcnow()
        return [(each.category, str(each.message), each.filename) for each in caught]

    before = ask()
    foreign_time.virtual_dates_for_rewritten_code()  # as in a worker: from now on ours answers others, too
    assert in_virtual_thread(ask) == ask() == before != []
    with pytest.warns(DeprecationWarning, match="utcnow"):
        moment = dt.datetime.utcnow()
    assert moment.tzinfo is None
    assert abs(moment - dt.datetime.now(dt.UTC).replace(tzinfo=None)) < dt.timedelta(minutes=10)


def test_a_method_that_somebody_has_kept():
    assert kept_method(dt.datetime.now).__self__ is dt.datetime
    assert kept_method(dt.date.today).__self__ is dt.date
    assert kept_method(dt.datetime.today).__self__ is dt.datetime
    assert kept_method(dt.date.fromisoformat) is None
    assert kept_method(len) is None
    assert kept_method([].append) is None
    assert abs(kept_method(dt.datetime.now)() - dt.datetime.now()) < dt.timedelta(minutes=10)


def test_code_that_is_checked_sees_virtual_dates_in_its_set_up_too(tmp_path):
    (tmp_path / "dated.py").write_text(
        "import datetime as dt\nimport time\n\n"
        "class Moment(dt.datetime):\n    pass\n\n"
        "def look():\n"
        "    now = time.time()\n"
        "    dates = dt.datetime.now(dt.timezone.utc), Moment.now(), dt.datetime.today()\n"
        "    return [each.timestamp() - now for each in dates], dt.date.today() == dt.date.fromtimestamp(now)\n"
    )
    world = World(PLACES, cache=tmp_path / "cache")
    look = world.load("dated", roots=[tmp_path]).look
    seen = []

    def prepare():
        seen.append(look())
        return [lambda: seen.append(look())]

    ENGINE.execute(prepare)
    assert seen == [([0.0, 0.0, 0.0], True)] * 2
    real = outside("def work(): return dt.datetime.now()", dt=dt)()
    assert abs(real.timestamp() - time.time()) < 600  # nobody else sees them
