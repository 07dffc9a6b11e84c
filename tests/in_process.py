"""A command of plait in this process: as a user starts it, without the start of another interpreter."""

import contextlib
import io
import os
import subprocess
from pathlib import Path

from plait.cli import main


def plait(folder, *words):
    """What the command says and ends with, when it is started in a folder."""
    given = [*map(str, words)]
    before = Path.cwd()
    out, errors = io.StringIO(), io.StringIO()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            code = main.main(given)
    finally:
        os.chdir(before)
    return subprocess.CompletedProcess(given, code, out.getvalue(), errors.getvalue())
