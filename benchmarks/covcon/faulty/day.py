"""A calendar day whose parser, with its digit buffer, is shared by all calls and has no lock."""

from __future__ import annotations

from datetime import date, timedelta


class ParseError(Exception):
    """The text does not follow the pattern."""


class DigitList:
    """The digits of the number being read: the first ``count`` slots of ``digits``."""

    def __init__(self) -> None:
        self.digits: list[str] = [""] * 4
        self.count = 0

    def reset(self) -> None:
        self.count = 0

    def append(self, digit: str) -> None:
        if self.count >= len(self.digits):
            self.digits = [*self.digits, "", "", "", ""]
        self.digits[self.count] = digit
        self.count = self.count + 1

    def get_long(self) -> int:
        if self.count == 0:
            return 0
        return int("".join(self.digits[: self.count]))


class DateFormat:
    """Reads three numbers with a separator between them; ``order`` says which one is what."""

    def __init__(self, separator: str, order: str) -> None:
        self.separator = separator
        self.order = order
        self.digit_list = DigitList()

    def parse(self, text: str) -> tuple[int, int, int]:
        """(day, month, year)."""
        numbers = {}
        position = 0
        for part in self.order:
            if part != self.order[0]:
                if text[position : position + 1] != self.separator:
                    raise ParseError(text)
                position += 1
            self.digit_list.reset()
            start = position
            while position < len(text) and text[position] in "0123456789":
                self.digit_list.append(text[position])
                position += 1
            if position == start:
                raise ParseError(text)
            numbers[part] = self.digit_list.get_long()
        return numbers["d"], numbers["m"], numbers["y"]


class Day:
    """Immutable; days are compared and counted by their number since the first of January of year 1."""

    date_format = DateFormat("-", "ymd")
    short_date_format = DateFormat("/", "mdy")

    def __init__(self, day: int = 1, month: int = 1, year: int = 1970) -> None:
        self._date = date(year, month, day)

    @staticmethod
    def parse_day(text: str) -> Day | None:
        """The day written as 2010-10-26 or 10/26/2010; None for any other text and for days that do not exist."""
        try:
            day, month, year = Day.date_format.parse(text)
        except ParseError:
            try:
                day, month, year = Day.short_date_format.parse(text)
            except ParseError:
                return None
        try:
            return Day(day, month, year)
        except (OverflowError, ValueError):
            return None

    @staticmethod
    def of_serial(serial: int) -> Day:
        found = date.fromordinal(serial)
        return Day(found.day, found.month, found.year)

    def _moved(self, days: int) -> Day | None:
        try:
            found = self._date + timedelta(days=days)
        except OverflowError:
            return None
        return Day(found.day, found.month, found.year)

    def get_day_of_month(self) -> int:
        return self._date.day

    def get_month(self) -> int:
        return self._date.month

    def get_year(self) -> int:
        return self._date.year

    def get_day_of_week(self) -> int:
        return self._date.isoweekday()

    def get_day_of_year(self) -> int:
        return self._date.timetuple().tm_yday

    def get_quarter(self) -> int:
        return (self._date.month + 2) // 3

    def get_serial_index(self) -> int:
        return self._date.toordinal()

    def get_serial_date(self) -> tuple[int, int, int]:
        return self._date.year, self._date.month, self._date.day

    def get_first_millisecond(self) -> int:
        return (self._date.toordinal() - 719_163) * 86_400_000

    def get_first_millisecond_in(self, offset_hours: int) -> int:
        return self.get_first_millisecond() - offset_hours * 3_600_000

    def get_middle_millisecond(self) -> int:
        return self.get_first_millisecond() + 43_200_000

    def get_middle_millisecond_in(self, offset_hours: int) -> int:
        return self.get_first_millisecond_in(offset_hours) + 43_200_000

    def get_last_millisecond(self) -> int:
        return self.get_first_millisecond() + 86_399_999

    def get_last_millisecond_in(self, offset_hours: int) -> int:
        return self.get_first_millisecond_in(offset_hours) + 86_399_999

    def get_start(self) -> str:
        return f"{self._date.isoformat()} 00:00"

    def get_end(self) -> str:
        return f"{self._date.isoformat()} 23:59"

    def is_weekend(self) -> bool:
        return self._date.isoweekday() > 5

    def is_before(self, other: Day) -> bool:
        return self._date < other._date

    def is_after(self, other: Day) -> bool:
        return self._date > other._date

    def previous(self) -> Day | None:
        return self._moved(-1)

    def next(self) -> Day | None:
        return self._moved(1)

    def compare_to(self, other: Day) -> int:
        return self._date.toordinal() - other._date.toordinal()

    def equals(self, other: object) -> bool:
        return isinstance(other, Day) and self._date == other._date

    def hash_code(self) -> int:
        return self._date.toordinal() & 0xFFFFFFFF

    def to_string(self) -> str:
        return self._date.isoformat()

    def __repr__(self) -> str:
        return f"Day({self._date.day}, {self._date.month}, {self._date.year})"
