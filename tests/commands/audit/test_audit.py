"""`plait audit`: every public class and function gets a verdict, with its evidence or with a reason."""

import json
from dataclasses import replace
from textwrap import dedent

import pytest

from plait.cli.main import main, read_arguments
from plait.commands.audit.command import audit, audit_options, overall_verdict
from plait.judge.audit import ATOMIC, EXTERNAL, IMMUTABLE, INTERNAL, Audited
from plait.report.audit import audit_markdown, audit_text
from plait.report.layout import Layout, as_text
from result_schema import undescribed

FILES = {
    "src/shop/__init__.py": """
        from ._impl import Counter

        _registry = {}

        def register(name, value):
            if name in _registry:
                raise KeyError(name)
            _registry[name] = value

        def lookup(name):
            return _registry.get(name)

        def double(n: int) -> int:
            return 2 * n
    """,
    "src/shop/_impl.py": """
        class Counter:
            def __init__(self):
                self.n = 0

            def bump(self):
                self.n += 1

        class Unnamed:
            def bump(self):
                pass
    """,
    "src/shop/stock.py": """
        import threading
        import zlib

        class Stock:
            def __init__(self):
                self._lock = threading.Lock()
                self._items = {}

            def put(self, key: str):
                with self._lock:
                    self._items[key] = self._items.get(key, 0) + 1

            def count(self, key: str) -> int:
                with self._lock:
                    return self._items.get(key, 0)

        class OutOfStock(Exception):
            pass

        class Record:
            def __init__(self):
                self.price = 0

        class Disguised:
            def __init__(self):
                self.bump = self._bump
                self.n = 0

            def _bump(self):
                self.n += 1

        class Client:
            def __init__(self, token: str):
                if zlib.crc32(token.encode()) != 0x1234ABCD:
                    raise PermissionError("wrong token")
                self.rows = []

            def fetch(self):
                return self.rows
    """,
    "tests/test_shop.py": "def test_nothing():\n    class NotPublic: pass\n",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    for name, text in FILES.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def audited(project):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project)
        options = read_arguments("audit", [".", "--max-tests", "25", "--workers", "1", "--fresh"], project)
        return audit(audit_options(options))


def by_name(audited):
    return {each.name: each for each in audited[1]}


def test_each_public_name_has_a_verdict(audited):
    found = {name: each.verdict for name, each in by_name(audited).items()}
    assert found == {
        "shop:register": "unsafe", "shop:lookup": "no violation", "shop:double": "no violation",
        "shop._impl:Counter": "unsafe", "shop.stock:Stock": "no violation", "shop.stock:OutOfStock": "no violation",
        "shop.stock:Client": "not judged", "shop.stock:Record": "no violation",
        "shop.stock:Disguised": "not judged",
    }  # fmt: skip


def test_the_project_has_its_folder_s_name(audited, project):
    assert audited[0].subject == project.name


def test_a_verdict_rests_on_evidence(audited):
    found = by_name(audited)
    stock = found["shop.stock:Stock"]
    assert stock.evidence["pairs_covered"] == stock.evidence["pairs"] == 3
    assert stock.evidence["schedules"] > stock.evidence["tests"] > 0
    assert ("count", "put") in stock.safe
    assert found["shop.stock:Client"].reason.startswith("cannot be built")
    assert found["shop.stock:Disguised"].reason.startswith("has no public methods")
    assert found["shop:register"].unsafe == [("register", "register")]
    assert all(each.reason for each in audited[1] if each.verdict == "not judged")


@pytest.mark.parametrize(("unsafe", "silent", "unjudged", "verdict"), [
    (1, 0, 9, "findings"), (0, 5, 5, "clean"), (0, 4, 5, "inconclusive"), (0, 0, 3, "inconclusive"),
    (0, 0, 0, "inconclusive"),
])  # fmt: skip
def test_a_package_is_clean_only_if_half_of_it_was_judged(unsafe, silent, unjudged, verdict):
    assert overall_verdict(unsafe, silent, unjudged) == verdict


