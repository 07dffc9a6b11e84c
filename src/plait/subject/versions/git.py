"""The files of a git revision, without touching the user's checkout.

Files are written through a private index into a folder outside the repository: no worktree is registered, no branch,
index or configuration is changed, and a killed process leaves nothing in the repository.
"""

from __future__ import annotations

import difflib
import functools
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from plait.errors import UsageError

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Mapping


# Variables that git sets for its hooks and that would redirect our commands to the user's index.
_REDIRECTING = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_INTERNAL_SUPER_PREFIX", "GIT_SHALLOW_FILE",
)  # fmt: skip

# A shared index would be written into the repository, a file-system monitor started as a daemon; large-file filters
# need a network and never concern source files. Hooks are programs of the repository.
_QUIET = {
    "core.splitindex": "false", "core.fsmonitor": "false", "core.untrackedcache": "false",
    "filter.lfs.smudge": "", "filter.lfs.process": "", "filter.lfs.required": "false",
    "advice.detachedhead": "false", "core.hookspath": os.devnull, "log.showsignature": "false",
}  # fmt: skip
_PROGRAMS = {
    r"filter\..*\.(clean|smudge|process)": "", r"filter\..*\.required": "false",
    r"diff\.(external|.*\.(command|textconv))": "",
    r"core\.(askpass|alternaterefscommand|gitproxy)": "", r"core\.(pager|editor)": "cat", r"core\.sshcommand": "ssh",
    r"gpg\.(.*\.)?program": "false", r"credential\.(.*\.)?helper": "", r"http\.(.*\.)?savecookies": "false",
    r"remote\..*\.uploadpack": "git-upload-pack",
}  # fmt: skip
"""Settings that name a program, or have git write a file, and what stands in their place where a repository has them.

A repository may come from an untrusted source together with its ``.git``, so its settings are data. Those of the user
are trusted.
"""
PATIENCE_S = 120.0
"""For one command. A repository's settings may name a pipe that nobody writes to, and git would wait for ever."""
_OF_THE_REPOSITORY = frozenset({"local", "worktree"})
_TRANSPORTS = "https:http:ssh:file"  # for what a partial clone lacks; no others, which may be programs


@dataclass(frozen=True, slots=True)
class Repository:
    """A git repository, and the project's place in it."""

    git_dir: Path
    top: Path
    prefix: str

    @classmethod
    def find(cls, project: Path) -> Repository | None:
        """Return the repository that ``project`` lies in, or None."""
        if not any((folder / ".git").exists() for folder in (project.absolute(), *project.absolute().parents)):
            return None
        answer = git(project, "rev-parse", "--path-format=absolute", "--git-dir", "--show-toplevel", "--show-prefix")
        if answer.returncode != 0:
            if "dubious ownership" in answer.stderr:
                raise UsageError(f"git refuses {project}: {_last_line(answer.stderr)}")
            return None
        git_dir, top, prefix = (answer.stdout + "\n").split("\n")[:3]
        return cls(Path(git_dir), Path(top), prefix.rstrip("/"))

    def commit(self, revision: str) -> str | None:
        """Return the full name of the commit that ``revision`` means, or None."""
        if revision.startswith("-") or "\0" in revision or not revision:
            return None
        answer = git(self.top, "rev-parse", "--verify", "--quiet", revision + "^{commit}")
        return answer.stdout.strip() if answer.returncode == 0 else None

    def extract(self, commit: str, folder: Path) -> None:
        """Write all files of a commit into ``folder``, which must exist and be empty."""
        index = folder.parent / "index"
        place = (f"--git-dir={self.git_dir}", f"--work-tree={folder}")
        for command in (("read-tree", commit), ("checkout-index", "--all", "--force", "--quiet")):
            answer = git(folder, *command, place=place, index=index)
            if answer.returncode != 0:
                raise UsageError(f"git cannot check out {commit[:10]}: {_last_line(answer.stderr)}")

    def explain_unknown(self, revision: str) -> str:
        """Return one line for a revision that does not exist: what is wrong, and what was probably meant."""
        if self.commit("HEAD") is None:
            return f"{revision!r}: the repository has no commits yet; commit once, or name a folder"
        is_shallow = git(self.top, "rev-parse", "--is-shallow-repository").stdout.strip() == "true"
        shallow = f"{revision!r} is not in this shallow clone; fetch more of it with `git fetch --unshallow`"
        start = re.split(r"[~^]", revision)[0]
        if start != revision and self.commit(start):
            return shallow if is_shallow else f"{revision!r} goes back beyond the first commit of {start!r}"
        names = self._names()
        close = difflib.get_close_matches(revision, names, n=1)
        if close:
            return f"unknown revision {revision!r}; did you mean {names[close[0]]!r}?"
        if is_shallow:
            return shallow
        return f"unknown revision {revision!r}; `git branch --all` and `git tag` list what exists"

    def _names(self) -> dict[str, str]:
        """Branches and tags, those of remotes also without the remote's name, by what a user may have typed."""
        answer = git(self.top, "for-each-ref", "--format=%(refname:short)\t%(refname)")
        names: dict[str, str] = {}
        for short, _, full in (line.partition("\t") for line in answer.stdout.splitlines()):
            if full.startswith("refs/remotes/") and "/" in short:
                names.setdefault(short.partition("/")[2], short)
            names[short] = short
        return names


