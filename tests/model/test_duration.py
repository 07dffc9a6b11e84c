import pytest

from plait.errors import UsageError
from plait.model.duration import seconds


@pytest.mark.parametrize(
    ("text", "expected"), [("60s", 60), ("5m", 300), ("1h", 3600), ("1.5h", 5400), ("0.5s", 0.5), (" 90 s ", 90)]
)
def test_times(text, expected):
    assert seconds(text) == expected


@pytest.mark.parametrize(
    "text", ["", "60", "s", "-1s", "0s", "1d", "1e9s", "nan", "infs", "1,5s", "9" * 400 + "h", "١s", "1s\n2s", "1 2s"]
)
def test_what_is_no_time(text):
    with pytest.raises(UsageError, match="time"):
        seconds(text)
