"""The scripts of the GitHub Action, run here; the commands that hooks and the Action name."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from plait.cli import main
from plait.report.compact import badge
from plait.report.review import MARKER
from sample_shop import make_shop

ROOT = Path(__file__).parents[3]


def outputs(file):
    return dict(line.split("=", 1) for line in file.read_text(encoding="utf-8").splitlines())


def run(script, folder, temporary, **more):
    environment = {
        **os.environ, "PLAIT_PYTHON": sys.executable, "RUNNER_TEMP": str(temporary),
        "GITHUB_OUTPUT": str(temporary / "outputs"), "GITHUB_STEP_SUMMARY": str(temporary / "summary.md"), **more,
    }  # fmt: skip
    return subprocess.run(
        ["bash", str(ROOT / "action" / script)], cwd=folder, env=environment, capture_output=True, text=True,
        check=False, timeout=500,
    )  # fmt: skip


@pytest.mark.slow
def test_the_action_reviews_a_shallow_checkout_of_a_pull_request(tmp_path):
    """As a runner has it: the last commit of the topic branch, nothing of the branch that it goes to."""
    origin = tmp_path / "origin"
    origin.mkdir()
    made = make_shop(origin)
    subprocess.run(["git", "checkout", "-q", "-B", "pull", made["race"]], cwd=origin, check=True)
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--depth", "1", "--branch", "pull", origin.as_uri(), str(clone)], check=True)
    words = {"GITHUB_BASE_REF": "main", "PLAIT_BUDGET": "16s", "PLAIT_ARGUMENTS": "--max-tests 20 --seed 1"}
    done = run("review.sh", clone, tmp_path, **words)
    assert done.returncode == 0, done.stdout + done.stderr
    told = outputs(tmp_path / "outputs")
    assert (told["exit-code"], told["verdict"]) == ("1", "findings")
    assert sorted(file.name for file in Path(told["folder"]).iterdir()) == [
        "badge.json", "review.html", "review.json", "review.md", "review.sarif", "review.xml",
    ]  # fmt: skip
    summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert summary.startswith(MARKER)
    assert "lets `put` lose updates" in summary
    assert Path(told["sarif"]).is_file()


def test_the_action_says_what_is_unusable(tmp_path):
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    done = run("review.sh", tmp_path, tmp_path, PLAIT_BASE="no-such-branch")
    assert done.returncode == 0
    assert outputs(tmp_path / "outputs")["exit-code"] == "2"
    assert outputs(tmp_path / "outputs")["verdict"] == ""
    assert not (tmp_path / "summary.md").exists()


@pytest.mark.parametrize(("earlier", "method"), [("", "POST"), ("7\n9\n", "PATCH")])
def test_one_comment_is_written_and_then_renewed(tmp_path, earlier, method):
    log = tmp_path / "log"
    tool = tmp_path / "gh"
    tool.write_text(f'#!/bin/sh\necho "$@" >>{shlex.quote(str(log))}\ncase "$*" in *--jq*) printf {earlier!r};; esac\n')
    tool.chmod(0o755)
    done = run(
        "comment.sh", tmp_path, tmp_path, PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}", PLAIT_PULL_REQUEST="12",
        GITHUB_REPOSITORY="o/r", PLAIT_COMMENT="review.md",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    asked, written = log.read_text().splitlines()
    assert MARKER in asked
    assert f"--method {method}" in written
    assert ("comments/7" in written) == (method == "PATCH")
    assert "body=@review.md" in written


def hooks():
    """Return the hooks by their names, each with its plain keys."""
    found = {}
    for part in (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8").split("- id: ")[1:]:
        name, *lines = part.splitlines()
        found[name] = dict(line.strip().split(": ", 1) for line in lines)
    return found


def test_the_commands_of_the_hooks_exist(tmp_path):
    assert {name: hook["language"] for name, hook in hooks().items()} == {
        "plait-review": "system", "plait-review-isolated": "python",
    }  # fmt: skip
    for hook in hooks().values():
        program, name, *words = shlex.split(hook["entry"])
        assert program == "plait"
        assert main.read_arguments(name, words, tmp_path).budget == 120.0
        assert (hook["pass_filenames"], hook["stages"]) == ("false", "[pre-push, manual]")


@pytest.mark.slow
def test_a_hook_stops_a_push_that_brings_a_race_and_lets_others_through(tmp_path):
    """As pre-commit runs it: the words of the entry, then `args` of the project, at the top, before git pushes."""
    project, origin, programs = tmp_path / "project", tmp_path / "origin.git", tmp_path / "bin"
    project.mkdir()
    made = make_shop(project)

    def git(*words):
        environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "PRE_COMMIT": "1"}
        return subprocess.run(
            ["git", *words], cwd=project, env=environment, capture_output=True, text=True, check=False, timeout=900
        )

    programs.mkdir()
    plait = programs / "plait"
    plait.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m plait "$@"\n')
    plait.chmod(0o755)
    subprocess.run(["git", "init", "-q", "--bare", str(origin)], check=True)
    git("remote", "add", "origin", str(origin))
    git("checkout", "-q", "-B", "main", f"{made['race']}~1")
    assert git("push", "-q", "origin", "main").returncode == 0
    hook = project / ".git" / "hooks" / "pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nexec {hooks()['plait-review']['entry']} --budget 10m --max-tests 20 --seed 1\n")
    hook.chmod(0o755)

    git("checkout", "-q", "-b", "harmless")
    (project / "notes.txt").write_text("nothing about threads\n")
    git("add", "notes.txt")
    git("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "Notes")
    done = git("push", "origin", "harmless")
    assert done.returncode == 0, done.stdout + done.stderr

    git("checkout", "-q", "-B", "racy", made["race"])
    done = git("push", "origin", "racy")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "lets `put` lose updates" in done.stdout
    assert "racy" not in git("ls-remote", "--heads", "origin").stdout
    assert "harmless" in git("ls-remote", "--heads", "origin").stdout


def test_the_action_runs_scripts_that_exist_and_passes_what_they_read():
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    scripts = re.findall(r"GITHUB_ACTION_PATH/(action/\w+\.sh)", text)
    assert scripts == ["action/review.sh", "action/comment.sh"]
    for script in scripts:
        content = (ROOT / script).read_text(encoding="utf-8")
        assert set(re.findall(r"\b(PLAIT_[A-Z_]+)", content)) <= set(re.findall(r"\b(PLAIT_[A-Z_]+):", text))
    assert {name for name in re.findall(r"^  ([a-z-]+):$", text.partition("outputs:")[0], re.MULTILINE)} == set(
        re.findall(r"inputs\.([a-z-]+)", text)
    )


def test_what_the_action_installs_exists(tmp_path):
    """On a runner without plait: it is installed from the action's own revision, with extras that there are."""
    log, python = tmp_path / "log", tmp_path / "python"
    python.write_text(
        f"""#!/bin/sh
case "$*" in
  "-c import plait") test -e {shlex.quote(str(log))} ;;
  *"pip install"*) echo "$@" >>{shlex.quote(str(log))} ;;
  *) exec {shlex.quote(sys.executable)} "$@" ;;
esac
"""
    )
    python.chmod(0o755)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    done = run("review.sh", tmp_path, tmp_path, PLAIT_PYTHON=str(python), PLAIT_SOURCE=str(ROOT), PLAIT_BASE="none")
    assert done.returncode == 0, done.stderr
    assert outputs(tmp_path / "outputs")["exit-code"] == "2"  # the review itself was begun
    (words,) = log.read_text(encoding="utf-8").splitlines()
    source, extras = re.fullmatch(r"(.*)\[(.*)\]", shlex.split(words)[-1]).groups()
    project = tomllib.loads((Path(source) / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(extras.split(",")) <= project["optional-dependencies"].keys()
    assert {"Homepage", "Documentation", "Issues"} <= project["urls"].keys()


@pytest.mark.parametrize(("verdict", "known", "total", "message"), [
    ("clean", 0, 0, "no findings"), ("findings", 0, 1, "1 finding"), ("findings", 1, 3, "2 findings"),
    ("findings", 3, 3, "3 known"), ("inconclusive", 0, 0, "no conclusion"), ("improvement", 0, 1, "faster"),
])  # fmt: skip
def test_the_badge(verdict, known, total, message):
    findings = [{"baseline": {"status": "known"}} if number < known else {} for number in range(total)]
    made = json.loads(badge({"verdict": verdict, "findings": findings}))
    assert (made["schemaVersion"], made["label"], made["message"]) == (1, "plait", message)
    assert (made["color"] == "red") == (total > known and verdict != "improvement")
