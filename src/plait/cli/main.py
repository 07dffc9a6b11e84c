"""The command line: read the options, run the command, and turn its result or error into an exit code.

A command is a module `plait.commands.<command>.command` with a function ``run_<command>(options) -> int`` that returns
the exit code; small ones are single modules in `plait.commands`. A module is imported when its command is used, and a
command without a module is not offered. ``options.argument`` is SUBJECT, TEST, FILE or NAME. Every option of the
command is an attribute, spelled as in `OPTIONS` with underscores. Its value comes from the command line, else from the
project's settings (``options.config``), else from the default in `OPTIONS`.
"""

from __future__ import annotations

import argparse
import codecs
import difflib
import importlib
import importlib.util
import re
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from plait import __version__
from plait.config import ALLOWABLE, CHOICES, is_allowable, load_config, refuse_misspelt
from plait.errors import INTERRUPTED, NOTHING_FOUND, READER_GONE, UNUSABLE, PlaitBugError, SpoiltError, UsageError
from plait.model.choices import EXHAUSTIVE, FORMS, SEARCHES
from plait.model.duration import seconds
from plait.model.foreign import harmless
from plait.model.test import MAX_ORDERS, MOST_CALLING, MOST_THREADS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_WIDTH = 80

# -- values -------------------------------------------------------------------------------------------------------


def _at_least(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise UsageError(f"{text!r} is no whole number of {least} or more")
        return int(text)

    return number


def _between(least: int, most: int, why: str) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) <= most:
            raise UsageError(f"{text!r} is no whole number from {least} to {most}: {why}")
        return int(text)

    return number


def _permissions(text: str) -> tuple[str, ...]:
    names = tuple(part for part in text.split(",") if part)
    for name in names:
        if not is_allowable(name):
            raise UsageError(f"{name!r} cannot be allowed: choose from {', '.join((*ALLOWABLE, 'env:NAME'))}")
    return names


def _output(text: str) -> Path:
    """Return the target of a result, ``-`` being the terminal; raise for an unusable one before the work is done."""
    path = Path(text)
    if text == "-":
        return path
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise UsageError(f"{text!r} cannot be written: its folder must exist, and it must be a file")
    return path


def _folder(text: str) -> Path:
    path = Path(text)
    if not path.is_dir():
        raise UsageError(f"{text!r} is no folder")
    return path


# -- options ------------------------------------------------------------------------------------------------------


class Option(NamedTuple):
    """One option; `read_arguments` converts its text to a value. An option without ``metavar`` is a flag."""

    help: str
    metavar: str | None = None
    read: Callable[[str], Any] = str
    default: Any = None
    choices: tuple[str, ...] | None = None
    repeated: bool = False  # it may be given several times


def _choice(name: str, help_text: str, default: str | None) -> Option:
    return Option(help_text, name.upper(), default=default, choices=CHOICES[name])


