"""The command line from outside: exit codes, one-line complaints, settings, and what is offered."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import plait.commands.replay
from plait.cli import main
from plait.errors import READER_GONE, PlaitBugError, UsageError

PROBE = """
from plait.errors import PlaitBugError, UsageError

def run_replay(options):
    if options.argument == "usage":
        raise UsageError("replay file 'x' does not exist: give the path of a result file")
    if options.argument == "interrupt":
        raise KeyboardInterrupt
    if options.argument == "bug":
        raise PlaitBugError("a stopped thread was resumed")
    if options.argument == "crash":
        return {}["missing"]
    seen.append(options)
    return int(options.argument)

seen = []
"""


@pytest.fixture
def replay(tmp_path, monkeypatch):
    """A command whose only job is to end the way its argument says."""
    (tmp_path / "command.py").write_text(PROBE)
    monkeypatch.setattr(plait.commands.replay, "__path__", [str(tmp_path)])
    monkeypatch.delitem(sys.modules, "plait.commands.replay.command", raising=False)
    monkeypatch.chdir(tmp_path)
    yield lambda *arguments: main.main(["replay", *arguments])
    sys.modules.pop("plait.commands.replay.command", None)


def _seen():
    return sys.modules["plait.commands.replay.command"].seen[-1]


@pytest.mark.parametrize("code", [0, 1, 2, 3, 130])
def test_a_commands_exit_code_is_passed_on(replay, code):
    assert replay(str(code)) == code


def test_usage_error_is_one_line_and_code_2(replay, capsys):
    assert replay("usage") == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "plait: replay file 'x' does not exist: give the path of a result file\n"


def test_interrupt_is_130(replay, capsys):
    assert replay("interrupt") == 130
    assert capsys.readouterr().err == "plait: interrupted\n"


@pytest.mark.parametrize(
    ("argument", "text"),
    [
        ("bug", "plait: [plait bug] a stopped thread was resumed"),
        ("crash", "plait: [plait bug] KeyError: 'missing'"),
    ],
)
def test_our_own_failures_are_tagged_and_never_look_like_a_finding(replay, capsys, argument, text):
    assert replay(argument) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("Traceback")
    assert lines[-1] == text


def test_plait_bug_error_is_tagged_once():
    assert str(PlaitBugError("x")) == "[plait bug] x"


# -- what is offered ----------------------------------------------------------------------------------------------


def test_commands_without_a_module_are_neither_listed_nor_accepted(monkeypatch, capsys):
    real = main.importlib.util.find_spec
    gone = "plait.commands.perf.command"
    monkeypatch.setattr(main.importlib.util, "find_spec", lambda name: None if name == gone else real(name))
    assert main.main(["--help"]) == 0
    assert "\n  perf " not in capsys.readouterr().out
    assert main.main(["perf", "m:C"]) == 2
    assert "no command 'perf'" in capsys.readouterr().err


def test_every_listed_command_can_be_imported_and_run():
    for name in main.available():
        module = main.importlib.import_module(main._module(name))
        assert callable(getattr(module, f"run_{name}")), name


def test_overview_fits_a_screen(capsys, monkeypatch):
    monkeypatch.setattr(main, "available", lambda: list(main.COMMANDS))
    assert main.main(["--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    for name, command in main.COMMANDS.items():
        assert any(line.split()[:1] == [name] and command.help in line for line in lines)


def test_no_command_is_unusable_but_explained(capsys):
    assert main.main([]) == 2
    assert "usage: plait COMMAND" in capsys.readouterr().out


def test_misspelt_command(capsys):
    assert main.main(["bnch"]) == 2
    assert capsys.readouterr().err == "plait: no command 'bnch'; did you mean bench?\n"


def test_version(capsys):
    assert main.main(["--version"]) == 0
    assert capsys.readouterr().out == f"plait {plait.__version__}\n"


@pytest.mark.parametrize("columns", [60, 80, 100, 200])
@pytest.mark.parametrize("name", list(main.COMMANDS))
def test_help_of_every_command_names_every_option_with_its_default(name, columns, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    with pytest.raises(SystemExit) as end:
        main._parser(name).parse_args(["--help"])
    assert end.value.code == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= min(columns, 100)
    entries = re.split(r"\n  (?=--)", text.partition("\n\nSettings")[0].partition("\n\nVERSION")[0])[1:]
    assert {entry.split()[0].removeprefix("--") for entry in entries} == set(main.COMMANDS[name].options)
    for entry in entries:
        assert " ".join(entry.split()).count("(default: ") == 1, entry


def test_help_shows_the_defaults_that_hold(tmp_path, capsys):
    for name, own in main.DEFAULTS.items():
        assert set(own) <= set(main.COMMANDS[name].options)
    assert _read("perf", "a:B", folder=tmp_path).threads == 8
    assert _read("check", "a:B", folder=tmp_path).threads == 2
    from plait.commands.audit import command as audit
    from plait.commands.bisect import command as bisect
    from plait.commands.check import options as check_options
    from plait.commands.diff import options as diff_options
    from plait.commands.explore import command as explore
    from plait.commands.fix import command as fix
    from plait.commands.perf import command as perf
    from plait.commands.review import command as review

    budgets = {"check": check_options.DEFAULT_BUDGET, "diff": diff_options.DEFAULT_BUDGET, "perf": perf.BUDGET_S,
               "explore": explore.SECONDS, "review": review.DEFAULT_BUDGET,
               "bisect": bisect.DEFAULT_BUDGET, "audit": audit.DEFAULT_BUDGET, "fix": fix.BUDGET_S}  # fmt: skip
    assert {name: main.seconds(own["budget"]) for name, own in main.DEFAULTS.items()} == budgets
    own = main.DEFAULTS["perf"]
    assert (int(own["max-tests"]), int(own["threads"])) == (perf.TESTS, perf.THREADS)
    assert main.DEFAULTS["explore"]["schedule"] == explore.SEARCH
    assert int(main.DEFAULTS["explore"]["max-schedules"]) == explore.SCHEDULES


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (["check", "a:B", "--buget", "3s"], "did you mean --budget?"),
        (["check", "a:B", "--no-filter"], "--no-filter is an option of diff"),
        (["check", "a:B", "--model", "gill"], "did you mean gil?"),
        (["bench", "covcno"], "did you mean covcon?"),
        (["bench", "monitors", "--sample", "3"], "--sample: the table monitors does not know this option"),
        (["bench", "drive", "--set", "x"], "--set x: there is no such set of packages"),
        (["bench", "campaign", "--set", "x"], "there is no part 'x' of this table"),
        (["completion", "bsh"], "did you mean bash?"),
        (["check", "stok:Stock"], "did you mean stock:Stock?"),
        (["check", "./stok.py:Stock"], "there is no file ./stok.py; did you mean stock.py?"),
        (["check", "shp.parts:Part"], "did you mean shop.parts:Part?"),
        (["check", "shop.prats:Part"], "did you mean shop.parts:Part?"),
        (["check", "stock:Stok"], "did you mean Stock?"),
        (["check", "stock:Stock.putt"], "did you mean put?"),
        (["diff", "stock:Stock", "--old", "dir:odl"], "did you mean old?"),
        (["diff", "stock:Stock", "--old", "mian"], "did you mean 'main'?"),
        (["replay", "reslt.json"], "did you mean result.json?"),
    ],
)
def test_what_was_probably_meant(arguments, advice, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("stock.py").write_text("class Stock:\n    def put(self): ...\n")
    for folder in ("old", "shop"):
        Path(folder).mkdir()
    Path("shop/__init__.py").write_text("")
    Path("shop/parts.py").write_text("class Part: ...\n")
    Path("result.json").write_text("{}")
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org"]
    for command in (["init", "-q", "-b", "main"], ["add", "stock.py"], ["commit", "-qm", "first"]):
        subprocess.run([*git, *command], check=True, capture_output=True)
    assert main.main(arguments) == 2
    said = capsys.readouterr().err
    assert advice in said
    assert len(said.splitlines()) == 1


# -- options ------------------------------------------------------------------------------------------------------


def _read(name, *arguments, folder):
    return main.read_arguments(name, arguments, folder)


def test_defaults(tmp_path):
    options = _read("diff", "shop:Stock", folder=tmp_path)
    assert (options.argument, options.old, options.new, options.seed) == ("shop:Stock", "HEAD", "worktree", 0)
    assert (options.model, options.threads, options.budget, options.max_tests) == ("both", 2, None, None)
    assert (options.allow, options.no_filter, options.json, options.path) == ((), False, None, Path())


def test_values_are_read(tmp_path):
    options = _read(
        "check",
        "a:B",
        "--budget",
        "1.5m",
        "--threads",
        "3",
        "--allow",
        "write,network",
        "--json",
        "-",
        "--max-schedules",
        "7",
        "--model",
        "gil",
        folder=tmp_path,
    )
    assert (options.budget, options.threads, options.allow) == (90.0, 3, ("write", "network"))
    assert (options.json, options.max_schedules, options.model) == (Path("-"), 7, "gil")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--budget", "60"], "--budget: '60' is no time without a unit: write 60s, 60m or 60h"),
        (["--budget", "0"], "--budget: '0' is no time: write a number with s, m or h, such as 60s"),
        (["--budget", "0s"], "--budget: '0s' is no useful time: it must be more than nothing"),
        (["--threads", "1"], "--threads: '1' is no whole number from 2 to 5: a test is judged by all orders"),
        (["--threads", "99"], "--threads: '99' is no whole number from 2 to 5: a test is judged by all orders"),
        (["--workers", "100000"], "--workers: '100000' is no whole number from 1 to 256: each is a process"),
        (["--seed", "-1"], "--seed: '-1' is no whole number of 0 or more"),
        (["--allow", "write,fly"], "--allow: 'fly' cannot be allowed"),
        (["--json", "no/such/folder/x.json"], "--json: 'no/such/folder/x.json' cannot be written"),
        (["--path", "no/such/folder"], "--path: 'no/such/folder' is no folder"),
        (["--html", "-", "--json", "-"], "--json and --html cannot both go to -: give a file to all but one"),
        (["--model", "maybe"], "invalid choice: 'maybe'"),
        (["--thread", "2"], "unrecognized arguments: --thread 2"),
        (["--nonsense"], "unrecognized arguments: --nonsense"),
    ],
)
def test_wrong_options_are_named(arguments, part, tmp_path):
    with pytest.raises(UsageError) as error:
        _read("check", "a:B", *arguments, folder=tmp_path)
    assert part in str(error.value)
    assert "\n" not in str(error.value)


def test_options_of_other_commands_are_refused(tmp_path):
    with pytest.raises(UsageError, match="--capp"):
        _read("perf", "a:B", "--capp", "CA", folder=tmp_path)


def test_settings_of_the_project_are_defaults(tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        '[tool.plait]\nbudget = "5m"\nthreads = 4\nseed = 9\nmodel = "gil"\nallow = ["write"]\n'
    )
    options = _read("check", "a:B", "--seed", "1", folder=tmp_path)
    assert (options.budget, options.threads, options.seed) == (300.0, 4, 1)
    assert (options.model, options.allow) == ("gil", ("write",))
    assert options.config.options["threads"] == 4


def test_threads_that_are_measured_may_be_more_than_those_of_a_test(tmp_path):
    assert _read("perf", "a:B", "--threads", "64", folder=tmp_path).threads == 64
    with pytest.raises(UsageError, match="'999' is no whole number from 2 to 256"):
        _read("perf", "a:B", "--threads", "999", folder=tmp_path)


def test_a_setting_beyond_a_limit_is_refused_by_its_name(tmp_path):
    (tmp_path / "plait.toml").write_text("threads = 99\n")
    with pytest.raises(UsageError, match="the setting threads: '99' is no whole number from 2 to 5"):
        _read("check", "a:B", folder=tmp_path)


def test_wrong_settings_are_a_usage_error(replay, tmp_path, capsys):
    (tmp_path / "plait.toml").write_text("thread = 3\n")
    assert replay("0") == 2
    assert "unknown setting thread; did you mean threads?" in capsys.readouterr().err


def test_the_commands_see_their_options(replay, tmp_path):
    assert replay("0", "--path", str(tmp_path), "--allow", "subprocess") == 0
    assert (_seen().path, _seen().allow) == (tmp_path, ("subprocess",))


# -- as a process -------------------------------------------------------------------------------------------------


def _run(*arguments, cwd):
    return subprocess.run(
        [sys.executable, *arguments], cwd=cwd, capture_output=True, text=True, timeout=600, check=False
    )


def _plait(*arguments, cwd):
    return _run("-m", "plait", *arguments, cwd=cwd)


def _python(code, cwd):
    return _run("-c", code, cwd=cwd)


def test_module_and_exit_code(tmp_path):
    done = _plait("bench", "nonsense", cwd=tmp_path)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "no table 'nonsense'" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_bench_writes_one_table_per_file(tmp_path):
    done = _plait("bench", "--json", "x.json", cwd=tmp_path)
    assert done.returncode == 2
    assert "a result file holds one table" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_that_nobody_reads_to_the_end(tmp_path, unbuffered):
    code = "input(); from plait.cli.main import main; raise SystemExit(main(['--help']))"
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()
    process.stdin.write(b"go\n")
    process.stdin.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait(30) == (READER_GONE if unbuffered else 0)  # 0: it had said everything when it was noticed
    assert errors == b""


def test_doctor_explores_a_counter(tmp_path):
    done = _plait("doctor", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the engine explores: a racy counter, 4 schedules" in done.stdout
    assert "a check works: it finds the race" in done.stdout
    assert "MISSING" not in done.stdout


def test_doctor_tells_of_checks_that_do_not_work_where_the_engine_does(tmp_path, monkeypatch):
    """What the sandbox stops is stopped in workers only."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nif '-c' in sys.orig_argv and 'plait.workers' in str(sys.orig_argv): raise SystemExit('broken')\n"
    )
    code = "from plait.cli.main import main; raise SystemExit(main(['doctor']))"
    done = _python(code, cwd=tmp_path)
    assert done.returncode == 2
    assert "ok      the engine explores: a racy counter, 4 schedules" in done.stdout
    assert "MISSING a check does not work: " in done.stdout


