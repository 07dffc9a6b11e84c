"""Time in tests: dates, clocks that are kept, and those that only code outside of control reads."""

import copy
import dataclasses
import datetime as dt
import email.utils
import logging
import pickle
import threading
import time
from datetime import date, datetime, timedelta


class Moment(datetime):
    """A class of one's own over that of the standard library."""


@dataclasses.dataclass
class Item:
    """Whose fields read the clock."""

    made: datetime = dataclasses.field(default_factory=datetime.now)
    at: float = dataclasses.field(default_factory=time.monotonic)


LOADED = datetime.now(), time.time(), time.monotonic()
kept = datetime.utcnow
kept_here = datetime.now


def in_threads(*works):
    errors = []

    def run(work):
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_dates_follow_a_sleep():
    passed = []

    def work():
        before = datetime.now()
        time.sleep(3600)
        passed.append(datetime.now() - before)

    in_threads(work, work)
    assert passed == [timedelta(hours=1)] * 2


def test_dates_are_what_they_are():
    def work():
        now, mine = datetime.now(), Moment.now()
        assert isinstance(now, datetime)
        assert isinstance(now, date)
        assert type(mine) is Moment
        assert issubclass(Moment, datetime)
        assert pickle.loads(pickle.dumps(datetime)) is datetime
        assert pickle.loads(pickle.dumps(now)) == now == copy.deepcopy(now)
        assert now <= datetime.now()
        assert now.date() == date.today() == datetime.today().date()
        assert datetime.now(dt.UTC).utcoffset() == timedelta(0)

    in_threads(work, work)


def test_all_clocks_show_one_time():
    def work():
        time.sleep(50)
        shown = [
            time.time_ns() / 1e9, time.clock_gettime(time.CLOCK_REALTIME), datetime.now().timestamp(),
            datetime.now(dt.UTC).timestamp(), kept_here().timestamp(), kept().replace(tzinfo=dt.UTC).timestamp(),
            logging.LogRecord("x", 10, __file__, 1, "m", (), None).created, email.utils.localtime().timestamp(),
            email.utils.parsedate_to_datetime(email.utils.formatdate()).timestamp(), time.mktime(time.localtime()),
        ]  # fmt: skip
        assert all(abs(each - time.time()) <= 1 for each in shown), shown

    in_threads(work, work)


def test_fields_that_read_a_clock():
    def work():
        before = Item()
        time.sleep(100)
        after = Item()
        assert after.made - before.made == timedelta(seconds=100)
        assert after.at - before.at == 100

    in_threads(work, work)


def test_time_does_not_run_behind_the_import():
    def work():
        assert datetime.now() >= LOADED[0] - timedelta(seconds=1)
        assert time.time() >= LOADED[1] - 1
        assert time.monotonic() >= LOADED[2] - 1

    in_threads(work, work)


def test_a_lease_by_date_is_taken_twice_fails():
    lease = {"until": datetime.now() + timedelta(seconds=5), "taken": 0}

    def take():
        time.sleep(5)
        if datetime.now() >= lease["until"] and not lease["taken"]:
            taken = lease["taken"]
            lease["taken"] = taken + 1
            owners.append(taken)

    owners = []
    in_threads(take, take)
    assert len(owners) == 1
