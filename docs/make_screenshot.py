"""Makes docs/screenshot.svg from what `plait diff` really prints about the two bank accounts of `make demo`.

Run ``python docs/make_screenshot.py``.
"""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

HERE = Path(__file__).resolve().parent
DEMO = HERE.parent / "benchmarks" / "demo"
ASKED = "plait diff account:Account --old dir:old --new dir:new"
WIDTH = 100
COLOURS = {  # for readers of the picture; the terminal's own colours depend on its theme
    r"^Account: .*": "bold red",
    r"thread \d: .*": "cyan",
    r"never": "bold green",
    r"^ +-8 .*(yes)$": "bold red",
    r"^  (Race|Guard|Changed lines|Can happen|Regression test)": "yellow",
}


def said() -> str:
    """Return the output of the command, run in a copy of the folder: it writes a regression test."""
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(DEMO, Path(folder) / "demo", ignore=shutil.ignore_patterns("plait-out", ".plait"))
        command = [sys.executable, "-m", "plait", *ASKED.split()[1:]]
        done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    if done.returncode != 1:
        raise SystemExit(f"{ASKED} ended with {done.returncode}: {done.stderr}")
    return done.stdout.rstrip()


def picture(output: str) -> str:
    """Return a terminal with the command and its output."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, highlight=False)
    console.print(Text(f"$ {ASKED}", style="bold"))
    for line in output.splitlines():
        shown = Text(line)
        for pattern, style in COLOURS.items():
            for found in re.finditer(pattern, line):
                shown.stylize(style, *found.span())
        console.print(shown, overflow="fold")
    drawn = console.export_svg(title="make demo", theme=MONOKAI, unique_id="demo")
    return re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)  # the reader's own font: nothing is loaded


if __name__ == "__main__":
    (HERE / "screenshot.svg").write_text(picture(said()), encoding="utf-8")
