"""The numbered places of a module, and the cache of compiled modules."""

import marshal
import os
import subprocess
import sys
import warnings
import zlib
from pathlib import Path

import pytest

from plait.model.site import Site
from plait.run.hooks.noop import HOOKS
from plait.run.rewrite import REFERENCES, cache, compile_module, rewrite

SOURCE = """\
class Account:
    def withdraw(self, amount):
        if self.balance >= amount:
            self.balance -= amount
            return self.balance >= amount

        def undo():
            return [lambda: self.balance]
        return undo
"""


def _named(sites):
    return {(site.function, site.kind, site.text, site.ordinal): site for site in sites}


def test_places_are_named_by_function_kind_text_and_ordinal():
    _, sites = rewrite(SOURCE, "bank", "bank.py")
    named = _named(sites)
    assert len(named) == len(sites)
    assert named["Account.withdraw", "read", "self.balance", 0] == Site(
        named["Account.withdraw", "read", "self.balance", 0].number, "bank", "bank.py", 3, "Account.withdraw", "read",
        "self.balance", 0,
    )  # fmt: skip
    assert [site.line for site in sites if site.text == "self.balance" and site.kind == "read"] == [3, 4, 5, 8]
    assert named["Account.withdraw", "read", "self.balance", 2].line == 5
    assert named["Account.withdraw", "write", "self.balance", 0].line == 4
    assert ("Account.withdraw.<locals>.undo.<locals>.<lambda>", "read", "self.balance", 0) in named
    assert {site.kind for site in sites} <= {
        "read", "write", "delete", "call", "test", "iterate", "member", "operator", "global", "cell", "match",
    }  # fmt: skip


def test_numbers_depend_on_the_module_and_the_order_alone():
    _, sites = rewrite(SOURCE, "bank", "bank.py")
    assert [site.number for site in sites] == [(zlib.crc32(b"bank") << 20) | i for i in range(len(sites))]
    program = f"from plait.run.rewrite import rewrite; print([s.number for s in rewrite({SOURCE!r}, 'bank', 'x')[1]])"
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": os.pathsep.join(sys.path)}
    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True, env=environment
    ).stdout
    assert printed.strip() == str([site.number for site in sites])


def test_names_of_places_survive_formatting():
    wide = SOURCE.replace("self.balance >= amount", "(self . balance  # enough?\n  >=\n  amount)").replace("    ", "  ")
    names = [site.name for site in rewrite(SOURCE, "bank", "bank.py")[1]]
    assert [site.name for site in rewrite(wide, "bank", "bank.py")[1]] == names


def test_rewriting_twice_is_deterministic():
    first, second = (compile_module(SOURCE, "bank", "bank.py", None) for _ in range(2))
    assert marshal.dumps(first[0]) == marshal.dumps(second[0])
    assert first[1] == second[1]


def _value_of(code):
    namespace = {"__name__": "m", **REFERENCES, **HOOKS}
    exec(code, namespace)
    return namespace["f"]()


def test_the_cache_is_used_and_keeps_everything(tmp_path, monkeypatch):
    source = "def f():\n    x = {'a': 1}\n    return x['a']\n"
    code, sites = compile_module(source, "m", "/one/m.py", tmp_path)
    monkeypatch.setattr(cache, "rewrite", None)  # from here on only the cache can answer
    again, sites_again = compile_module(source, "m", "/one/m.py", tmp_path)
    assert sites_again == sites
    assert again == code
    moved, sites_moved = compile_module(source, "m", "/two/m.py", tmp_path)
    assert {site.file for site in sites_moved} == {"/two/m.py"}
    assert moved.co_filename == "/two/m.py"
    assert _value_of(moved) == 1
    assert [const.co_filename for const in moved.co_consts if hasattr(const, "co_filename")] == ["/two/m.py"]
    for other in ((source + "\n", "m"), (source, "n")):
        with pytest.raises(TypeError):
            compile_module(*other, "/one/m.py", tmp_path)


def test_another_rewriter_does_not_use_the_old_ones_work(tmp_path, monkeypatch):
    compile_module("x = 1", "m", "m.py", tmp_path)
    monkeypatch.setattr(cache, "rewriter_version", lambda: "another")
    compile_module("x = 1", "m", "m.py", tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(
    "damage", [b"", b"[]", b"[]\n", b"[[1]]\nxx", b"no\n" + marshal.dumps(3), b"[]\n" + marshal.dumps(3), b"\xff\n"]
)
def test_a_damaged_entry_is_made_again(tmp_path, damage):
    source = "def f():\n    return [1][0]\n"
    code, sites = compile_module(source, "m", "m.py", tmp_path)
    (entry,) = tmp_path.iterdir()
    sound = entry.read_bytes()
    for broken in (damage, sound[: len(sound) // 2], sound[:-9]):
        entry.write_bytes(broken)
        assert compile_module(source, "m", "m.py", tmp_path) == (code, sites)
        assert entry.read_bytes() == sound


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    code, _ = compile_module("def f(): return 4", "m", "m.py", tmp_path / "file" / "cache")
    assert _value_of(code) == 4


@pytest.mark.parametrize("source", [
    "def f(:", "def f():\n    return = 1", "def f():\n    nonlocal x", "x = 1\ndef f():\n    x = 1\n    global x",
    "def f(o):\n    match o:\n        case C(x=1, x=2): pass",
    "def f(o):\n    match o:\n        case C(x=a, y=a): pass",
    "def f():\n    [(x := 1) for x in y]", "await x", "return", b"# coding: nonsense\n", b"x = '\xff'",
])  # fmt: skip
def test_syntax_errors_are_those_of_the_original(source, tmp_path):
    with pytest.raises(SyntaxError) as expected:
        compile(source, "m.py", "exec", dont_inherit=True)
    with pytest.raises(SyntaxError) as found:
        compile_module(source, "m", "m.py", tmp_path)
    assert (found.value.msg, found.value.lineno, found.value.offset) == (
        expected.value.msg, expected.value.lineno, expected.value.offset,
    )  # fmt: skip
    assert list(tmp_path.iterdir()) == []


def test_warnings_are_given_once():
    source = "def f(x):\n    assert (x, 'always')\n    return x is 'a', '\\d'\n"
    with warnings.catch_warnings(record=True) as expected:
        warnings.simplefilter("always")
        compile(source, "m.py", "exec", dont_inherit=True)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        compile_module(source, "m", "m.py", None)
    assert [str(warning.message) for warning in found] == [str(warning.message) for warning in expected]
    assert len(found) == 3


def test_encodings():
    source = "# -*- coding: latin-1 -*-\ndef f():\n    return ['caf\u00e9'][0]\n"
    assert _value_of(compile_module(source.encode("latin-1"), "m", "m.py", None)[0]) == "café"
    assert _value_of(compile_module(b"\xef\xbb\xbfdef f(): return 'caf\xc3\xa9'", "m", "m.py", None)[0]) == "café"
    assert _value_of(compile_module(source, "m", "m.py", None)[0]) == "café"


def test_optimised_code_has_its_own_entry(tmp_path):
    program = (
        "import sys; from pathlib import Path; from plait.run.rewrite import compile_module;"
        "compile_module('def f(x):\\n    assert x\\n', 'm', 'm.py', Path(sys.argv[1]))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(cache.__file__).parents[3])}
    for flags in ([], ["-O"]):
        subprocess.run([sys.executable, *flags, "-c", program, str(tmp_path)], check=True, env=environment)
    assert len(list(tmp_path.iterdir())) == 2
