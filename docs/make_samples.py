"""Renew the class and the finding that README shows: ``python docs/make_samples.py``; a test compares them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "docs" / "samples" / "stock.py"
COMMAND = "plait check stock.py:Stock --max-tests 20"


def finding() -> str:
    """Return the first finding of the command, at 80 columns, without what differs from run to run."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(SAMPLE, folder)
        words = [sys.executable, "-m", "plait", *COMMAND.split()[1:], "--workers", "1", "--quiet"]
        environment = {**os.environ, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"}
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, env=environment)
    text = done.stdout.partition("\n\n[2/")[0]
    return re.sub(r"\n\n\d+ thread-safety violation.*", "", text, flags=re.DOTALL).rstrip()


def renewed(page: str) -> str:
    """Return a page with its samples as they are now."""
    for name, language, text in (("class", "python", SAMPLE.read_text("utf-8").rstrip()), ("finding", "", finding())):
        block = f"<!-- sample: {name} -->\n```{language}\n{text}\n```"
        pattern = rf"<!-- sample: {name} -->\n```\w*\n.*?\n```"
        page, count = re.subn(pattern, lambda _found, block=block: block, page, flags=re.DOTALL)
        if count != 1:
            raise SystemExit(f"README.md has no place for the sample {name!r}")
    return page


if __name__ == "__main__":
    README = ROOT / "README.md"
    README.write_text(renewed(README.read_text("utf-8")), encoding="utf-8")