_TOO_MANY = (
    f"a test is judged by all orders of its calls, and {MOST_THREADS + 1} threads have more than {MAX_ORDERS}; nearly "
    "all faults need two or three threads"
)
_MEETING = _between(2, MOST_THREADS, _TOO_MANY)
_CALLING = _between(2, MOST_CALLING, "more threads wait for a turn instead of running at the same time")
_WORKERS = _between(1, 256, "each is a process, and more than there are cores do not help")
OPTIONS = {
    "at": Option("which version to take (default: worktree)", "VERSION", default="worktree"),
    "old": Option("the version before (default: HEAD)", "VERSION", default="HEAD"),
    "new": Option("the version after (default: worktree)", "VERSION", default="worktree"),
    "base": Option("review what changed since the branch left REV (default: the main branch)", "REV"),
    "good": Option("a commit without the difference", "REV"),
    "bad": Option("a later commit with it (default: HEAD)", "REV", default="HEAD"),
    "path": Option("where the subject is imported from (default: .)", "DIR", _folder, Path()),
    "seed": Option("the same seed and limits give the same result (default: 0)", "N", _at_least(0), 0),
    "budget": Option("wall-clock limit such as 60s, 5m, 1h", "TIME", seconds),
    "max-tests": Option("limit the tests instead, reproducibly (default: no limit)", "N", _at_least(1)),
    "max-schedules": Option("limit the schedules instead, reproducibly (default: no limit)", "N", _at_least(1)),
    "model": _choice("model", "where threads may switch (default: both)", "both"),
    "threads": Option(f"threads that meet in a test, at most {MOST_THREADS} (default: 2)", "N", _MEETING, 2),
    "workers": Option("worker processes (default: one per core)", "N", _WORKERS),
    "cluster": Option("run on a Dask scheduler (default: on this machine)", "ADDRESS"),
    "cluster-ca": Option("certificate authority of an encrypted cluster (default: none)", "FILE", Path),
    "cluster-cert": Option("certificate for an encrypted cluster (default: none)", "FILE", Path),
    "cluster-key": Option("key of that certificate (default: none)", "FILE", Path),
    "generate": _choice("generate", "how tests are made (default: covcon)", "covcon"),
    "schedule": _choice("schedule", "how a test is executed", None),
    "capp": _choice("capp", "which schedules come first, seen from the change", None),
    "no-filter": Option("explore every generated test, also those that cannot differ", default=False),
    "allow": Option("what the code may do, with commas: write, network, subprocess, native, env:NAME", "LIST",
                    _permissions, ()),
    "json": Option("write the result as JSON; - is the terminal", "FILE", _output),
    "html": Option("write the result as a page", "FILE", _output),
    "junit": Option("write the result as JUnit XML", "FILE", _output),
    "sarif": Option("write the result as SARIF", "FILE", _output),
    "badge": Option("write the result as data for a badge", "FILE", _output),
    "markdown": Option("write the result as a comment for a pull request", "FILE", _output),
    "compact": Option("print little text, for programs: one thing on a line", default=False),
    "full": Option("show all steps of an interleaving", default=False),
    "baseline": Option(
        "findings that are known and do not fail the run (default: plait-baseline.toml if there is one)", "FILE", Path,
    ),
    "update-baseline": Option("accept what is found into the baseline, with this reason", "REASON"),
    "expires": Option("the last day on which --update-baseline accepts it, such as 2027-03-31", "DATE"),
    "quiet": Option("say nothing while it runs", default=False),
    "finding": Option("its number in the file (default: all; with --step or --pdb the first)", "N", _at_least(1)),
    "step": Option("go through it step by step, forward and back", default=False),
    "pdb": Option("stop in the debugger at the conflicting accesses, other threads held", default=False),
    "write": Option("apply the change to the work tree", default=False),
    "trust": Option("do what a file or the settings ask for: install, connect, run what is no plain call",
                    default=False),
    "fresh": Option("explore everything again, whatever is known from earlier runs", default=False),
    "python": Option("interpreter to measure; given twice: old, then new (default: this one)", "EXE", repeated=True),
    "curve": Option("numbers of threads to compare (default: 1,2,4,8,16)", "N,N"),
    "scope": Option("time of the whole test, or of each thread's suffix", "SCOPE", choices=("whole", "suffix"),
                    default="whole"),
    "delta": Option("the least difference to report (default: 5)", "PERCENT"),
    "runs": Option("runs behind each figure (default: the table's own)", "N", _at_least(1)),
    "limit": Option("how long one measured call may take (default: the table's own)", "TIME", seconds),
    "operator": Option("mutants: the bugs to plant, with commas between them (default: all)", "NAMES"),
    "subject": Option("only these classes, faults or rows, with commas between them (default: all)", "NAMES"),
    "beside": Option("product: another tree of plait, measured in turn with this one (default: none)", "DIR", Path),
    "ask": Option("check, explore, diff, mended, threads: those the table knows (default: all)", "NAMES"),
    "sample": Option("so many of the faults, of mutants of each operator (default: all)", "N", _at_least(1)),
    "resume": Option("keep each result here, and measure only what is not there yet", "FILE", _output),
    "set": Option("corpus, drive, campaign: which of its sets or parts (default: the table's own)", "SET"),
}  # fmt: skip
_LIMITS = ("path", "seed", "budget", "max-tests", "max-schedules", "workers", "allow")
_CLUSTER = ("cluster", "cluster-ca", "cluster-cert", "cluster-key")
_BASELINE = ("baseline", "update-baseline", "expires")
_OUTPUTS = ("json", *FORMS)


class Command(NamedTuple):
    """One command: its line in the overview, its argument (with an explanation), the options that make sense for it."""

    help: str
    argument: tuple[str, str] | None = None
    options: tuple[str, ...] = ()
    module: str | None = None
    needed: bool = True  # whether the argument is


