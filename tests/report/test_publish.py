"""A report that cannot be made costs no finding, and the exit code is that of the findings."""

import os

import pytest
from report_samples import checked

from plait.cli.main import main
from plait.commands.check import command
from plait.report import check_text, html, publish


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def report(monkeypatch, *options):
    """The end of a check that has found something."""
    result = checked()
    result.findings[0].reproducer = None
    monkeypatch.setattr(command, "check", lambda *_: result)
    return main(["check", "account:Account", *options])


PARTS = [
    (publish, "check_text"), (publish, "check_statement"), (check_text, "check_statement"),
    (publish, "write_reproducer"), (publish, "_step_lines"),
]  # fmt: skip


@pytest.mark.parametrize(("module", "part"), PARTS)
def test_an_error_while_reporting(module, part, monkeypatch, capsys):
    def broken(*_args, **_more):
        raise IndexError("on purpose")

    monkeypatch.setattr(module, part, broken)
    assert report(monkeypatch) == 1
    told = capsys.readouterr()
    assert checked().findings[0].summary in told.out
    assert "on purpose" in told.out + told.err


def test_a_page_that_cannot_be_made(monkeypatch, capsys):
    monkeypatch.setattr(html, "html", lambda *_: {}["on purpose"])
    assert report(monkeypatch, "--html", "page.html", "--sarif", "result.sarif", "--json", "result.json") == 1
    assert os.path.exists("result.sarif")
    assert os.path.exists("result.json")
    assert "[plait bug] reporting (--html page.html)" in capsys.readouterr().err


def test_a_full_disk(monkeypatch, capsys):
    def full(*_args, **_more):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(publish.Path, "replace", full)
    assert report(monkeypatch, "--junit", "result.xml") == 1
    told = capsys.readouterr()
    assert checked().findings[0].summary in told.out
    assert "--junit result.xml cannot be written (No space left on device)" in told.err
    assert not [name for name in os.listdir() if "result.xml" in name]


def test_what_was_asked_for_is_missing(monkeypatch, capsys):
    monkeypatch.setattr(html, "html", lambda *_: {}["on purpose"])
    monkeypatch.setattr(command, "check", lambda *_: checked(found=False))
    assert main(["check", "account:Account"]) == 0
    assert main(["check", "account:Account", "--html", "page.html"]) == 2
    assert "--html page.html" in capsys.readouterr().err
