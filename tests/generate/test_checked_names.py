"""Annotations with names that only type checkers import."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from plait.generate.catalogue import build_catalogue
from plait.subject.interface.members import class_interface

_PARTS = """
class Engine:
    tag = "div"
"""
_USER = """
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from checked_parts import Engine as Motor
    from checked_missing import Lost

class Parser:
    def __init__(self, md: "Motor") -> None:
        self.md = md

    def parse(self) -> str:
        return self.md.tag

    def lose(self, lost: "Lost") -> None:
        pass
"""


@pytest.fixture
def parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> type:
    (tmp_path / "checked_parts.py").write_text(_PARTS, encoding="utf-8")
    (tmp_path / "checked_user.py").write_text(_USER, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("checked_parts", "checked_user"):
        monkeypatch.delitem(sys.modules, name, raising=False)
        __import__(name)
    return sys.modules["checked_user"].Parser


def test_a_class_that_is_loaded_anyway_is_made(parser: type) -> None:
    catalogue = build_catalogue(parser, class_interface(parser, "checked_user:Parser"))
    first = catalogue.pool(catalogue.constructors[0], "md").values[0]
    assert first.text == "Engine()"
    assert "from checked_parts import Engine" in first.imports


def test_a_module_that_is_not_there_is_not_imported(parser: type) -> None:
    build_catalogue(parser, class_interface(parser, "checked_user:Parser"))
    assert "checked_missing" not in sys.modules