_SUBJECT = ("SUBJECT", "module:Class, module:function, module, or file.py:Class")
COMMANDS = {
    "check": Command(
        "one version: thread-safety violations", _SUBJECT,
        ("at", "old", *_LIMITS, *_CLUSTER, "model", "threads", "generate", "schedule", "capp", "fresh", "full",
         "compact", "quiet", "trust", *_OUTPUTS, *_BASELINE),
    ),
    "diff": Command(
        "two versions: behaviour that only one of them can show", _SUBJECT,
        ("old", "new", *_LIMITS, *_CLUSTER, "model", "threads", "schedule", "capp", "no-filter", "fresh", "full",
         "compact", "quiet", "trust", *_OUTPUTS, *_BASELINE),
    ),
    "perf": Command(
        "two versions: which one is faster under contention", _SUBJECT,
        ("old", "new", "path", "seed", "budget", "max-tests", "allow", "threads", "python", "curve", "scope", "delta",
         "quiet", "trust", *_OUTPUTS),
    ),
    "explore": Command(
        "an existing test that starts threads, under many schedules",
        ("TEST", "tests/test_x.py::test_y, or module:function"),
        ("old", "new", *_LIMITS, "model", "schedule", "capp", "full", "compact", "quiet", "trust", *_OUTPUTS,
         *_BASELINE),
    ),
    "review": Command(
        "diff, check, perf and explore for every class a git change touches", None,
        ("base", "new", *_LIMITS, "model", "threads", "full", "compact", "quiet", "trust", *_OUTPUTS, *_BASELINE,
         "markdown"),
    ),
    "audit": Command(
        "every public class and function of a package, judged",
        ("TARGET", "a package, a module, a file, or a folder such as ."),
        ("at", *_LIMITS, "model", "threads", "fresh", "compact", "quiet", *_OUTPUTS, *_BASELINE, "markdown"),
    ),
    "bisect": Command(
        "the commit that brought a difference in behaviour or speed", _SUBJECT,
        ("good", "bad", *_LIMITS, "model", "threads", "quiet", "json"),
    ),
    "replay": Command(
        "run a finding again, deterministically, and show it",
        ("FILE", "a result file, an HTML report or a reproducer"),
        ("finding", "full", "step", "pdb", "path", "allow", "trust"),
    ),
    "fix": Command(
        "the smallest change that is proven to remove a finding",
        ("FILE", "a result file, an HTML report or a reproducer"),
        ("finding", "write", "path", "seed", "budget", "max-tests", "workers", "allow", "compact", "quiet", "trust",
         "json"),
    ),
    "explain": Command(
        "a known finding again, from the store", ("FINGERPRINT", "which finding (default: a list of all)"),
        ("full", "compact", "json"), "plait.commands.explain", needed=False,
    ),
    "mcp": Command("the same commands as tools for agents (an extra)", None, ("path",), "plait.commands.mcp"),
    "bench": Command(
        "the evaluation tables, ours beside the papers'", ("NAME", "which table (default: all)"),
        ("json", "runs", "limit", "set", "operator", "subject", "ask", "sample", "max-tests",
         "max-schedules", "seed", "resume", "beside"),
        "plait.commands.bench", needed=False,
    ),
    "doctor": Command("what this installation can do", None, (), "plait.commands.doctor"),
    "completion": Command(
        "a script that lets a shell complete plait's words", ("SHELL", "bash, zsh or fish"), (),
        "plait.commands.completion",
    ),
}  # fmt: skip
DEFAULTS = {
    "check": {"budget": "60s", "schedule": "every schedule up to a limit, then samples", "capp": "none"},
    "diff": {"budget": "60s", "schedule": "dpor", "capp": "none"},
    "perf": {"budget": "2m", "threads": "8", "max-tests": "6"},
    "explore": {"budget": "60s", "schedule": "auto", "capp": "LOA", "max-schedules": "10000"},
    "review": {"budget": "3m"},
    "audit": {"budget": "10m"},
    "bisect": {"budget": "5m"},
    "fix": {"budget": "5m"},
}
"""Defaults of single commands, as on their command lines."""
WORDS = {
    "check": {"old": "the version that --capp compares with (default: HEAD)"},
    "perf": {"threads": "threads that call at the same time", "max-tests": "how many tests are measured"},
    "fix": {
        "finding": "its number in the file (default: 1)",
        "budget": "wall-clock limit; a candidate's first check gets a twelfth of it",
        "max-tests": "limit the tests of each check instead, reproducibly",
    },
    "bisect": {"budget": "time to find a test that tells the two commits apart"},
}
"""Explanations of options that have another meaning for one command."""
_OWN_READERS = {("perf", "threads"): _CALLING}
_OWN_CHOICES = {("explore", "schedule"): SEARCHES, ("diff", "schedule"): EXHAUSTIVE}


