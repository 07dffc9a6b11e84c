"""Releases: the cache, its behaviour without a network, and one-line failures."""

import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest

from plait.errors import UsageError
from plait.subject.name import Subject
from plait.subject.versions import release as installation
from plait.subject.versions.release import Release
from plait.subject.versions.version import resolve


def wheel(folder, name, number, files, requires=()):
    """A wheel as the package index would hand it out."""
    folder.mkdir(exist_ok=True)
    info = f"{name}-{number}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {number}\n"
    metadata += "".join(f"Requires-Dist: {requirement}\n" for requirement in requires)
    content = {**files, f"{info}/METADATA": metadata}
    content[f"{info}/WHEEL"] = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = "".join(f"{path},,\n" for path in (*content, f"{info}/RECORD"))
    with zipfile.ZipFile(folder / f"{name}-{number}-py3-none-any.whl", "w") as archive:
        for path, text in {**content, f"{info}/RECORD": record}.items():
            archive.writestr(path, text)


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A package index that is a folder; the real one is out of reach."""
    folder = tmp_path / "index"
    wheel(folder, "Toy_Cache", "1.0", {"toy/__init__.py": "V = 1\n", "shared/a.py": ""}, ["toydep"])
    wheel(folder, "Toy_Cache", "1.1", {"toy/__init__.py": "V = 2\n"})
    wheel(folder, "toydep", "3.0", {"toydep.py": "D = 3\n", "shared/b.py": ""})
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", folder.as_uri())
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return folder


@pytest.fixture
def pip_calls(monkeypatch):
    calls = []
    real = subprocess.run
    monkeypatch.setattr(installation.subprocess, "run", lambda *a, **k: calls.append(a) or real(*a, **k))
    return calls


def test_a_release_is_fetched_once_and_used_without_the_index(tmp_path, index, pip_calls):
    for text in ("pypi:toy-cache==1.0", "pypi:Toy.Cache == 1.0"):
        with resolve(text, project=tmp_path, cache=tmp_path / "cache", subject=Subject("toy", "X")) as version:
            assert version.label == "pypi:toy-cache==1.0"
            assert version.kind == "release"
            assert (version.root / "toy" / "__init__.py").read_text() == "V = 1\n"
            # Dependencies stand apart, also inside a folder that both share.
            assert [path.name for path in version.extra] == ["dependencies"]
            assert (version.extra[0] / "toydep.py").exists()
            assert not (version.root / "toydep.py").exists()
            assert (version.root / "shared" / "a.py").exists()
            assert (version.extra[0] / "shared" / "b.py").exists()
        for path in index.glob("*.whl"):
            path.unlink()
    assert len(pip_calls) == 1


def test_two_releases_stand_side_by_side_and_import(tmp_path, index):
    arguments = {"project": tmp_path, "cache": tmp_path / "cache", "subject": Subject("toy", "X")}
    with resolve("pypi:toy-cache==1.0", **arguments) as old, resolve("pypi:toy-cache==1.1", **arguments) as new:
        for version, expected in ((old, "1"), (new, "2")):
            program = f"import sys; sys.path[:0] = {[str(version.root)]!r}; import toy; print(toy.V)"
            answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
            assert answer.stdout.strip() == expected


def test_many_at_once_get_one_whole_copy(tmp_path, index):
    release = Release.parse("toy-cache==1.0")
    with ThreadPoolExecutor(3) as pool:
        found = set(pool.map(lambda _: release.fetch(tmp_path / "cache"), range(3)))
    assert len(found) == 1
    [home] = (tmp_path / "cache" / "releases").iterdir()
    assert [path.name for path in home.iterdir()] == ["toy-cache__1.0"]


def test_a_failed_fetch_leaves_no_entry(tmp_path, index):
    with pytest.raises(UsageError):
        Release.parse("toy-cache==9.9").fetch(tmp_path / "cache")
    [home] = (tmp_path / "cache" / "releases").iterdir()
    assert list(home.iterdir()) == []


def test_failures_say_what_to_do_in_one_line(tmp_path, index):
    wheel(index, "broken", "1.0", {"broken.py": ""}, ["not-there==5"])
    for text, message in {
        "toy-cache==1.2": r"pypi:toy-cache==1.2: there is no release 1.2; did you mean 1.[01]\?",
        "nobody==1.0": "pypi:nobody==1.0: the package index has no package 'nobody'",
        "broken==1.0": "pypi:broken==1.0 cannot be installed: .*not-there==5",
    }.items():
        with pytest.raises(UsageError, match=message) as error:
            Release.parse(text).fetch(tmp_path / "cache")
        assert "\n" not in str(error.value)


def test_a_release_without_the_module(tmp_path, index):
    with (
        pytest.raises(UsageError, match="version pypi:toy-cache==1.1 has no module 'tony'"),
        resolve("pypi:toy-cache==1.1", project=tmp_path, cache=tmp_path / "cache", subject=Subject("tony", "X")),
    ):
        pass


def test_an_interpreter_without_pip_uses_the_copy_it_carries(tmp_path, index, monkeypatch):
    real = installation.importlib.util.find_spec
    monkeypatch.setattr(installation.importlib.util, "find_spec", lambda name: None if name == "pip" else real(name))
    root, _ = Release.parse("toy-cache==1.1").fetch(tmp_path / "cache")
    assert (root / "toy" / "__init__.py").exists()


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("WARNING: Retrying: NewConnectionError('...')\nERROR: No matching", "the package index cannot be reached"),
        (
            """ERROR: Ignored the following versions that require a different python version: 2.0 Requires-Python >=4
ERROR: Could not find a version that satisfies the requirement toy==2.0 (from versions: 1.0)""",
            "pypi:toy==2.0 does not support Python",
        ),
        (
            "  error: subprocess-exited-with-error\n    ValueError: bad setup\nERROR: metadata-generation-failed",
            "pypi:toy==2.0 cannot be built on this Python: ValueError: bad setup",
        ),
    ],
)
def test_what_pip_says_is_put_into_one_line(output, message):
    told = installation._explain(Release.parse("toy==2.0"), output)
    assert message in told
    assert "\n" not in told


@pytest.mark.slow
@pytest.mark.parametrize(
    ("requirement", "module"), [("cachetools==5.3.0", "cachetools"), ("boltons==15.1.0", "boltons.cacheutils")]
)
def test_releases_of_the_real_index(tmp_path, requirement, module):
    """One wheel, and one release that has to be built from its sources."""
    try:
        root, _ = Release.parse(requirement).fetch(tmp_path / "cache")
    except UsageError as error:
        if "cannot be reached" in str(error) or "has no package" in str(error):
            pytest.skip(f"no package index here: {error}")
        raise
    program = f"import sys; sys.path.insert(0, {str(root)!r}); import {module} as m; print(m.__file__)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout.startswith(str(root))
