"""Renew the sample outputs of README and the tutorial: ``python docs/make_samples.py``; tests compare them.

A sample is the fenced block behind ``<!-- sample: NAME -->``. Times differ from run to run: where nothing else
does, the page stays as it is.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "docs" / "samples" / "stock.py"
CACHE = "plait check cachelib:SimpleCache --at pypi:cachelib=={}"
TIMES = re.compile(r"\d+\.\d+ ?s")
LEAST_TITLES = 4


def say(command: str, folder: Path, columns: int | None = None, path: Path | None = None) -> str:
    """Return what a command prints in a folder, ``columns`` wide or, without, as into a file."""
    environment = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "FORCE_COLOR")}
    environment |= {"PYTHONIOENCODING": "utf-8"} | ({} if columns is None else {"COLUMNS": str(columns)})
    environment |= {} if path is None else {"PYTHONPATH": str(path)}
    words = [sys.executable, "-m", *command.split()]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, env=environment)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{command}: {done.stderr}")
    return done.stdout


# -- README --


def the_class(_folder: Path) -> str:
    """Return the class with its bug."""
    return SAMPLE.read_text("utf-8").rstrip()


def finding(folder: Path) -> str:
    """Return the first finding of the class, at 80 columns, without what differs from run to run."""
    shutil.copy(SAMPLE, folder)
    said = say("plait check stock.py:Stock --max-tests 20 --workers 1 --quiet", folder, 80)
    text = said.partition("\n\n[2/")[0]
    return re.sub(r"\n\n\d+ thread-safety violation.*", "", text, flags=re.DOTALL).rstrip()


def outcomes(folder: Path) -> str:
    """Return the table of outcomes of the demonstration."""
    demo = ROOT / "benchmarks" / "demo"
    versions = f"--old dir:{demo / 'old'} --new dir:{demo / 'new'}"
    said = say(f"plait diff account:Account {versions} --max-tests 10 --quiet", folder, 100)
    table = re.search(r"^  Everything it can do.*?(?=\n\n)", said, re.DOTALL | re.MULTILINE)
    if table is None:
        raise SystemExit("the demonstration has no table of outcomes")
    return f"  ...\n{table[0]}"


# -- the tutorial --


def titles(folder: Path) -> str:
    """Return the titles of what `plait check` finds in the old release, and how far the search went."""
    said = say(f"{CACHE.format('0.14.0')} --max-tests 300 --seed 2 --json result.json --quiet", folder)
    lines = said.splitlines()
    shown = [line for line in lines if re.match(r"\[\d+/\d+\]", line)]
    if len(shown) < LEAST_TITLES:
        raise SystemExit(f"only {len(shown)} findings in the tutorial's class")
    end = next(number for number, line in enumerate(lines) if "violations, to be mended" in line)
    return "\n".join([*shown, "", *lines[end : end + 2]])


def _lost_count(folder: Path) -> tuple[str, str]:
    """Return the block of the finding that the tutorial takes apart, and its number."""
    again = say(f"{CACHE.format('0.14.0')} --max-tests 300 --seed 2 --json result.json --quiet", folder, 100)
    blocks = re.split(r"\n\n(?=\[\d+/\d+\]|\d+ thread-safety)", again)
    found = [each for each in blocks if re.match(r"\[\d+/\d+\] \S+ with two calls of `dec`", each)]
    if not found:
        raise SystemExit("two calls of `dec` are no finding of their own any more: the tutorial is about them")
    return found[0].rstrip(), found[0][1:].partition("/")[0]


def lost_count(folder: Path) -> str:
    """Return that finding, at 100 columns."""
    return _lost_count(folder)[0]


def replayed(folder: Path) -> str:
    """Return the end of what `plait replay` says of it."""
    said = say(f"plait replay result.json --finding {_lost_count(folder)[1]}", folder, 100).rstrip().splitlines()
    return "\n".join(said[-3:])


def regression_test(folder: Path) -> str:
    """Return how the regression test of that finding fails."""
    site = folder / "site"
    say(f"pip install --quiet --no-deps --disable-pip-version-check --target {site} cachelib==0.14.0", folder)
    said = say("pytest -p no:cacheprovider plait-out/test_simplecache_dec_wrong_result.py", folder, 200, site)
    message = next(line for line in said.splitlines() if line.startswith("E ") and "AssertionError" in line)
    return f"{message}\n{said.rstrip().splitlines()[-1].strip('= ')}"


def sound(folder: Path) -> str:
    """Return what `plait check` says of the release with the locks."""
    return "\n".join(say(f"{CACHE.format('0.15.0')} --max-tests 300 --quiet", folder).splitlines()[:2])


def fixed(folder: Path) -> str:
    """Return what the new release cannot do any more: the title, the test and all outcomes."""
    both = "--old pypi:cachelib==0.14.0 --new pypi:cachelib==0.15.0"
    said = say(f"plait diff cachelib:SimpleCache {both} --max-tests 30 --quiet", folder, 100)
    return said.partition("\n\n  One way to get there")[0]


PAGES: Mapping[str, Mapping[str, tuple[str, Callable[[Path], str]]]] = {
    "README.md": {"class": ("python", the_class), "finding": ("", finding), "outcomes": ("", outcomes)},
    "docs/tutorial.md": {
        "titles": ("", titles), "lost count": ("", lost_count), "replay": ("", replayed),
        "regression test": ("", regression_test), "sound": ("", sound), "fixed": ("", fixed),
    },
}  # fmt: skip
"""The samples of each page, in the order in which the reader types the commands."""


def renewed(name: str, page: str) -> str:
    """Return a page with its samples as they are now."""
    with tempfile.TemporaryDirectory() as folder:
        for sample, (language, make) in PAGES[name].items():
            block = f"<!-- sample: {sample} -->\n```{language}\n{make(Path(folder))}\n```"
            pattern = rf"<!-- sample: {sample} -->\n```\w*\n.*?\n```"
            found = re.findall(pattern, page, flags=re.DOTALL)
            if len(found) != 1:
                raise SystemExit(f"{name} has no place, or several, for the sample {sample!r}")
            if TIMES.sub("", found[0]) != TIMES.sub("", block):
                page = page.replace(found[0], block)
    return page


if __name__ == "__main__":
    for each in PAGES:
        file = ROOT / each
        file.write_text(renewed(each, file.read_text("utf-8")), encoding="utf-8")
