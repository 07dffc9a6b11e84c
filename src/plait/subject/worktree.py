"""The files of a git revision, without touching the user's checkout.

Files are written through a private index into a folder outside the repository: no worktree is registered, no branch,
index or configuration is changed, and a killed process leaves nothing in the repository.
"""

from __future__ import annotations

import difflib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from plait.errors import UsageError

if TYPE_CHECKING:
    import subprocess

# Variables that git sets for its hooks and that would redirect our commands to the user's index.
_REDIRECTING = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_INTERNAL_SUPER_PREFIX", "GIT_SHALLOW_FILE",
)  # fmt: skip

# A shared index would be written into the repository, a file-system monitor started as a daemon; large-file filters
# need a network and never concern source files.
_QUIET = (
    "-c", "core.splitIndex=false", "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false",
    "-c", "filter.lfs.smudge=", "-c", "filter.lfs.process=", "-c", "filter.lfs.required=false",
    "-c", "advice.detachedHead=false",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Repository:
    """A git repository, and the project's place in it."""

    git_dir: Path
    top: Path
    prefix: str

    @classmethod
    def find(cls, project: Path) -> Repository | None:
        """The repository that ``project`` lies in, or None."""
        if not any((folder / ".git").exists() for folder in (project.absolute(), *project.absolute().parents)):
            return None
        answer = git(project, "rev-parse", "--path-format=absolute", "--git-dir", "--show-toplevel", "--show-prefix")
        if answer.returncode != 0:
            if "dubious ownership" in answer.stderr:
                raise UsageError(f"git refuses {project}: {last_line(answer.stderr)}")
            return None
        git_dir, top, prefix = (answer.stdout + "\n").split("\n")[:3]
        return cls(Path(git_dir), Path(top), prefix.rstrip("/"))

    def commit(self, revision: str) -> str | None:
        """The full name of the commit that ``revision`` means, or None."""
        if revision.startswith("-") or "\0" in revision or not revision:
            return None
        answer = git(self.top, "rev-parse", "--verify", "--quiet", revision + "^{commit}")
        return answer.stdout.strip() if answer.returncode == 0 else None

    def extract(self, commit: str, folder: Path) -> None:
        """Write all files of a commit into ``folder``, which must exist and be empty."""
        index = folder.parent / "index"
        place = (f"--git-dir={self.git_dir}", f"--work-tree={folder}")
        for command in (("read-tree", commit), ("checkout-index", "--all", "--force", "--quiet")):
            answer = git(folder, *place, *_QUIET, *command, index=index)
            if answer.returncode != 0:
                raise UsageError(f"git cannot check out {commit[:10]}: {last_line(answer.stderr)}")

    def explain_unknown(self, revision: str) -> str:
        """One line for a revision that does not exist: what is wrong, and what was probably meant."""
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


def git(cwd: Path, *arguments: str, index: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run git, undisturbed by the hook or the terminal that plait may run in; the caller looks at the exit code."""
    import subprocess  # noqa: PLC0415 - folders need no git

    environment = {name: value for name, value in os.environ.items() if name not in _REDIRECTING}
    environment |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    if index is not None:
        environment["GIT_INDEX_FILE"] = str(index)
    try:
        return subprocess.run(
            ["git", *arguments], cwd=cwd, env=environment, capture_output=True, text=True, errors="surrogateescape",
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
    except FileNotFoundError:
        raise UsageError("git is not installed; name folders or releases instead of revisions") from None


def last_line(text: str) -> str:
    """What git says at last, which is its reason."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "no reason given")
