"""The scripts that complete plait's words; bash runs its one here."""

import shutil
import subprocess

import pytest

from plait import cli, completion


def completed(words, folder, script=None):
    """What bash offers for the last of these words."""
    line = " ".join(f"'{word}'" for word in words)
    program = (
        f"{script or completion.bash()}\n"
        f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _plait; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", program], cwd=folder, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stderr == ""
    return set(done.stdout.split())


@pytest.fixture
def folder(tmp_path):
    for name in ("old", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "stock.py").write_text("")
    git = ["git", "-C", str(tmp_path), "-c", "user.name=A", "-c", "user.email=a@example.org"]
    for command in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "first"], ["tag", "v1.2"]):
        subprocess.run([*git, *command], check=True, capture_output=True)
    return tmp_path


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
@pytest.mark.parametrize(("words", "wanted"), [
    (["plait", "che"], {"check"}),
    (["plait", "re"], {"review", "replay"}),
    (["plait", "check", "st"], {"stock.py"}),
    (["plait", "check", "--mod"], {"--model"}),
    (["plait", "check", "a:B", "--model", ""], {"gil", "free-threaded", "both"}),
    (["plait", "diff", "a:B", "--old", "ma"], {"main"}),
    (["plait", "diff", "a:B", "--old", "v"], {"v1.2"}),
    (["plait", "diff", "a:B", "--new", "wo"], {"worktree"}),
    (["plait", "diff", "a:B", "--old", "o"], {"old", "other"}),
    (["plait", "check", "a:B", "--path", "o"], {"old", "other"}),
    (["plait", "check", "a:B", "--json", "st"], {"stock.py"}),
    (["plait", "replay", "--st"], {"--step"}),
    (["plait", "completion", "z"], {"zsh"}),
])
def test_bash_completes(words, wanted, folder):
    assert completed(words, folder) == wanted


def test_bash_knows_every_command_and_option(folder):
    assert completed(["plait", ""], folder) >= set(cli.available())
    for name in cli.available():
        wanted = {"--help", *(f"--{key}" for key in cli.COMMANDS[name].options)}
        assert completed(["plait", name, "--"], folder) == wanted


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_know_every_command_and_option(shell, tmp_path):
    script = getattr(completion, shell)()
    for name in cli.available():
        assert f"'{name}:" in script or f"-a {name} " in script
        for key in cli.COMMANDS[name].options:
            assert f"--{key}[" in script or f"-l {key} " in script
    assert script.count("'") % 2 == 0
    program = shutil.which(shell)
    if program is not None:
        (tmp_path / "script").write_text(script)
        subprocess.run([program, "-n", tmp_path / "script"], check=True, timeout=60)


def test_the_command_prints_the_script(capsys):
    assert cli.main(["completion", "bash"]) == 0
    assert capsys.readouterr().out == completion.bash()