def test_doctor_says_what_is_broken(tmp_path):
    blocked = tmp_path / "cache"
    blocked.write_text("a file where a folder is needed")
    code = (
        f"import os; os.environ['XDG_CACHE_HOME'] = {str(blocked)!r}\n"
        "from plait.cli.main import main; raise SystemExit(main(['doctor']))"
    )
    done = _python(code, cwd=tmp_path)
    assert done.returncode == 2
    assert "MISSING the cache for rewritten code cannot be written" in done.stdout


def test_help_needs_no_engine(tmp_path):
    code = "import sys\nfrom plait.cli.main import main\nmain(['--help'])\nprint(json.dumps([m for m in sys.modules]))"
    done = _python(f"import json\n{code}", cwd=tmp_path)
    loaded = json.loads(done.stdout.splitlines()[-1])
    assert "greenlet" not in loaded
    assert "plait.run.engine" not in loaded


def test_a_command_does_not_import_what_only_workers_and_releases_need(tmp_path):
    code = "import json, sys\nimport plait.cli.main, plait.commands.check.command, plait.commands.diff.command\n"
    done = _python(f"{code}print(json.dumps(list(sys.modules)))", cwd=tmp_path)
    loaded = set(json.loads(done.stdout))
    assert "plait.commands.check.command" in loaded
    assert loaded.isdisjoint({"typeshed_client", "importlib.metadata", "greenlet", "secrets", "zipfile"})