def option_of(command: str, key: str) -> Option:
    """Return an option as one command has it."""
    option = OPTIONS[key]
    said = WORDS.get(command, {}).get(key, option.help)
    read, choices = _OWN_READERS.get((command, key), option.read), _OWN_CHOICES.get((command, key), option.choices)
    return option._replace(help=said, read=read, choices=choices)


def _module(name: str) -> str:
    return COMMANDS[name].module or f"plait.commands.{name}.command"


def available() -> list[str]:
    """Return the commands of this installation."""
    return list(filter(_is_there, COMMANDS))


def _is_there(name: str) -> bool:
    if name == "bench":
        from plait.commands.bench import tables  # noqa: PLC0415 - what few commands need is imported when they do

        return bool(tables())
    return name in COMMANDS and importlib.util.find_spec(_module(name)) is not None


# -- reading ------------------------------------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line with a suggestion."""

    def __init__(self, name: str) -> None:
        # A formatter that asks for the terminal's width, for each option anew, is what takes most time here.
        formatter = partial(argparse.HelpFormatter, width=_WIDTH)
        super().__init__(f"plait {name}", allow_abbrev=False, formatter_class=formatter)
        self._name = name

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}{self._meant(message)} (see `{self.prog} --help`)")

    def format_help(self) -> str:
        from plait.cli.help import command_help  # noqa: PLC0415 - as above

        own = {key: option_of(self._name, key) for key in COMMANDS[self._name].options}
        return command_help(self._name, COMMANDS[self._name], {**OPTIONS, **own}, DEFAULTS.get(self._name, {}))

    def _meant(self, message: str) -> str:
        own = COMMANDS[self._name].options
        if unknown := re.match(r"unrecognized arguments: --([\w-]+)", message):
            having = [name for name in available() if unknown[1] in COMMANDS[name].options]
            if having:
                return f"; --{unknown[1]} is an option of {', '.join(having)}"
            near = difflib.get_close_matches(unknown[1], own, 1)
            return f"; did you mean --{near[0]}?" if near else ""
        if wrong := re.match(r"argument --([\w-]+): invalid choice: '(.*?)'", message):
            near = difflib.get_close_matches(wrong[2], option_of(self._name, wrong[1]).choices or (), 1)
            return f"; did you mean {near[0]}?" if near else ""
        return ""


def _overview() -> str:
    lines = [f"  {name:11}{COMMANDS[name].help}" for name in available()]
    return "\n".join(
        [
            "usage: plait COMMAND ...",
            "",
            "Is this class, or a change to it, safe and fast when many threads use it?",
            "",
            *lines,
            "",
            "`plait COMMAND --help` lists a command's options. Exit codes: 0 nothing found,",
            "1 something found, 2 unusable input, 3 no conclusion within the budget,",
            "130 interrupted.",
        ]
    )


def _parser(name: str) -> _Parser:
    command = COMMANDS[name]
    parser = _Parser(name)
    if command.argument is not None:
        parser.add_argument("argument", metavar=command.argument[0], nargs=None if command.needed else "?")
    for key in command.options:
        option = option_of(name, key)
        if option.metavar is None:
            parser.add_argument(f"--{key}", action="store_true", default=None)
        elif option.choices is not None:
            parser.add_argument(f"--{key}", choices=option.choices)
        else:
            parser.add_argument(f"--{key}", action="append" if option.repeated else "store")
    return parser


