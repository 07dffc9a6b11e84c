"""The commands of README and docs, executed in a copy of the repository, page by page and in their order.

A shell block is a fenced block marked ``sh``, ``shell``, ``bash`` or ``console`` (there only lines with ``$``), or an
indented one that begins with a command. ``<!-- the reader's project -->`` before it has it run in a repository such as
the page speaks of. `make demo` runs; other targets only say what they would do: continuous integration runs them,
and the benchmarks take hours. `plait bench` is only read: its tests run it. What `pip` installs goes to a folder of its
own. The environment that `make` would set up is there: continuous integration has made it by the same rule.
Budgets and numbers of tests are cut, and a command that changes nothing runs once, however many pages
name it. The first review has time for its steps, the later ones for what their options ask.
"""

import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from plait.cli.main import COMMANDS, OPTIONS, read_arguments
from sample_shop import make_project

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SHELLS = ("sh", "shell", "bash", "console")
MEASURES = re.compile(r"^plait (audit|bisect|fix|perf|review)|review\.sh")
"""Commands that take the time that they get; the others end by their number of tests, on a busy machine as well."""
FIRST = re.compile(r"(plait|pytest|make|git|pip|python3?|cd|source|\.) |plait$")
READERS = "<!-- the reader's project -->"
COMMENT = re.compile(r"(^|\s+)#( .*|$)")
BUDGET, AMPLE = "5s", "120s"  # of those that measure: enough to see that a command works; and of the others
MOST_TESTS = 40  # the samples of a page are compared with what its commands say, with the tests that it names
SETTINGS = '\n[tool.plait]\nmax-tests = 15\nbudget = "{}"\n'
ONCE = ("pip install --dry-run", "plait doctor")


class Block(NamedTuple):
    """Commands that stand together, and whether they are about the reader's project."""

    commands: list[str]
    readers: bool = False


def blocks(text):
    """The shell blocks of a page."""
    found, lines, index = [], text.splitlines(), 0
    readers = False
    while index < len(lines):
        line = lines[index]
        start, fenced = index, re.match(r"\s*```+\s*(\w*)", line)
        if fenced:
            body, index = _until(lines, index + 1, lambda each: each.strip().startswith("```"))
            index += 1
            shell = fenced[1] in SHELLS
        elif line.startswith("    ") and (start == 0 or not lines[start - 1].strip()):
            body, index = _until(lines, index, lambda each: bool(each.strip()) and not each.startswith("    "))
            shell = bool(FIRST.match(line.strip()))
        else:
            index += 1
            if line.strip():
                readers = line.strip() == READERS
            continue
        if shell:
            found.append(Block(commands(body), readers))
        readers = False
    return found


def _until(lines, index, end):
    start = index
    while index < len(lines) and not end(lines[index]):
        index += 1
    return lines[start:index], index


def commands(body):
    """The commands of a block, without prompts, comments and output."""
    prompted = [line.strip()[2:] for line in body if line.strip().startswith("$ ")]
    joined = re.sub(r"\s*\\\n\s*", " ", "\n".join(prompted or [line.strip() for line in body]))
    return [text for line in joined.splitlines() if (text := COMMENT.sub("", line).strip())]


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """The tracked files, as a repository with two commits, and with settings that bound the work."""
    folder = tmp_path_factory.mktemp("clone") / "plait"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    git = ["git", "-C", str(folder), "-c", "user.name=A", "-c", "user.email=a@example.org"]
    for command in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *command], check=True, capture_output=True)
    with (folder / "pyproject.toml").open("a", encoding="utf-8") as settings:
        settings.write(SETTINGS.format(AMPLE))
    subprocess.run([*git, "commit", "-qam", "second"], check=True, capture_output=True)
    programs = folder / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "activate").touch()
    for name in ("python", "plait"):
        (programs / name).write_text(f'#!/bin/sh\nexec "{Path(sys.executable).with_name(name)}" "$@"\n')
        (programs / name).chmod(0o755)
    (folder / ".venv" / ".stamp-core").touch()  # newer than what it depends on
    return folder


@pytest.fixture(scope="module")
def seen():
    """The commands that need not run again."""
    return set()


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A repository of somebody who reads the documentation."""
    folder = tmp_path_factory.mktemp("reader") / "project"
    folder.mkdir()
    make_project(folder, SETTINGS.format("20s"))
    return folder


def execute(lines, folder, seen):
    """Run commands in one shell; those that failed, with what they said. Those in ``seen`` need not run again.

    plait may find something (1), and so may a test that it has written; there may be no time to measure, or a machine
    may be too busy (3). No command may fail by a fault of plait's own.
    """
    script = ""
    for number, line in enumerate(lines):
        safe = _safe(line)
        if safe.startswith(ONCE):
            if safe in seen:
                continue
            seen.add(safe)
        if line.startswith("plait review"):
            safe += f" --budget {BUDGET}" if "plait review" in seen else ""
            seen.add("plait review")
        most = 3 if MEASURES.search(line) else 1 if line.startswith(("plait", "pytest")) else 0
        script += f"{{ {safe}; }} >out.log 2>&1 </dev/null; code=$?\n"
        script += f'if [ $code -gt {most} ] || grep -qF "[plait bug]" out.log; then '
        script += f'echo "@@{number}@@$code"; tail -c 1500 out.log; fi\n'
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, capture_output=True, text=True, timeout=500, check=False,
        env={**os.environ, "PATH": path},
    )  # fmt: skip
    said = done.stdout + done.stderr
    return [f"{lines[int(each[1])]} ended with {each[2]}: {said}" for each in re.finditer(r"@@(\d+)@@(\d+)", said)]


READ = """
import sys
from pathlib import Path
from plait.cli.main import read_arguments
try:
    read_arguments(sys.argv[1], sys.argv[2:], Path())