def git(
    cwd: Path, *arguments: str, place: tuple[str, ...] = (), index: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run git, independent of the hook or the terminal in which plait may run; the caller checks the exit code.

    Nothing that the repository names is run: no hook, filter, monitor or helper of its own. ``place`` says which
    repository it is, if not that of ``cwd``.
    """
    return _run(cwd, [*place, *arguments], index, _settings(cwd, place))


@functools.cache
def _settings(cwd: Path, place: tuple[str, ...]) -> Mapping[str, str]:
    """Return the settings that override those of a repository."""
    listed = _run(cwd, [*place, "config", "--list", "--show-scope", "--name-only", "-z"], None, {}).stdout.split("\0")
    found = dict(_QUIET)
    for scope, name in zip(listed[::2], listed[1::2], strict=False):
        instead = [value for pattern, value in _PROGRAMS.items() if re.fullmatch(pattern, name, re.DOTALL)]
        if scope in _OF_THE_REPOSITORY and instead:
            found[name] = instead[0]
    return found


def _run(
    cwd: Path, arguments: list[str], index: Path | None, settings: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    import subprocess  # noqa: PLC0415 - folders need no git

    environment = {name: value for name, value in os.environ.items() if name not in _REDIRECTING}
    environment |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    environment.setdefault("GIT_ALLOW_PROTOCOL", _TRANSPORTS)
    if index is not None:
        environment["GIT_INDEX_FILE"] = str(index)
    # Settings in the environment win over those of all files; their names may hold what `-c` cannot take.
    count = environment.get("GIT_CONFIG_COUNT", "")
    first = int(count) if count.isdecimal() else 0
    for number, (name, value) in enumerate(settings.items(), first):
        environment |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    environment["GIT_CONFIG_COUNT"] = str(first + len(settings))
    try:
        return subprocess.run(
            ["git", *arguments], cwd=cwd, env=environment, capture_output=True, text=True, errors="surrogateescape",
            stdin=subprocess.DEVNULL, check=False, timeout=PATIENCE_S,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        said = f"git does not come to an end within {PATIENCE_S:.0f} s: git {' '.join(arguments)[:80]}"
        raise UsageError(f"{said}; is a file of the repository, or one that its settings name, a pipe?") from None
    except FileNotFoundError:
        raise UsageError("git is not installed; name folders or releases instead of revisions") from None


def _last_line(text: str) -> str:
    """Return the last line of git's output, which is the reason of a failure."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "no reason given")


# -- history -----------------------------------------------------------------------------------------------------------
# The history of a repository: where a branch began, what changed since, and the commits in between.


_MAIN = ("main", "master", "trunk", "develop")


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit, as people know it."""

    name: str
    subject: str
    author: str
    date: str

    def __str__(self) -> str:
        return f"{self.name[:10]} {self.subject}"


@dataclass(frozen=True, slots=True)
class History:
    """Questions about the commits of one repository."""

    repository: Repository

    @classmethod
    def of(cls, project: Path) -> History:
        """Return the history of the repository that ``project`` lies in; UsageError when there is none."""
        repository = Repository.find(project) if project.is_dir() else None
        if repository is None:
            raise UsageError(f"{project} is not in a git repository: there is no history to compare with")
        return cls(repository)

    def commit(self, revision: str) -> str:
        """Return the full name of a commit; UsageError when it does not exist."""
        found = self.repository.commit(revision)
        if found is None:
            raise UsageError(self.repository.explain_unknown(revision))
        return found

    def base(self, revision: str | None, tip: str = "HEAD") -> tuple[str, str]:
        """Return the commit at which the work since ``revision`` began, and the revision's name.

        This is the best common ancestor of both, as in pull requests: later commits of the other branch are no changes
        of this one. Without a revision, the main branch is used, preferably that of the remote.
        """
        head = self.commit(tip)
        name = revision if revision is not None else self._main() or "HEAD"
        other = self.commit(name)
        found = self._asked("merge-base", other, head)
        if found is None:
            raise UsageError(f"{name!r} and {tip!r} have no common ancestor here; try `git fetch --unshallow`")
        return found, name

    def _main(self) -> str | None:
        default = self._asked("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
        names = [default] if default else []
        names += [name for each in _MAIN for name in (f"origin/{each}", each)]
        return next((name for name in names if self.repository.commit(name)), None)

    def changed_files(self, base: str, tip: str | None = None) -> list[str]:
        """Files that differ from ``base``, seen from the top; without ``tip`` in the work tree, new ones included."""
        # A submodule is a repository with settings of its own: git does not look into it.
        words = ["diff", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"]
        words += ["-z", base, *([tip] if tip else []), "--"]
        answer = git(self.repository.top, *words)
        if answer.returncode != 0:
            raise UsageError(f"git cannot compare with {base[:10]}: {_last_line(answer.stderr)}")
        listed = answer.stdout
        if tip is None:
            listed += git(self.repository.top, "ls-files", "--others", "--exclude-standard", "-z").stdout
        return sorted({name for name in listed.split("\0") if name})

    def between(self, good: str, bad: str) -> list[str]:
        """Return the commits after ``good`` up to ``bad``, oldest first, along first parents."""
        if self._asked("merge-base", "--is-ancestor", good, bad) is None:
            raise UsageError(f"{good[:10]} is no ancestor of {bad[:10]}: give the older commit as --good")
        listed = self._asked("rev-list", "--first-parent", "--reverse", f"{good}..{bad}")
        found = (listed or "").split()
        if not found:
            raise UsageError(f"{good[:10]} and {bad[:10]} are the same commit")
        return found

    def describe(self, commit: str) -> Commit:
        """Return what the log says about a commit."""
        line = self._asked("log", "-1", "--format=%H%x00%s%x00%an%x00%aI", commit) or commit
        name, subject, author, date = [*line.split("\0"), "", "", ""][:4]
        return Commit(name, subject, author, date)

    def _asked(self, *words: str) -> str | None:
        answer = git(self.repository.top, *words)
        return answer.stdout.strip() if answer.returncode == 0 else None