def read_arguments(name: str, arguments: Sequence[str], folder: Path) -> argparse.Namespace:
    """Return the options of a command: from the command line, else the settings in ``folder``, else the defaults."""
    given = _parser(name).parse_args(list(arguments))
    settings = load_config(folder)
    for key in COMMANDS[name].options:
        option, attribute = option_of(name, key), key.replace("-", "_")
        value = getattr(given, attribute)
        if value is None and key == "allow":
            value = settings.allow or None
        elif value is None and key in settings.options:
            value = _read(option, str(settings.options[key]), f"the setting {key}")
            if key in ("cluster", "old", "new") and not given.trust:
                from plait.commands.trust import trust_setting  # noqa: PLC0415 - hardly any project says that

                trust_setting(key, value, f"the setting {key!r}")
        elif isinstance(value, str):
            value = _read(option, value, f"--{key}")
        setattr(given, attribute, _default(name, key) if value is None else value)
    _refuse_mixture(given, COMMANDS[name].options)
    given.config = settings
    if settings.subjects and COMMANDS[name].argument and isinstance(given.argument, str):
        refuse_misspelt(settings, given.argument, folder)
    return given


def _read(option: Option, text: str, given: str) -> Any:
    try:
        return option.read(text)
    except UsageError as error:
        raise UsageError(f"{given}: {error}") from None


def _refuse_mixture(given: argparse.Namespace, keys: Iterable[str]) -> None:
    """Refuse two results on one terminal: no program could tell them apart."""
    shown = [f"--{key}" for key in keys if OPTIONS[key].read is _output and str(getattr(given, key)) == "-"]
    if len(shown) > 1:
        raise UsageError(f"{' and '.join(shown)} cannot both go to -: give a file to all but one")


def _default(name: str, key: str) -> Any:
    """Return the default of an option; None leaves it to the command."""
    option, own = option_of(name, key), DEFAULTS.get(name, {}).get(key)
    return option.default if own is None or option.default is None else option.read(own)


# -- running ------------------------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``plait`` with these arguments and return its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    _write_plainly()
    try:
        command = _chosen(given, alone=arguments is None)
        code = command()
        try:
            sys.stdout.flush()  # here, where a reader that went away does no harm
        except BrokenPipeError:
            _close_output()
    except UsageError as error:
        print(harmless(f"plait: {error}"), file=sys.stderr)
        return UNUSABLE
    except KeyboardInterrupt:
        print("plait: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of the output has closed it, before there was a verdict
        _close_output()
        return READER_GONE
    except SpoiltError as error:
        print(harmless(f"plait: {error}"), file=sys.stderr)
        return UNUSABLE
    except Exception as error:
        import traceback  # noqa: PLC0415 - for the worst case

        print(harmless(traceback.format_exc()), end="", file=sys.stderr)
        said = str(error) if isinstance(error, PlaitBugError) else f"[plait bug] {type(error).__name__}: {error}"
        print(harmless(f"plait: {said}"), file=sys.stderr)
        return UNUSABLE
    return code


_PLAIN = str.maketrans("│┃─┼→▶●○·…▁▂▃▄▅▆▇█", "||-+>>*o.~_..--==#")
"""Replacements for characters that the terminal's encoding lacks, one for one, so that tables keep their columns."""


def _write_plainly() -> None:
    """Let the output be written in any encoding: without UTF-8, characters are replaced instead of an error."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None and getattr(sys.stdout, "errors", "") == "strict":
        codecs.register_error("plait.plain", _plain)
        reconfigure(errors="plait.plain")


def _plain(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    signs = error.object[error.start : error.end].translate(_PLAIN)
    return signs.encode("ascii", "replace").decode("ascii"), error.end


def _close_output() -> None:
    from plait.report.publish import close_output  # noqa: PLC0415 - hardly ever needed

    close_output()


def _chosen(given: list[str], *, alone: bool) -> Callable[[], int]:
    """Return the command with its options, ready to run; ``alone`` if this process is for nothing else."""
    if not given or given[0] in ("-h", "--help", "help"):
        return partial(_print, _overview(), NOTHING_FOUND if given else UNUSABLE)
    name = given[0]
    if name in ("-V", "--version"):
        return partial(_print, f"plait {__version__}", NOTHING_FOUND)
    if not _is_there(name):
        known = available()
        near = difflib.get_close_matches(name, known, 1)
        advice = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
        if name in COMMANDS:
            advice = "its tables are in a clone of plait's repository, not in an installed plait"
        raise UsageError(f"no command {name!r}; {advice}")
    options = read_arguments(name, given[1:], Path.cwd())
    options.words = given
    if alone:
        from plait.run.native.kernel import conceal  # noqa: PLC0415 - for commands that run something

        conceal()
    return partial(getattr(importlib.import_module(_module(name)), f"run_{name}"), options)


def _print(text: str, code: int) -> int:
    print(text)
    return code
