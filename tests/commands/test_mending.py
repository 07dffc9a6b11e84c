"""Dependencies that are too new for a release go back until its module can be imported."""

import re

import pytest

from plait.commands import releases
from plait.subject.name import Subject
from plait.subject.versions.version import Version


def put(folder, name, number, source="", module=None):
    """A distribution as an installer leaves it: one module and its metadata."""
    module = module or name.lower()
    information = folder / f"{name}-{number}.dist-info"
    information.mkdir(parents=True)
    (folder / f"{module}.py").write_text(source)
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {number}\n")
    (information / "RECORD").write_text(f"{module}.py,,\n{information.name}/METADATA,,\n{information.name}/RECORD,,\n")


@pytest.mark.parametrize(
    ("number", "chosen", "expected"),
    [
        ("3.0.2", {}, "helper<3"),
        ("2.1.5", {"helper": "helper<3"}, "helper<2.1"),
        ("2.0", {"helper": "helper<2.1"}, "helper<2"),
        ("3.25.1", {"helper": "helper<3.26"}, "helper<3.12"),
        ("3.1.2", {"helper": "helper<3.2"}, "helper<3"),
        ("2.9", {"helper": "helper<3"}, "helper<2.9"),
        ("0.20.0", {}, "helper<0.20"),
        ("0.0.7", {}, None),
    ],
)
def test_one_series_back(tmp_path, number, chosen, expected):
    put(tmp_path, "Helper", number)
    assert releases.older("helper.deep", tmp_path, chosen) == expected
    assert releases.older(str(tmp_path / "helper.py"), tmp_path, chosen) == expected


def test_what_has_no_distribution_stays(tmp_path):
    assert releases.older("unknown", tmp_path, {}) is None
    assert releases.older(str(tmp_path.parent / "elsewhere.py"), tmp_path, {}) is None
    assert releases.older("pkg_resources", tmp_path, {}) == "setuptools<81"
    assert releases.older("pkg_resources", tmp_path, {"setuptools": "setuptools<81"}) is None


@pytest.fixture
def version(tmp_path):
    root, extra = tmp_path / "release", tmp_path / "dependencies"
    root.mkdir()
    (root / "aged.py").write_text("from helper import old_name\n\nclass Aged:\n    pass\n")
    put(extra, "Helper", "3.0")
    return Version("pypi:aged==1.0", root, "release", extra=(extra,), tree=root, project=root)


def test_a_renamed_function_is_found_in_an_older_series(version, monkeypatch, capsys):
    """3.0 and 2.x lack it, 1.x has it."""

    def install(folder, requirements):
        (wanted,) = requirements
        limit = float(re.sub(".*<", "", wanted))
        number = next(each for each in (3.0, 2.4, 1.9) if each < limit)
        for old in folder.glob("Helper-*/*"):
            old.unlink()
        for old in folder.glob("Helper-*"):
            old.rmdir()
        put(folder, "Helper", number, "old_name = 1\n" if number < 2 else "")
        return True

    monkeypatch.setattr(releases, "pip_install", install)
    subject = Subject("aged", "Aged")
    assert releases.mend(version, subject) == {"helper": "helper<2.4"}
    assert capsys.readouterr().err.splitlines() == [
        "plait: pypi:aged==1.0 needs older dependencies: using helper<3",
        "plait: pypi:aged==1.0 needs older dependencies: using helper<2.4",
    ]
    monkeypatch.setattr(releases, "pip_install", None)  # it is not tried again
    assert releases.mend(version, subject) == {}


def test_what_cannot_be_had_is_left_alone(version, monkeypatch):
    monkeypatch.setattr(releases, "pip_install", lambda _folder, _requirements: False)
    releases.mend(version, Subject("aged", "Aged"))
    assert releases.older("helper", version.extra[0], {}) == "helper<3"


def test_what_is_imported_of_the_dependencies_is_compiled_once(version):
    """Workers write no compiled modules, and each of them would have to compile the same ones again."""
    extra = version.extra[0]
    (extra / "helper.py").write_text("old_name = 1\n")
    put(extra, "Unused", "1.0")
    releases.mend(version, Subject("aged", "Aged"))
    assert [file.name.partition(".")[0] for file in (extra / "__pycache__").iterdir()] == ["helper"]
    assert not (version.root / "__pycache__").exists()


def test_what_plait_stops_is_no_matter_of_age(version, monkeypatch):
    (version.extra[0] / "helper.py").write_text("import ctypes\nold_name = ctypes.CDLL(None)\n")
    monkeypatch.setattr(releases, "pip_install", None)
    assert releases.mend(version, Subject("aged", "Aged")) == {}
