"""Run the test suite on every Python that plait supports: ``make matrix``, or ``python tools/matrix.py --help``.

Interpreters are looked for on PATH, in pyenv, and in the folder of the matrix. Those that are missing are set up there,
as root on a Debian system: 3.14 and 3.15 in a root folder of Debian unstable, 3.13t from Debian's source package. What
cannot be had is named and skipped. Each interpreter gets a virtual environment and a clone of the work tree of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import time
import tomllib
import xml.etree.ElementTree as ET
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parents[1]
NAMES = ("3.11", "3.12", "3.13", "3.14", "3.15", "3.13t", "3.14t", "3.15t")  # t: free-threaded
UNSTABLE = ("3.14", "3.15")  # what Debian unstable has
SMOKE = (
    "tests/run/rewrite/test_grammar.py",
    "tests/run/importing/test_mirror_surface.py",
    "tests/run/rewrite/test_rewrite_snippets.py",
    "tests/cli/test_cli.py::test_doctor_explores_a_counter",  # all of plait, from the command to the worker
)
PARALLEL = ("-n", "2", "--dist", "worksteal")  # as `make test` runs it
SMOKE_NEEDS = ("pytest", "pytest-timeout")
WAITING = "-oDPkg::Lock::Timeout=300"  # another package manager may be at work
GREENLET = "greenlet==3.5.6"  # for 3.13t: newer than 3.5.2, and known to compile there
CRITICAL_SECTIONS = """\
#ifdef __cplusplus
struct _ts;
extern "C" {
void _PyCriticalSection_Resume(struct _ts *);
void _PyCriticalSection_SuspendAll(struct _ts *);
}
#endif
"""
"""Greenlet 3.5.3 and later suspends critical sections when it switches. Python 3.14 declares the two functions that it
calls in a header which greenlet includes. 3.13t has the same functions, declared in a header which greenlet does not
include there; so the compiler is told of them.
"""
PROBE = """
import json, platform, sys, sysconfig
from importlib.metadata import PackageNotFoundError, version
try:
    greenlet = version("greenlet")
except PackageNotFoundError:
    greenlet = "-"
