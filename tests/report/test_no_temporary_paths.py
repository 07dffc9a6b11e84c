"""Versions are taken out into folders that nobody can open later: no report names one."""

import subprocess
import tempfile

import pytest

from in_process import plait

SOUND = """
import threading


class Stock:
    def __init__(self):
        self._lock = threading.Lock()
        self.count = 0

    def put(self, number: int):
        with self._lock:
            self.count += number
"""
RACY = SOUND.replace("        with self._lock:\n            self.count", "        self.count", 1)
FORMS = ("json", "html", "junit", "sarif")


@pytest.fixture
def project(tmp_path, monkeypatch):
    folder, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    for each in (folder, elsewhere):
        each.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(elsewhere))
    monkeypatch.setenv("TMPDIR", str(elsewhere))
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", str(folder)]
    subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
    for text in (SOUND, RACY):
        (folder / "stock.py").write_text(text, encoding="utf-8")
        subprocess.run([*git, "add", "stock.py"], check=True)
        subprocess.run([*git, "commit", "-qm", "stock"], check=True)
    (folder / "stock.py").write_text("", encoding="utf-8")  # both versions have to be taken out of git
    return folder


@pytest.mark.parametrize("words", [
    ("check", "stock:Stock", "--at", "HEAD"), ("diff", "stock:Stock", "--old", "HEAD~1", "--new", "HEAD"),
])  # fmt: skip
def test_a_report_of_a_revision_names_its_own_files_only(project, words):
    outputs = [word for form in FORMS for word in (f"--{form}", f"result.{form}")]
    done = plait(project, *words, "--max-tests", "8", "--workers", "1", *outputs)
    assert done.returncode == 1, done.stderr
    reproducers = list((project / "plait-out").glob("test_*.py"))
    assert reproducers
    written = [project / f"result.{form}" for form in FORMS] + reproducers
    for text in (done.stdout, *(file.read_text(encoding="utf-8") for file in written)):
        assert "elsewhere" not in text
        assert "stock.py" in text or "stock:Stock" in text or "from stock import" in text