def test_a_reader_that_goes_away_does_not_turn_a_finding_into_a_pass(tmp_path):
    """Under ``set -o pipefail``, ``plait check ... | head`` fails if something was found."""
    (tmp_path / "shop.py").write_text(
        "class Shop:\n    value = 0\n\n    def add(self):\n        self.value = self.value + 1\n", encoding="utf-8"
    )
    words = [sys.executable, "-m", "plait", "check", "shop:Shop", "--max-tests", "3", "--workers", "1", "--quiet"]
    running = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    running.stdout.close()
    said = running.stderr.read().decode()
    running.stderr.close()
    assert (running.wait(60), said) == (1, "")


def test_a_command_of_the_repository_is_told_apart_from_one_that_is_none(monkeypatch, capsys):
    monkeypatch.setattr("plait.commands.bench.tables", list)
    assert main.main(["bench"]) == 2
    assert "in a clone of plait's repository" in capsys.readouterr().err


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_locale_without_utf_8_gets_plainer_signs(tmp_path, encoding):
    (tmp_path / "shop.py").write_text(
        "class Caf\u00e9:\n    value = 0\n\n    def add(self):\n        self.value = self.value + 1\n", encoding="utf-8"
    )
    words = [sys.executable, "-m", "plait", "check", "shop:Caf\u00e9", "--max-tests", "3", "--workers", "1", "--quiet"]
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "COLUMNS": "100"}
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False, env=environment)
    said = done.stdout.decode(encoding)
    assert (done.returncode, done.stderr) == (1, b"")
    assert ("Caf?" if encoding == "ascii" else "Caf\u00e9") in said
    assert "| thread 2: x.add()" in said
    assert re.search(r"^-+\+-+$", said.replace("  ", ""), re.MULTILINE)
    assert "  >5 self.value = self.value + 1" in said