def test_an_audit_that_judged_little_ends_without_a_conclusion(tmp_path, monkeypatch, capsys):
    """Two of three classes cannot be built here."""
    parts = "".join(f"""
        class Needs{n}:
            def __init__(self, address):
                raise ConnectionError("no server {n} at", address)

            def use(self):
                return 1
    """ for n in range(2))  # fmt: skip
    sound = """
        import threading

        class Sound:
            def __init__(self):
                self._lock, self.n = threading.Lock(), 0

            def add(self):
                with self._lock:
                    self.n += 1
    """
    (tmp_path / "little.py").write_text(dedent(sound) + dedent(parts))
    monkeypatch.chdir(tmp_path)
    assert main(["audit", "little.py", "--max-tests", "10", "--workers", "1"]) == 3
    assert "No conclusion: fewer than half could be judged" in capsys.readouterr().out


def test_what_a_class_promises(audited):
    found = by_name(audited)
    assert found["shop.stock:Stock"].contract == INTERNAL
    assert found["shop._impl:Counter"].contract == EXTERNAL
    assert found["shop:double"].contract == IMMUTABLE
    assert (found["shop.stock:Record"].contract, found["shop.stock:Record"].reason) == (
        ATOMIC, "it has no methods, only attributes"
    )  # fmt: skip
    assert {name: each.claim for name, each in found.items() if each.claim != "unsaid"} == {
        "shop.stock:Stock": "locked"
    }
    assert found["shop.stock:Stock"].methods == {"put": INTERNAL, "count": INTERNAL}


def test_state_of_modules_is_listed(audited):
    assert [(row["name"], row["by"], row["locked"]) for row in audited[0].more["module_state"]] == [
        ("_registry", ["register"], False)
    ]


@pytest.mark.parametrize("width", [60, 80, 140])
def test_the_table_fits_the_terminal(audited, width):
    lines = as_text(audit_text(*audited, Layout(width))).splitlines()
    assert max(len(line) for line in lines if "/" not in line and ":" not in line) <= width
    marks = ("unsafe       shop", "no violation shop", "not judged   shop")
    assert sum(line.startswith(marks) for line in lines) == 9
    assert "2 unsafe, 5 without a violation, 2 not judged" in " ".join(" ".join(lines).split())


def test_names_of_which_the_same_is_to_be_said_share_a_row(audited):
    result, _ = audited
    late = [Audited(f"m:{name}", "class", "m.py", 1, reason="no time was left for it") for name in "ABC"]
    other = Audited("m:D", "class", "m.py", 1, reason="is abstract")
    said = as_text(audit_text(result, [late[0], other, *late[1:]], Layout(100))).splitlines()
    assert said[:2] == [
        "not judged   3 names: no time was left for it: m:A, m:B, m:C.", "not judged   m:D: is abstract."
    ]  # fmt: skip
    said = as_text(audit_text(result, [*late[:2], other], Layout(100))).splitlines()
    assert [line.startswith("not judged   m:") for line in said[:3]] == [True] * 3


def test_known_tests_are_no_schedules_of_this_run(audited):
    """A second audit explores nothing again: "0 schedules" would read as if nothing had been done."""
    result, all_of_them = audited
    silent = next(
        each for each in all_of_them if each.check is not None and each.verdict == "no violation" and not each.reason
    )
    check = replace(silent.check, stats={**silent.check.stats, "tests_known": 4})
    for ran, said in ((0, "in the schedules of an earlier run"), (3, "in 3 new schedules and those of an earlier run")):
        known = replace(silent, check=check, evidence={**silent.evidence, "schedules": ran})
        assert f"ran concurrently, {said}" in " ".join(as_text(audit_text(result, [known], Layout(500))).split())


def test_markdown_has_a_row_each(audited):
    text = audit_markdown(*audited)
    assert text.count("\n| ❌") == 2
    assert text.count("\n| ✅") == 5
    assert text.count("\n| ❔") == 2