except Exception as error:
    print(error)
    sys.exit(2)
"""


def _safe(line):
    """The command such that this environment stays as it is, and that a benchmark is read but not run."""
    measures = MEASURES.search(line)
    line = re.sub(r"(?<=--budget )\d+s|(?<=PLAIT_BUDGET=)\d+s", BUDGET if measures else AMPLE, line)
    if measures and not line.startswith("plait review") and "--budget" not in line and line.startswith("plait"):
        line += f" --budget {BUDGET}"
    line = re.sub(r"(?<=--max-tests )\d+", lambda each: str(min(int(each[0]), MOST_TESTS)), line)
    if line.startswith("plait bench "):
        return f"python -c {shlex.quote(READ)} {line.removeprefix('plait ')}"
    if line.startswith("python -m benchmarks."):
        return " ".join([*line.split()[:3], "--help"])  # as `plait bench`
    if line in ("pip install plait", "pip install ."):
        return f"pip install --dry-run --no-deps {ROOT}"
    if line.startswith("pip install "):
        return f"{line} --quiet --target site && export PYTHONPATH=$PWD/site"
    return line.replace("make ", "make --dry-run ", 1) if line.startswith("make ") and line != "make demo" else line


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page_run(page, clone, project, seen):
    run = blocks(page.read_text(encoding="utf-8"))
    for folder, readers in ((clone, False), (project, True)):
        lines = [line for block in run if block.readers is readers for line in block.commands]
        assert execute(lines, folder, seen) == []


@pytest.mark.parametrize("name", ["README.md", pytest.param("docs/tutorial.md", marks=pytest.mark.slow)])
def test_the_samples_of_a_page_are_what_plait_says(name):
    page = (ROOT / name).read_text(encoding="utf-8")
    made = runpy.run_path(str(ROOT / "docs" / "make_samples.py"))
    assert set(made["PAGES"][name]) == set(re.findall(r"<!-- sample: ([\w ]+) -->", page))
    assert made["renewed"](name, page) == page, "run docs/make_samples.py"


def test_what_readme_takes_from_the_tutorial_is_there():
    """The tutorial's outputs are compared with those of plait; README shows some of their lines."""
    readme, tutorial = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/tutorial.md"))
    taken = re.findall(r"<!-- lines of the tutorial -->\n```\n(.*?)\n```", readme, re.DOTALL)
    said = " ".join(tutorial.split())
    lines = [" ".join(line.split()) for block in taken for line in block.splitlines() if line.strip() != "..."]
    assert len(lines) > 3
    assert [line for line in lines if line not in said] == []


def test_readme_and_docs_have_commands():
    every = [each for page in PAGES for each in blocks(page.read_text(encoding="utf-8"))]
    assert sum(len(each.commands) for each in every) >= 40


PAGE = """
<!-- the reader's project -->
```sh
plait review
```

Text with `plait code` in it.

    plait check a:B   # found
    . .venv/bin/activate
                      # only a remark

<!-- a remark -->
```shell
make bench
plait diff a:B \\
  --old HEAD
```

```console
$ plait doctor
ok      whatever
```

    an output that is no command

```python
plait = 1
```
"""


def test_blocks_are_told_apart():
    assert blocks(PAGE) == [
        Block(["plait review"], readers=True),
        Block(["plait check a:B", ". .venv/bin/activate"]),
        Block(["make bench", "plait diff a:B --old HEAD"]),
        Block(["plait doctor"]),
    ]


def test_a_command_that_fails_is_noticed(tmp_path):
    lines = ["true", "plait nonsense", "cd .", "make -v", "plait bench engine --limt 1s"]
    said, bench = execute(lines, tmp_path, set())
    assert "--limt" in bench
    assert said.startswith("plait nonsense ended with 2")
    assert "no command 'nonsense'" in said


def test_every_option_has_an_example_that_plait_reads(tmp_path):
    made = runpy.run_path(str(ROOT / "docs" / "make_options.py"))
    assert made["page"]() == (ROOT / "docs" / "options.md").read_text(encoding="utf-8"), "run docs/make_options.py"
    assert set(made["EXAMPLES"]) == set(OPTIONS)
    for key, line in made["EXAMPLES"].items():
        plait, command, *words = shlex.split(line)
        assert (plait, f"--{key}" in words, key in COMMANDS[command].options) == ("plait", True, True), line
        given = read_arguments(command, words, tmp_path)
        assert getattr(given, key.replace("-", "_")) not in (None, False), line
    operators = runpy.run_path(str(ROOT / "benchmarks" / "mutants" / "operators.py"))["OPERATORS"]
    assert shlex.split(made["EXAMPLES"]["operator"])[-1] in operators
