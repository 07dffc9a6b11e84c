"""A declared contract: what breaks it is a finding, what was never promised is a note."""

import ast
import json
from textwrap import dedent

import pytest

from in_process import plait
from plait.config import load_config
from plait.errors import UsageError
from plait.subject.contract import ATOMIC, EXTERNAL, Contract, canonical_level, stated_in
from plait.subject.source import Module
from result_schema import undescribed

SHOP = '''
    class Stock:
        """Items.

        {said}
        """

        def __init__(self):
            self.n = 0
            self.log = 0

        def take(self):
            n = self.n
            self.n = n - 1
            return n

        def note(self):
            log = self.log
            self.log = log + 1
            return log

        def size(self):
            """Return how many there are.

            Thread safety: atomic
            """
            return 3
'''


@pytest.fixture
def shop(tmp_path):
    def write(settings="", said=""):
        (tmp_path / "shop.py").write_text(dedent(SHOP).replace("{said}", said), encoding="utf-8")
        (tmp_path / "plait.toml").write_text(settings, encoding="utf-8")
        return tmp_path

    return write


def checked(folder, tests=30):
    code = plait(folder, "check", "shop:Stock", "--max-tests", str(tests), "--json", "r.json", "--fresh").returncode
    result = json.loads((folder / "r.json").read_text(encoding="utf-8"))
    assert not undescribed(result)
    return code, result


def test_a_broken_promise_fails(shop):
    folder = shop('[subject."shop:Stock"]\ncontract = { take = "atomic" }\n')
    code, result = checked(folder)
    assert code == 1
    assert {name for each in result["findings"] for name in each["methods"]} == {"Stock.take"}
    assert result["contract"]["broken"] == len(result["findings"])
    assert any("broken promise (plait.toml): `Stock.take` atomic" in note for note in result["notes"])
    assert any("not tested there: `note`" in note for note in result["notes"])


def test_what_was_never_promised_is_quiet(shop):
    folder = shop('[subject."shop:Stock"]\ncontract = { size = "immutable", "*" = "externally synchronized" }\n')
    code, result = checked(folder)
    assert (code, result["verdict"], result["findings"]) == (0, "none", [])
    assert result["contract"]["levels"]["*"] == EXTERNAL


def test_what_is_known_from_before_becomes_a_note(shop):
    folder = shop()
    (folder / "shop.py").write_text(dedent(SHOP).replace("Thread safety: atomic", ""), encoding="utf-8")
    words = ("check", "shop:Stock", "--max-tests", "30", "--json", "r.json")
    assert plait(folder, *words).returncode == 1
    (folder / "plait.toml").write_text('contract = { size = "atomic" }\n', encoding="utf-8")
    assert plait(folder, *words).returncode == 0
    result = json.loads((folder / "r.json").read_text(encoding="utf-8"))
    assert {tuple(each["methods"]) for each in result["contract"]["unpromised"]} >= {("Stock.take",)}
    assert any("not promised by the contract, so no finding" in note for note in result["notes"])


def test_docstrings_promise_too(shop):
    code, result = checked(shop(said="Thread safety: internally synchronised"))
    assert code == 1
    assert result["contract"]["source"] == "docstring"
    code, result = checked(shop(said="Thread safety: externally synchronised"))
    assert (code, result["findings"]) == (0, [])


def test_levels_are_read_from_docstrings():
    text = dedent(SHOP).replace("{said}", "Thread-safety: Externally Synchronized.")
    module = Module("shop", "shop.py", ast.parse(text), False, True, text.encode())
    found = stated_in(module, "Stock")
    assert found.levels == {"*": EXTERNAL, "size": ATOMIC}
    assert not stated_in(module, "Nothing")


def test_pairs_are_kept_apart_unless_both_are_promised():
    contract = Contract({"a": "atomic", "b": "internally synchronised", "c": "thread-local"})
    assert contract.covers(["X.a", "b"])
    assert contract.apart(["a", "b", "c", "d"]) == (
        ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "c"), ("c", "d"), ("d", "d"),
    )  # fmt: skip
    assert not Contract()


SPELLINGS = [("Atomic", ATOMIC), ("externally  synchronized", EXTERNAL), ("safe", None)]


@pytest.mark.parametrize(("text", "level"), SPELLINGS)
def test_spellings(text, level):
    assert canonical_level(text) == level


@pytest.mark.parametrize("value", ['"safe"', '{ take = "safe" }', "{ take = 1 }", "3"])
def test_other_words_are_refused(tmp_path, value):
    (tmp_path / "plait.toml").write_text(f"contract = {value}\n", encoding="utf-8")
    with pytest.raises(UsageError, match="contract"):
        load_config(tmp_path)
