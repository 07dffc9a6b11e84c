"""`plait completion SHELL`: a script that lets bash, zsh or fish complete commands and options of plait.

    source <(plait completion bash)          in ~/.bashrc
    plait completion zsh > _plait            into a folder of $fpath
    plait completion fish | source           in config.fish

The script is generated from the tables of commands and options. It does not run plait when it is used.
"""

from __future__ import annotations

import argparse
import difflib

from plait.cli.main import COMMANDS, OPTIONS, Option, available
from plait.errors import UsageError

_REFS = "git for-each-ref --format='%(refname:short)' 2>/dev/null"
_FILES, _FOLDERS, _VERSIONS = ("FILE", "EXE"), ("DIR",), ("VERSION", "REV")


def run_completion(options: argparse.Namespace) -> int:
    """Print the script."""
    shells = {"bash": bash, "zsh": zsh, "fish": fish}
    if options.argument not in shells:
        near = difflib.get_close_matches(options.argument, shells, 1)
        advice = f"did you mean {near[0]}?" if near else f"choose from {', '.join(shells)}"
        raise UsageError(f"no script for {options.argument!r}; {advice}")
    print(shells[options.argument](), end="")
    return 0


def _used() -> dict[str, Option]:
    """Return the options that at least one available command has."""
    keys = dict.fromkeys(key for name in available() for key in COMMANDS[name].options)
    return {key: OPTIONS[key] for key in keys}


def _words(name: str) -> str:
    return " ".join((*(f"--{key}" for key in COMMANDS[name].options), "--help"))


def bash() -> str:
    """Return the script for bash, which does not need the package bash-completion."""
    cases = [
        f"    --{key}) COMPREPLY=($(compgen -W '{' '.join(option.choices)}' -- \"$word\")); return ;;"
        for key, option in _used().items() if option.choices is not None
    ]  # fmt: skip
    for metavars, answer in (
        (_FILES, "compgen -f"), (_FOLDERS, "compgen -d"), (_VERSIONS, f'compgen -d -W "worktree $({_REFS})"'),
    ):  # fmt: skip
        keys = "|".join(f"--{key}" for key, option in _used().items() if option.metavar in metavars)
        cases.append(f'    {keys}) COMPREPLY=($({answer} -- "$word")); return ;;')
    options = [f"    {name}) options='{_words(name)}' ;;" for name in available()]
    return "\n".join([
        "_plait() {",
        '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" options=',
        '  if [ "$COMP_CWORD" -eq 1 ]; then',
        f"    COMPREPLY=($(compgen -W '{' '.join(available())} --help --version' -- \"$word\")); return",
        "  fi",
        '  case "$before" in', *cases, "  esac",
        '  case "${COMP_WORDS[1]}" in', *options,
        "  esac",
        '  case "${COMP_WORDS[1]}:$word" in',
        '    *:-*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;',
        "    completion:*) COMPREPLY=($(compgen -W 'bash zsh fish' -- \"$word\")) ;;",
        '    *) COMPREPLY=($(compgen -f -- "$word")) ;;',
        "  esac",
        "}",
        "complete -o filenames -F _plait plait", "",
    ])  # fmt: skip


def zsh() -> str:
    """Return the script for zsh's own completion system."""
    described = "\n".join(f"    '{name}:{_plain(COMMANDS[name].help)}'" for name in available())
    branches = []
    for name in available():
        specs = [_zsh_option(key) for key in COMMANDS[name].options]
        argument = COMMANDS[name].argument
        if argument is not None:
            specs.append("'1:SHELL:(bash zsh fish)'" if name == "completion" else f"'1:{argument[0]}:_files'")
        branches.append(f"    {name}) _arguments {' '.join(specs)} ;;")
    return "\n".join([
        "#compdef plait",
        "_plait() {", "  local -a commands=(", described, "  )",
        "  if (( CURRENT == 2 )); then _describe command commands; return; fi",
        "  shift words; (( CURRENT-- ))",
        "  case $words[1] in", *branches, "  esac", "}",
        '_plait_versions() { compadd worktree ${(f)"$(' + _REFS + ')"}; _files -/ }',
        'if [ "$funcstack[1]" = _plait ]; then _plait "$@"; else compdef _plait plait; fi', "",
    ])  # fmt: skip


def _zsh_option(key: str) -> str:
    option = OPTIONS[key]
    said = f"--{key}[{_plain(option.help)}]"
    if option.metavar is None:
        return f"'{said}'"
    if option.choices is not None:
        action = f"({' '.join(option.choices)})"
    elif option.metavar in _VERSIONS:
        action = "_plait_versions"
    elif option.metavar in _FILES or option.metavar in _FOLDERS:
        action = "_files" if option.metavar in _FILES else "_files -/"
    else:
        action = " "
    return f"'{'*' if option.repeated else ''}{said}:{option.metavar}:{action}'"


def fish() -> str:
    """Return the script for fish."""
    lines = ["complete -c plait -f"]
    for name in available():
        said = _plain(COMMANDS[name].help)
        lines.append(f"complete -c plait -n __fish_use_subcommand -a {name} -d '{said}'")
        here = f"complete -c plait -n '__fish_seen_subcommand_from {name}'"
        if COMMANDS[name].argument is not None:
            lines.append(f"{here} -a 'bash zsh fish'" if name == "completion" else f"{here} -F")
        lines += [f"{here} -l {key}{_fish_option(OPTIONS[key])}" for key in COMMANDS[name].options]
    return "\n".join(lines) + "\n"


def _fish_option(option: Option) -> str:
    said = f" -d '{_plain(option.help)}'"
    if option.metavar is None:
        return said
    if option.choices is not None:
        return f"{said} -x -a '{' '.join(option.choices)}'"
    if option.metavar in _VERSIONS:
        return f'{said} -x -a "worktree ({_REFS})"'
    return said + (" -r -F" if option.metavar in _FILES or option.metavar in _FOLDERS else " -x")


def _plain(text: str) -> str:
    """Return the text without characters that have a meaning in the shells' descriptions."""
    return text.replace("'", "").replace("[", "(").replace("]", ")").replace(":", " -")