free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
name = "{}.{}".format(*sys.version_info) + ("t" if free else "")
print(json.dumps({"name": name, "version": platform.python_version(), "greenlet": greenlet}))
"""


class SkipError(Exception):
    """An interpreter cannot be had, or cannot be used; the message says why."""


@dataclass(slots=True)
class Interpreter:
    """An interpreter that was found: its executable, and the root folder it lives in if that is not this system's."""

    name: str
    python: str
    system: Path | None = None

    def command(self, *words: str, folder: Path | None = None) -> list[str]:
        """Return the command line that runs ``words`` beside this interpreter, in ``folder``."""
        if self.system is None:
            return list(words)
        inside = "/" if folder is None else self.inside(folder)
        return ["chroot", str(self.system), "env", "-C", inside, *words]

    def inside(self, path: Path) -> str:
        """Return a path as the interpreter sees it."""
        return str(path) if self.system is None else "/" + str(path.relative_to(self.system))

    def run(
        self, *words: str, folder: Path | None = None, timeout: float | None = None, log: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command beside the interpreter and return what it printed, unless that goes to the file ``log``."""
        given = dict(os.environ)
        for name in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"):
            given.pop(name, None)
        if self.system is not None:
            given |= {"HOME": "/root", "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C.UTF-8"}
        command, place = self.command(*words, folder=folder), None if self.system else folder
        if log is None:
            return subprocess.run(
                command, cwd=place, env=given, capture_output=True, text=True, check=False, timeout=timeout
            )
        with log.open("w", encoding="utf-8") as file:
            return subprocess.run(
                command, cwd=place, env=given, stdout=file, stderr=subprocess.STDOUT, text=True, check=False,
                timeout=timeout,
            )  # fmt: skip


@dataclass(slots=True)
class Row:
    """A line of the table."""

    name: str
    version: str = "-"
    greenlet: str = "-"
    commit: str = "-"
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)
    ran: bool = False


# -- finding ------------------------------------------------------------------------------------------------------


def probe(interpreter: Interpreter, python: str | None = None) -> dict[str, str] | None:
    """Return what an executable says of itself; None if it does not run."""
    try:
        done = interpreter.run(python or interpreter.python, "-c", PROBE, timeout=300)  # the machine may be busy
        found: dict[str, str] = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return found


def matching(folder: Path, pattern: str) -> list[str]:
    """Return the paths below a folder that match; none if it is another user's."""
    try:
        return sorted(map(str, folder.glob(pattern)))
    except PermissionError:
        return []


def find(name: str, folder: Path) -> Interpreter | None:
    """Return the interpreter called ``name``, wherever it is installed."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    patterns = (f"{name[:-1]}.*t/bin/python{name}",) if name.endswith("t") else (f"{name}.*/bin/python{name}",)
    candidates = [
        shutil.which(f"python{name}"), *(path for pattern in patterns for path in matching(pyenv, pattern)),
        str(folder / name / "bin" / f"python{name}"),
    ]  # fmt: skip
    found = [Interpreter(name, each) for each in candidates if each is not None and Path(each).exists()]
    system = folder / "sid"
    if (system / "usr" / "bin" / f"python{name}").exists() and os.geteuid() == 0:
        found.append(Interpreter(name, f"/usr/bin/python{name}", system))
    for each in found:
        with mounted(each):
            told = probe(each)
        if told is not None and told["name"] == name:
            return each
    return None


# -- setting up ---------------------------------------------------------------------------------------------------


def set_up(name: str, folder: Path) -> None:
    """Install an interpreter into the folder; `SkipError` says why that is not possible here."""
    if name not in UNSTABLE and name != "3.13t":
        raise SkipError("not installed, and no package or source of it is known here")
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise SkipError("not installed; root on a Debian system could set it up")
    folder.mkdir(parents=True, exist_ok=True)
    print(f"{name}: being set up in {folder}", flush=True)
    if name in UNSTABLE:
        _debootstrap(folder / "sid")
    else:
        _build_free_threaded(folder)


def _checked(*words: str, folder: Path | None = None) -> None:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SkipError(f"{' '.join(words[:2])} failed: {_last_line(done.stderr or done.stdout)}")


def _last_line(said: str) -> str:
    """Return the last line of what a command said, for a note in the table."""
    lines = [*filter(str.strip, said.splitlines())] or ["no message"]
    return lines[-1].strip()[:160]


def _debootstrap(system: Path) -> None:
    if shutil.which("debootstrap") is None:
        _checked("apt-get", WAITING, "install", "--yes", "--no-install-recommends", "debootstrap")
    packages = [each for name in UNSTABLE for each in (f"python{name}", f"python{name}-venv")]
    packages += ["ca-certificates", "make", "git", "gcc", "libc6-dev"]
    packages += [f"libpython{name}-testsuite" for name in UNSTABLE]
    _checked("debootstrap", "--variant=minbase", f"--include={','.join(packages)}", "sid", str(system))


def _build_free_threaded(folder: Path) -> None:
    """3.13t by Debian's source package of 3.13, found through a list of package sources of its own."""
    lists = folder / "apt"
    for each in ("lists/partial", "cache/archives/partial", "source"):
        (lists / each).mkdir(parents=True, exist_ok=True)
    asked = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Origin: Debian"]
    listed = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split()
    mirrors = [each for each in listed if "security" not in each]
    if not mirrors:
        raise SkipError("apt-get knows no mirror of Debian")
    signed = "[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]"
    (lists / "sources.list").write_text(f"deb-src {signed} {mirrors[0]} trixie main\n", encoding="utf-8")
    settings = [
        f"-oDir::Etc::sourcelist={lists / 'sources.list'}", "-oDir::Etc::sourceparts=-",
        f"-oDir::State::lists={lists / 'lists'}", f"-oDir::Cache={lists / 'cache'}",
    ]  # fmt: skip
    libraries = ("dpkg-dev", "libssl-dev", "zlib1g-dev", "libffi-dev", "libsqlite3-dev", "libbz2-dev", "liblzma-dev")
    _checked("apt-get", WAITING, "install", "--yes", "--no-install-recommends", "gcc", "make", *libraries)
    _checked("apt-get", *settings, "update")
    _checked("apt-get", *settings, "source", "--download-only", "python3.13", folder=lists / "source")
    archive = next((lists / "source").glob("python3.13_*.orig.tar.xz"), None)
    if archive is None:
        raise SkipError("apt-get source brought no archive of python3.13")
    _checked("tar", "xf", str(archive), folder=lists / "source")
    tree = next(path for path in (lists / "source").glob("Python-3.13*") if path.is_dir())
    _checked("./configure", "-q", "--disable-gil", f"--prefix={folder / '3.13t'}", folder=tree)
    _checked("make", f"-j{len(os.sched_getaffinity(0))}", folder=tree)  # as many as we may use, not all there are
    _checked("make", "install", folder=tree)


@contextmanager
def mounted(interpreter: Interpreter) -> Iterator[None]:
    """Give a root folder what processes need: /proc, terminals, name resolution, pip's settings, certificates."""
    system = interpreter.system
    if system is None:
        yield
        return
    settings = [Path("/etc/resolv.conf"), Path("/etc/pip.conf"), Path.home() / ".config" / "pip" / "pip.conf"]
    for file in settings:
        if file.exists():
            inside = Path("/root") / file.relative_to(Path.home()) if file.is_relative_to(Path.home()) else file
            target = system / inside.relative_to("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
    certificates = os.environ.get("SSL_CERT_FILE") or ssl.get_default_verify_paths().cafile
    if certificates and Path(certificates).exists():
        target = system / Path(certificates).relative_to("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(certificates, target)
    wanted = {  # the folder itself too: a mount namespace can be had only where the root is a mount
        system: ["--bind", str(system)], system / "proc": ["-t", "proc", "proc"],
        system / "dev" / "pts": ["-t", "devpts", "devpts"],  # terminals: some tests open one
        system / "dev" / "shm": ["-t", "tmpfs", "-o", "mode=1777", "shm"],
    }  # fmt: skip
    there = {line.split()[4] for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()}
    ours = [place for place in wanted if str(place) not in there]  # `is_mount` does not see a folder bound to itself
    for place in ours:
        subprocess.run(["mount", *wanted[place], str(place)], check=False, capture_output=True)
    try:
        yield
    finally:
        for place in reversed(ours):
            subprocess.run(["umount", str(place)], check=False, capture_output=True)


# -- running ------------------------------------------------------------------------------------------------------


def clone(target: Path) -> str:
    """Clone the repository with the changes of the work tree; return its commit, with "-dirty" if there are any."""
    shutil.rmtree(target, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    _checked("git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(target))
    listed = subprocess.run(
        ["git", "ls-files", "--modified", "--others", "--deleted", "--exclude-standard", "-z"], cwd=ROOT,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target / name)
        else:
            (target / name).unlink(missing_ok=True)
    told = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--exclude", "*"], cwd=target, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    return told.stdout.strip()


def requirements(extra: str) -> list[str]:
    """Return the packages that an extra of the project needs, extras within it resolved."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found: list[str] = []
    for each in project["optional-dependencies"][extra]:
        within = re.fullmatch(r"plait\[([\w,]+)\]", each)
        found += [one for name in within[1].split(",") for one in requirements(name)] if within else [each]
    return found


def install(interpreter: Interpreter, venv: Path, source: Path, *, smoke: bool) -> list[str]:
    """Install plait and what its tests need into an environment; return the packages that could not be had."""
    python = interpreter.inside(venv / "bin" / "python")
    if not (venv / "bin" / "python").exists():
        done = interpreter.run(interpreter.python, "-m", "venv", interpreter.inside(venv))
        if done.returncode:
            raise SkipError(f"no virtual environment: {_last_line(done.stderr or done.stdout)}")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--prefer-binary"]
    wheels = [*pip, "--only-binary=:all:"]  # free-threaded builds have no wheels of some newest releases
    if interpreter.name == "3.13t":
        _build_greenlet(interpreter, python, venv)
    done = interpreter.run(*wheels, "--editable", interpreter.inside(source), timeout=900)
    if done.returncode:
        raise SkipError(f"plait cannot be installed: {_last_line(done.stderr)}")
    needed = list(SMOKE_NEEDS) if smoke else requirements("dev")
    if interpreter.run(*wheels, *needed, timeout=1800).returncode == 0:
        return []
    return [
        re.split(r"[<>=\[ ;]", each)[0]
        for each in needed
        if all(interpreter.run(*form, each, timeout=900).returncode for form in (wheels, pip))
    ]


def _build_greenlet(interpreter: Interpreter, python: str, venv: Path) -> None:
    """Compile a greenlet for 3.13t that can switch inside critical sections; the wheels for it cannot."""
    told = probe(interpreter, python)
    if told is not None and told["greenlet"] == GREENLET.partition("==")[2]:
        return
    header = venv / "critical_sections.h"
    header.write_text(CRITICAL_SECTIONS, encoding="utf-8")
    # these take the place of the interpreter's own flags: without the first two greenlet switches seven times slower
    flags = [f"{name}=-O3 -DNDEBUG -include {interpreter.inside(header)}" for name in ("CFLAGS", "CXXFLAGS")]
    pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-cache-dir", "--no-binary=greenlet"]
    done = interpreter.run("env", *flags, python, *pip, GREENLET, timeout=900)
    if done.returncode:
        raise SkipError(f"greenlet cannot be compiled: {_last_line(done.stderr)}")


def count(file: Path, row: Row) -> None:
    """Add what a report of pytest says to a row."""
    suites = list(ET.parse(file).getroot().iter("testsuite"))  # noqa: S314 - written by ourselves
    names = ("tests", "failures", "errors", "skipped")
    numbers = {name: sum(int(suite.get(name, 0)) for suite in suites) for name in names}
    row.failed = numbers["failures"] + numbers["errors"]
    row.skipped = numbers["skipped"]
    row.passed = numbers["tests"] - row.failed - row.skipped
    row.ran = True


def test(interpreter: Interpreter, folder: Path, row: Row, *, smoke: bool, given: Sequence[str]) -> None:
    """Install and run the tests; fills the row."""
    place = folder if interpreter.system is None else interpreter.system / "matrix"
    kind = "smoke" if smoke else "full"
    source, venv = place / "source" / f"{kind}-{interpreter.name}", place / "venv" / f"{kind}-{interpreter.name}"
    row.commit = clone(source)
    lacking = install(interpreter, venv, source, smoke=smoke)
    python = interpreter.inside(venv / "bin" / "python")
    told = probe(interpreter, python) or {}
    row.version, row.greenlet = told.get("version", "-"), told.get("greenlet", "-")
    if lacking:
        row.notes.append(f"without {', '.join(lacking)}")
    report = source / "matrix.xml"
    words = [python, "-m", "pytest", "-q", "--timeout", "600", "-p", "no:cacheprovider", "--tb", "short"]
    words += [f"--junitxml={interpreter.inside(report)}", *(given or (SMOKE if smoke else PARALLEL))]
    log = source / "matrix.log"  # written as it comes: a whole suite takes long, and somebody may want to watch
    done = interpreter.run(*words, folder=source, log=log)
    said = log.read_text(encoding="utf-8", errors="replace")
    if not report.exists():
        row.notes.append(f"pytest ended with {done.returncode}: {_last_line(said)}")
        row.failed += 1
        return
    count(report, row)
    for line in re.findall(r"^(?:FAILED|ERROR) (\S+)", said, re.MULTILINE):
        print(f"  {interpreter.name}: {line}", flush=True)


def table(rows: Sequence[Row]) -> str:
    """Return the rows as text, columns in line."""
    head = ("Python", "version", "greenlet", "commit", "passed", "failed", "skipped", "seconds", "notes")
    lines: list[tuple[str, ...]] = [head]
    for row in rows:
        numbers = [str(row.passed), str(row.failed), str(row.skipped), f"{row.seconds:.0f}"] if row.ran else ["-"] * 4
        lines.append((row.name, row.version, row.greenlet, row.commit, *numbers, "; ".join(row.notes)))
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what was asked for; 1 if a test failed, 2 if nothing could be run."""
    parser = argparse.ArgumentParser(prog="matrix", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--only", action="append", choices=NAMES, help="this interpreter (may be given again)")
    parser.add_argument("--not", dest="without", action="append", default=[], choices=NAMES, help="not this one")
    parser.add_argument("--smoke", action="store_true", help="a short selection of tests")
    parser.add_argument("--found", action="store_true", help="only interpreters that are installed; set nothing up")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="start no interpreter after this time")
    default = os.environ.get("PLAIT_MATRIX", str(ROOT / "build" / "matrix"))
    parser.add_argument("--folder", type=Path, default=Path(default), help="where things are kept (PLAIT_MATRIX)")
    parser.add_argument("tests", nargs="*", help="files or options for pytest, behind --")
    options = parser.parse_args(arguments)
    rows = []
    start = time.monotonic()
    for name in options.only or [each for each in NAMES if each not in options.without]:
        row = Row(name)
        rows.append(row)
        began = time.monotonic()
        try:
            _one(name, row, options, late=began - start > options.seconds)
        except SkipError as error:
            row.notes.append(f"skipped: {error}")
        row.seconds = time.monotonic() - began
        print(f"{name}: {f'{row.passed} passed, {row.failed} failed' if row.ran else row.notes[-1]}", flush=True)
    print(f"\n{table(rows)}")
    return 1 if any(row.failed for row in rows) else 0 if any(row.ran for row in rows) else 2


def _one(name: str, row: Row, options: argparse.Namespace, *, late: bool) -> None:
    if late:
        raise SkipError(f"no time left: {options.seconds:.0f} s were over")
    folder = options.folder.resolve()
    found = find(name, folder)
    if found is None and options.found:
        raise SkipError("not installed")
    if found is None:
        set_up(name, folder)
        found = find(name, folder)
    if found is None:
        raise SkipError("it was set up, and does not run")
    with mounted(found):
        test(found, folder, row, smoke=options.smoke, given=options.tests)


if __name__ == "__main__":
    sys.exit(main())
