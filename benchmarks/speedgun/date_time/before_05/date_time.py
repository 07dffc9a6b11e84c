"""DateTime before change 5: the default zone is an ordinary field.

After Joda-Time: a moment that never changes, seen in a time zone.
"""

import threading

DAY_MS = 86_400_000


class DateTime:
    """Milliseconds since 1970, and what a calendar makes of them."""

    _default_zone = 0
    _zone_lock = threading.Lock()

    def __init__(self, millis: int = 0):
        self._millis = millis

    @classmethod
    def set_default_zone(cls, offset: int):
        cls._default_zone = offset

    def _zone(self):
        return self._default_zone

    def _local(self):
        return self._millis + self._zone()

    def hour_of_day(self):
        return self._local() // 3_600_000 % 24

    def minute_of_day(self):
        return self._local() // 60_000 % 1440

    def day_of_week(self):
        return (self._local() // DAY_MS + 3) % 7 + 1

    def year_month_day(self):
        days = self._local() // DAY_MS + 719_468
        era = days // 146_097
        day = days - era * 146_097
        year = (day - day // 1460 + day // 36_524 - day // 146_096) // 365
        rest = day - (365 * year + year // 4 - year // 100)
        month = (5 * rest + 2) // 153
        moved = month + 3 if month < 10 else month - 9
        return year + era * 400 + (moved <= 2), moved, rest - (153 * month + 2) // 5 + 1

    def text(self):
        year, month, day = self.year_month_day()
        return f"{year:04}-{month:02}-{day:02}"
