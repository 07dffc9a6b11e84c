"""The history of a repository: where a branch began, what changed since, and the commits in between."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from plait.errors import UsageError
from plait.subject.worktree import Repository, git, last_line

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
        """The history of the repository that ``project`` lies in; UsageError when there is none."""
        repository = Repository.find(project) if project.is_dir() else None
        if repository is None:
            raise UsageError(f"{project} is not in a git repository: there is no history to compare with")
        return cls(repository)

    def commit(self, revision: str) -> str:
        """The full name of a commit; UsageError when it does not exist."""
        found = self.repository.commit(revision)
        if found is None:
            raise UsageError(self.repository.explain_unknown(revision))
        return found

    def base(self, revision: str | None, tip: str = "HEAD") -> tuple[str, str]:
        """The commit that the work since ``revision`` began at, and the revision's name.

        The best common ancestor of both, as pull requests have it: what the other branch got in the meantime is no
        change of this one. Without a revision the main branch is taken, that of the remote before the local one.
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
        words = ["diff", "--name-only", "--no-renames", "-z", base, *([tip] if tip else []), "--"]
        answer = git(self.repository.top, *words)
        if answer.returncode != 0:
            raise UsageError(f"git cannot compare with {base[:10]}: {last_line(answer.stderr)}")
        listed = answer.stdout
        if tip is None:
            listed += git(self.repository.top, "ls-files", "--others", "--exclude-standard", "-z").stdout
        return sorted({name for name in listed.split("\0") if name})

    def between(self, good: str, bad: str) -> list[str]:
        """The commits after ``good`` up to ``bad``, the oldest first, along first parents: a merge is one step."""
        if self._asked("merge-base", "--is-ancestor", good, bad) is None:
            raise UsageError(f"{good[:10]} is no ancestor of {bad[:10]}: give the older commit as --good")
        listed = self._asked("rev-list", "--first-parent", "--reverse", f"{good}..{bad}")
        found = (listed or "").split()
        if not found:
            raise UsageError(f"{good[:10]} and {bad[:10]} are the same commit")
        return found

    def describe(self, commit: str) -> Commit:
        """What the log says about a commit."""
        line = self._asked("log", "-1", "--format=%H%x00%s%x00%an%x00%aI", commit) or commit
        name, subject, author, date = [*line.split("\0"), "", "", ""][:4]
        return Commit(name, subject, author, date)

    def _asked(self, *words: str) -> str | None:
        answer = git(self.repository.top, *words)
        return answer.stdout.strip() if answer.returncode == 0 else None