def test_the_command(project, monkeypatch, capsys):
    """The result file replays, whichever class a finding is about."""
    monkeypatch.chdir(project)
    words = ["audit", "src/shop/_impl.py", "--max-tests", "10", "--workers", "1"]
    assert main([*words, "--json", "a.json", "--html", "a.html"]) == 1
    assert "unsafe       shop._impl:Counter" in capsys.readouterr().out
    data = json.loads((project / "a.json").read_text(encoding="utf-8"))
    assert (data["command"], data["verdict"], undescribed(data)) == ("audit", "findings", [])
    assert data["stats"]["unsafe"] == 1
    assert [each["verdict"] for each in data["subjects"]] == ["unsafe", "no_violation"]
    assert "shop._impl:Counter" in (project / "a.html").read_text(encoding="utf-8")
    assert main(["replay", "a.json"]) == 1
    assert "10 of 10 times" in capsys.readouterr().out


HIDDEN = """
    class Hidden:
        def __init__(self):
            self._n = 0

        def bump(self):
            self._n += 1

        def get(self):
            return self._n

        def key(self):
            return id(self)

    class Other(Hidden):
        def __len__(self):
            return self._n

        def bump(self):
            self._n = self._n + 1
            self._key = id(self), self._n
"""


def test_what_only_further_calls_show_replays_for_each_class(tmp_path, monkeypatch, capsys):
    """Each finding has the calls of its own class that judge the state left behind; addresses are no steps."""
    (tmp_path / "hidden.py").write_text(dedent(HIDDEN), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["audit", "hidden.py", "--max-tests", "10", "--workers", "1", "--quiet", "--json", "a.json"]) == 1
    data = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert {each["subject"] for each in data["findings"]} == {"hidden:Hidden", "hidden:Other"}
    assert undescribed(data) == []
    capsys.readouterr()
    assert main(["replay", "a.json"]) == 1
    said = capsys.readouterr().out
    assert said.count("Replayed 10 of 10 times with the same steps") == len(data["findings"])


@pytest.mark.parametrize(
    ("target", "said"),
    [("nowhere", "no package or module"), ("./missing.py", "no such file"), ("a-b", "neither a package")],
)
def test_what_is_not_there(project, monkeypatch, capsys, target, said):
    monkeypatch.chdir(project)
    assert main(["audit", target]) == 2
    assert said in capsys.readouterr().err


def test_what_is_immutable_is_said_to_be_so_only_where_nothing_changes(tmp_path, monkeypatch):
    (tmp_path / "values.py").write_text(
        dedent("""
        import enum
        from dataclasses import dataclass
        from typing import NamedTuple

        @dataclass(frozen=True)
        class Plain:
            x: int = 0

        @dataclass
        class Open:
            x: int = 0

        class Pair(NamedTuple):
            left: int = 0
            def total(self) -> int:
                return self.left

        class Bag(NamedTuple):
            items: list[int] = []
            def add(self, item: int) -> None:
                self.items.append(item)

        class Colour(enum.Enum):
            RED = 1

        class Counting(enum.Enum):
            RED = 1
            def count(self) -> None:
                self.total = getattr(self, "total", 0) + 1

        @dataclass(frozen=True)
        class Keeping:
            x: int = 0
            def square(self) -> int:
                object.__setattr__(self, "_square", self.x * self.x)
                return self.x
    """)
    )
    monkeypatch.chdir(tmp_path)
    asked = read_arguments("audit", ["values.py", "--max-tests", "15", "--workers", "1"], tmp_path)
    told, _audited = audit(audit_options(asked))
    contracts = {row["name"].partition(":")[2]: row["contract"]["level"] for row in told.more["subjects"]}
    same = {"Plain": IMMUTABLE, "Open": ATOMIC, "Pair": IMMUTABLE, "Colour": IMMUTABLE}
    assert same.items() <= contracts.items()
    assert IMMUTABLE not in (contracts["Bag"], contracts["Counting"], contracts["Keeping"])
