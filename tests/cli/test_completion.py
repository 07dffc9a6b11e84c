"""The scripts that complete plait's words; bash runs its one here."""

import re
import shutil
import subprocess

import pytest

from plait.cli import main
from plait.commands import completion


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
@pytest.mark.parametrize(
    ("words", "wanted"),
    [
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
    ],
)
def test_bash_completes(words, wanted, folder):
    assert completed(words, folder) == wanted


def test_bash_knows_every_command_and_option(folder):
    assert completed(["plait", ""], folder) >= set(main.available())
    for name in main.available():
        wanted = {"--help", *(f"--{key}" for key in main.COMMANDS[name].options)}
        assert completed(["plait", name, "--"], folder) == wanted


UNIQUE = [
    ("plait che", "plait check"), ("plait rev", "plait review"), ("plait check sto", "plait check stock.py"),
    ("plait check --mod", "plait check --model"), ("plait replay --st", "plait replay --step"),
    ("plait check a:B --model fr", "plait check a:B --model free-threaded"),
    ("plait diff a:B --old ma", "plait diff a:B --old main"), ("plait diff a:B --old v", "plait diff a:B --old v1.2"),
    ("plait diff a:B --new wo", "plait diff a:B --new worktree"),
    ("plait check a:B --path oth", "plait check a:B --path other/"),
    ("plait check a:B --json sto", "plait check a:B --json stock.py"), ("plait completion z", "plait completion zsh"),
]  # fmt: skip
"""What is typed, and what it becomes where there is only one way to go on."""

ZSH = """
zmodload zsh/zpty
zpty typist zsh -f -i
zpty -w typist 'PS1= PS2= RPS1=; unsetopt zle_bracketed_paste 2>/dev/null; autoload -Uz compinit; compinit -u -D'
zpty -w typist 'source ./script; finish() { zle complete-word; print -r -- "<<$BUFFER>>"; zle kill-buffer }'
zpty -w typist 'zle -N finish; bindkey "^G" finish; print rea''dy'
zpty -r typist answer $'*ready*'
while read -r line; do
  zpty -w -n typist "$line"$'\\a'
  zpty -r typist answer $'*>>*'
  print -r -- "$answer"
done
zpty -d typist
"""


def in_zsh(lines, folder):
    """What zsh makes of each line when it is asked to complete it, at a terminal of its own."""
    (folder / "script").write_text(completion.zsh(), encoding="utf-8")
    done = subprocess.run(
        ["zsh", "-f", "-c", ZSH], input="\n".join(lines) + "\n", cwd=folder, capture_output=True, text=True,
        timeout=100, check=True,
    )  # fmt: skip
    return [each.rstrip() for each in re.findall(r"<<(plait.*?)>>", done.stdout)]


def in_fish(lines, folder):
    """What fish offers for each line, where that is one word."""
    asked = "; ".join(f"complete -C '{line}'; echo ---" for line in lines)
    program = f"{completion.fish()}\n{asked}"
    done = subprocess.run(
        ["fish", "--no-config", "-c", program], cwd=folder, capture_output=True, text=True, timeout=100, check=True
    )
    assert done.stderr == ""
    offered = [part.split("\n") for part in done.stdout.split("---\n")]
    return [
        f"{line.rpartition(' ')[0]} {' '.join(each.partition(chr(9))[0] for each in words if each)}"
        for line, words in zip(lines, offered, strict=False)
    ]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_complete(shell, folder):
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    typed, wanted = zip(*UNIQUE, strict=True)
    assert {"zsh": in_zsh, "fish": in_fish}[shell](typed, folder) == list(wanted)


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_know_every_command_and_option(shell, tmp_path):
    script = getattr(completion, shell)()
    for name in main.available():
        assert f"'{name}:" in script or f"-a {name} " in script
        for key in main.COMMANDS[name].options:
            assert f"--{key}[" in script or f"-l {key} " in script
    assert script.count("'") % 2 == 0
    program = shutil.which(shell)
    if program is not None:
        (tmp_path / "script").write_text(script)
        subprocess.run([program, "-n", tmp_path / "script"], check=True, timeout=60)


def test_the_command_prints_the_script(capsys):
    assert main.main(["completion", "bash"]) == 0
    assert capsys.readouterr().out == completion.bash()
