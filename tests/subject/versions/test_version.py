"""Versions: every spelling, and that nothing is left behind."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from plait.errors import UsageError
from plait.subject.name import Subject
from plait.subject.versions.scratch import PREFIX, scratch
from plait.subject.versions.version import import_root, resolve

SUBJECT = Subject("account", "Account")


def git(folder, *arguments, check=True):
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false", *arguments]
    return subprocess.run(command, cwd=folder, check=check, capture_output=True, text=True).stdout


def commit(folder, text, tag=None, files=()):
    (folder / "account.py").write_text(text)
    for name, content in dict(files).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", text)
    if tag:
        git(folder, "tag", tag)


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path, monkeypatch):
    """Temporary files of a test are where it can count them."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "a repository with spaces"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "V = 1\n", "v1.0", {"src/pkg/__init__.py": "W = 1\n", "sub/inner.py": "I = 1\n"})
    commit(folder, "V = 2\n", "v1.1", {"src/pkg/__init__.py": "W = 2\n", "sub/inner.py": "I = 2\n"})
    (folder / "account.py").write_text("V = 3\n")
    (folder / "staged.py").write_text("S = 1\n")
    git(folder, "add", "staged.py")
    (folder / "untracked.py").write_text("U = 1\n")
    return folder


def state(folder):
    """Everything of a repository that a careless checkout would touch."""
    files = sorted(path for path in (folder / ".git").rglob("*") if path.is_file())
    git_files = {str(path.relative_to(folder)): path.read_bytes() for path in files}
    questions = (("worktree", "list"), ("status", "--porcelain"), ("branch", "-a"), ("stash", "list"), ("config", "-l"))
    return [git(folder, *question) for question in questions], git_files, sorted(Path(tempfile.gettempdir()).iterdir())


def read(text, project, tmp_path, subject=SUBJECT):
    with resolve(text, project=project, cache=tmp_path / "cache", subject=subject) as version:
        return (version.root / f"{subject.module}.py").read_text()


@pytest.mark.parametrize(
    ("text", "expected"),
    [("worktree", "V = 3\n"), ("HEAD", "V = 2\n"), ("HEAD~1", "V = 1\n"), ("main", "V = 2\n"), ("v1.0", "V = 1\n")],
)
def test_revisions_leave_the_repository_alone(repository, tmp_path, text, expected):
    git(repository, "status")  # git refreshes its index now, not during the test
    before = state(repository)
    assert read(text, repository, tmp_path) == expected
    assert state(repository) == before


def test_a_revision_can_be_named_by_its_hash(repository, tmp_path):
    name = git(repository, "rev-parse", "v1.0").strip()
    with resolve(name[:8], project=repository, cache=tmp_path) as version:
        assert version.label == name[:10]
        assert version.kind == "revision"
        assert sorted(path.name for path in version.root.iterdir()) == ["account.py", "src", "sub"]
        root = version.root
    assert not root.exists()


def test_two_revisions_at_once(repository, tmp_path):
    arguments = {"project": repository, "cache": tmp_path, "subject": SUBJECT}
    with resolve("HEAD~1", **arguments) as old, resolve("HEAD", **arguments) as new:
        assert (old.root / "account.py").read_text() == "V = 1\n"
        assert (new.root / "account.py").read_text() == "V = 2\n"


def test_nothing_is_left_when_the_user_of_a_version_fails(repository, tmp_path):
    git(repository, "status")
    before = state(repository)
    with pytest.raises(RuntimeError), resolve("HEAD", project=repository, cache=tmp_path):
        raise RuntimeError
    assert state(repository) == before


