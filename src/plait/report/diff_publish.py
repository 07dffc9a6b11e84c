"""Where the result of `plait diff` goes."""

from __future__ import annotations

import argparse

from plait.model.result import Result
from plait.report.diff_text import diff_text
from plait.report.publish import write_json, write_others


def publish_diff(result: Result, options: argparse.Namespace) -> None:
    """Write the files that were asked for, and what people read."""
    data = result.as_json()
    write_others(data, options)
    target = getattr(options, "json", None)
    if target is None or not write_json(data, target):
        print(diff_text(result))