def test_a_killed_process_leaves_nothing_for_long(repository, tmp_path, own_temporary_folder):
    program = (
        "import sys, time; from pathlib import Path; from plait.subject.versions.version import resolve\n"
        "with resolve('HEAD', project=Path(sys.argv[1]), cache=Path(sys.argv[2])):\n"
        "    print('ready', flush=True); time.sleep(60)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(repository), str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout.readline() == "ready\n"
        left = list(own_temporary_folder.glob(PREFIX + "*"))
        assert len(left) == 1
        _age(left[0])
        read("HEAD", repository, tmp_path)
        assert left[0].exists()  # it is in use
        process.send_signal(signal.SIGKILL)
    git(repository, "status")
    before = state(repository)[:2]
    assert left[0].exists()
    read("HEAD", repository, tmp_path)
    assert list(own_temporary_folder.iterdir()) == []
    assert state(repository)[:2] == before


def _age(folder):
    for path in (folder, folder / ".owner"):
        os.utime(path, (time.time() - 60, time.time() - 60))


def test_a_folder_that_is_just_being_made_is_not_swept(own_temporary_folder):
    young = own_temporary_folder / (PREFIX + "young")
    young.mkdir()
    with scratch():
        assert young.exists()


def test_a_shallow_clone(repository, tmp_path):
    clone = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth", "1", repository.as_uri(), str(clone))
    assert read("HEAD", clone, tmp_path) == "V = 2\n"
    with pytest.raises(UsageError, match="not in this shallow clone; fetch more of it with `git fetch --unshallow`"):
        read("HEAD~1", clone, tmp_path)


def test_a_linked_worktree_and_a_detached_head(repository, tmp_path):
    linked = tmp_path / "linked"
    git(repository, "worktree", "add", "-q", "--detach", str(linked), "v1.0")
    assert read("HEAD", linked, tmp_path) == "V = 1\n"
    assert read("main", linked, tmp_path) == "V = 2\n"


def test_from_a_sub_folder(repository, tmp_path):
    inner = Subject("inner", "X")
    assert read("HEAD~1", repository / "sub", tmp_path, inner) == "I = 1\n"
    # What is not below the sub-folder is found above it.
    assert read("HEAD~1", repository / "sub", tmp_path) == "V = 1\n"
    (repository / "fresh").mkdir()
    with pytest.raises(UsageError, match="revision 'HEAD' has no folder 'fresh'"):
        read("HEAD", repository / "fresh", tmp_path)


def test_inside_a_git_hook(repository, tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.setenv("GIT_INDEX_FILE", str(repository / ".git" / "index"))
    index = (repository / ".git" / "index").read_bytes()
    assert read("v1.0", repository, tmp_path) == "V = 1\n"
    assert (repository / ".git" / "index").read_bytes() == index


def test_files_are_those_of_a_checkout_not_of_an_archive(repository, tmp_path):
    attributes = {".gitattributes": "account.py export-subst\nsub export-ignore\n"}
    commit(repository, "V = '$Format:%H$'\n", "marked", attributes)
    with resolve("marked", project=repository, cache=tmp_path) as version:
        assert (version.root / "account.py").read_text() == "V = '$Format:%H$'\n"
        assert (version.root / "sub" / "inner.py").exists()


def test_import_roots(repository, tmp_path):
    with resolve("v1.0", project=repository, cache=tmp_path, subject=Subject("pkg", "X")) as version:
        assert version.root.name == "src"
        assert version.tree == version.root.parent
    (repository / "pyproject.toml").write_text("[tool.setuptools.packages.find]\nwhere = ['code/here']\n")
    (repository / "code" / "here" / "deep").mkdir(parents=True)
    (repository / "code" / "here" / "deep" / "mod.py").write_text("")
    with resolve("worktree", project=repository, cache=tmp_path, subject=Subject("deep.mod", "X")) as version:
        assert version.root == repository / "code" / "here"


def test_folders_that_nobody_may_look_into_are_passed_over(tmp_path, monkeypatch):
    for name in ("closed", "src2"):
        (tmp_path / name).mkdir()
    (tmp_path / "src2" / "mine.py").write_text("")
    exists = Path.exists

    def refuse(path, **options):
        if "closed" in path.parts:
            raise PermissionError(13, "no")
        return exists(path, **options)

    monkeypatch.setattr(Path, "exists", refuse)
    assert import_root(tmp_path, tmp_path, "mine") == tmp_path / "src2"


def test_an_import_root_that_nobody_declared(tmp_path):
    (tmp_path / "backend" / "app").mkdir(parents=True)
    (tmp_path / "backend" / "app" / "__init__.py").write_text("")
    (tmp_path / "backend" / "app" / "inner.py").write_text("")
    with resolve("worktree", project=tmp_path, cache=tmp_path, subject=Subject("app.inner", "X")) as version:
        assert version.root == tmp_path / "backend"
    # The inside of a package is no import root.
    with (
        pytest.raises(UsageError, match="has no module 'inner'"),
        resolve(f"dir:{tmp_path}", project=tmp_path, cache=tmp_path, subject=Subject("inner", "X")),
    ):
        pass
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "app").mkdir()
    (tmp_path / "other" / "app" / "inner.py").write_text("")
    with (
        pytest.raises(UsageError, match="'app.inner' exists in backend and other; say which with --path"),
        resolve("worktree", project=tmp_path, cache=tmp_path, subject=Subject("app.inner", "X")),
    ):
        pass


def test_a_file_is_found_at_the_same_place_in_every_version(repository, tmp_path):
    (repository / "sub" / "account.py").write_text("another\n")
    subject = Subject.parse("sub/inner.py:X", path=repository)
    for text in ("worktree", "HEAD", "v1.0"):
        with resolve(text, project=repository, cache=tmp_path, subject=subject) as version:
            assert version.root.name == "sub"
    other = Subject.parse("sub/account.py:X", path=repository)
    with resolve("worktree", project=repository, cache=tmp_path, subject=other) as version:
        assert version.root == repository / "sub"


def test_folders(repository, tmp_path, monkeypatch):
    old = tmp_path / "old copy"
    old.mkdir()
    (old / "account.py").write_text("V = 0\n")
    monkeypatch.chdir(tmp_path)
    for text in (str(old), f"dir:{old}", "old copy", "dir:old copy", "./old copy"):
        assert read(text, repository, tmp_path) == "V = 0\n"
    assert read("../old copy", repository, tmp_path) == "V = 0\n"  # relative to the project
    assert old.exists()


def test_modules_of_the_environment_belong_to_the_worktree_only(repository, tmp_path):
    queue = Subject("queue", "Queue")
    with resolve("worktree", project=repository, cache=tmp_path, subject=queue) as version:
        assert version.root == repository
    with pytest.raises(UsageError, match="version HEAD .* has no module 'queue'"):
        read("HEAD", repository, tmp_path, queue)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("v1.2", r"unknown revision 'v1.2'; did you mean 'v1.[01]'\?"),
        ("mian", r"unknown revision 'mian'; did you mean 'main'\?"),
        ("nothing-like-it", "unknown revision 'nothing-like-it'; `git branch --all` and `git tag` list"),
        ("HEAD~7", "'HEAD~7' goes back beyond the first commit of 'HEAD'"),
        ("--upload-pack=x", "unknown revision '--upload-pack=x'"),
        ("dir:nowhere", "'dir:nowhere': there is no such folder"),
        ("dir:", "'dir:': there is no such folder"),
        ("dir:account.py", "'dir:account.py' is a file; name the folder"),
        ("", "an empty version"),
        ("sub", "'sub' is a git revision and a folder; write [0-9a-f]{10} or dir:sub"),
        ("pypi:cachetools", "of the form pypi:NAME==NUMBER"),
        ("pypi:cachetools>=1", "of the form pypi:NAME==NUMBER"),
        ("pypi:--index==1", "of the form pypi:NAME==NUMBER"),
    ],
)
def test_unusable_versions_are_told_in_one_line(repository, tmp_path, text, message):
    git(repository, "branch", "sub")
    with pytest.raises(UsageError, match=message) as error:
        read(text, repository, tmp_path)
    assert "\n" not in str(error.value)


def test_remote_branches_are_suggested(repository, tmp_path):
    git(repository, "branch", "feature")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(repository), str(clone))
    with pytest.raises(UsageError, match="did you mean 'origin/feature'"):
        read("feature", clone, tmp_path)
    assert read("origin/feature", clone, tmp_path) == "V = 2\n"


def test_outside_of_git_and_before_the_first_commit(tmp_path):
    (tmp_path / "account.py").write_text("V = 1\n")
    with pytest.raises(UsageError, match="'HEAD' is no folder, and no git revision either"):
        read("HEAD", tmp_path, tmp_path)
    git(tmp_path, "init", "-q")
    with pytest.raises(UsageError, match="no commits yet"):
        read("HEAD", tmp_path, tmp_path)
    assert read("worktree", tmp_path, tmp_path) == "V = 1\n"


def test_a_label_means_the_commit_that_it_names(repository, tmp_path):
    name = git(repository, "rev-parse", "v1.0").strip()
    with resolve(f"HEAD ({name[:10]})", project=repository, cache=tmp_path) as version:
        assert version.label == f"HEAD ({name[:10]})"
        assert version.kind == "revision"
        assert (version.tree / "shop").is_dir() == bool(git(repository, "ls-tree", "v1.0", "shop"))
