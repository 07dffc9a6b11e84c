"""What CPython documents as not atomic: the model allows whatever real threads have shown; docs/builtins.md says so.

The page's table is written anew by ``pytest --update-golden``.
"""

import itertools
import json
from pathlib import Path

import pytest
import tearing

from plait.explore.dfs import Dfs
from plait.explore.dpor import Dpor
from plait.explore.runner import explore
from plait.observe.places import PLACES
from plait.run.engine import ENGINE
from plait.run.importing.modulestate import ModuleState
from plait.run.importing.world import World

PROGRAMS = {f"{section}: {title}": source for section, title, source in tearing.programs()}
SEEN = json.loads(tearing.DATA.read_text(encoding="utf-8"))
PAGE = Path(__file__).parents[2] / "docs" / "builtins.md"
BEGIN, END = "<!-- table -->\n", "<!-- end of table -->\n"
LEAST = 100_000
# What an interpreter showed against CPython's own documentation: (interpreter, program, outcome).
DEFECTS = {
    # bytearray has no lock at all in 3.13, 3.14 gave it one: a byte that is appended is seen before it is stored.
    ("3.13t", "bytearray: for byte in ba", "[97, 98, 0] None -> bytearray(b'abc')"),
    ("3.13t", "bytearray: ba + other, and ba.append", r"bytearray(b'ab\x00c') None -> bytearray(b'abd')"),
}


@pytest.fixture(scope="module")
def outcomes():
    """The outcomes that the model allows for each program, by brute force and by the reduction: ``[gil][search]``."""
    world = World(PLACES)
    modules = {
        name: world.importer.load_source(f"tearing_{number}", source)
        for number, (name, source) in enumerate(PROGRAMS.items())
    }
    before = ENGINE.gil, ENGINE.modules
    found = {}
    with world.entered():
        for ENGINE.gil, search in itertools.product((False, True), (Dfs, Dpor)):
            here = found[ENGINE.gil, search] = {}
            for name, module in modules.items():
                # Only this program is put back behind each of its executions, not all of them.
                ENGINE.modules = ModuleState([module, *world.adopter.modules])
                here[name] = _outcomes(module, search())
    ENGINE.gil, ENGINE.modules = before
    return found


def _outcomes(module, search):
    here, found = {}, set()

    def prepare():
        here["shared"] = module.make()
        return [lambda: here.update(one=tearing.call(module.one, here["shared"])),
                lambda: here.update(two=tearing.call(module.two, here["shared"]))]  # fmt: skip

    def check(engine):
        if engine.status != "redundant":
            found.add(tearing.outcome_of((here["one"], here["two"]), module.look(here["shared"])))

    done = explore(prepare, search, max_executions=20_000, check=check)
    assert done.exhausted
    return found


@pytest.mark.parametrize("gil", [False, True], ids=["free-threaded", "gil"])
def test_the_reduction_finds_what_brute_force_finds(outcomes, gil):
    assert outcomes[gil, Dpor] == outcomes[gil, Dfs]


@pytest.mark.parametrize("interpreter", ["3.13t", "3.13", "3.14"])
def test_real_threads_showed_nothing_that_the_model_denies(outcomes, interpreter):
    seen, tries = SEEN[interpreter]["seen"], SEEN[interpreter]["tries"]
    assert seen.keys() == PROGRAMS.keys()
    assert min(tries.values()) >= LEAST
    assert all(sum(seen[name].values()) == tries[name] for name in PROGRAMS)
    allowed = outcomes[not interpreter.endswith("t"), Dfs]
    denied = {
        (interpreter, name, outcome) for name in PROGRAMS for outcome in seen[name] if outcome not in allowed[name]
    }
    assert denied == {defect for defect in DEFECTS if defect[0] == interpreter}


def test_the_model_with_the_gil_allows_nothing_more(outcomes):
    for name in PROGRAMS:
        assert outcomes[True, Dfs][name] <= outcomes[False, Dfs][name], name


def test_the_page_says_so(outcomes, request):
    page = PAGE.read_text(encoding="utf-8")
    start, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    table = _table(outcomes)
    if request.config.getoption("--update-golden"):
        PAGE.write_text(page[:start] + table + page[end:], encoding="utf-8")
    else:
        assert page[start:end] == table, "run pytest --update-golden and read what it wrote"


def _table(outcomes):
    rows = ["| documented | threads | free-threaded | seen on 3.13t | gil | seen on 3.13 | on 3.14 |",
            "| --- | --- | --- | --- | --- | --- | --- |"]  # fmt: skip
    for name, source in PROGRAMS.items():
        free, gil = outcomes[False, Dfs][name], outcomes[True, Dfs][name]
        cells = [name, _threads(source), len(free), _of("3.13t", name, free), len(gil)]
        cells += [_of("3.13", name, gil), _of("3.14", name, gil)]
        rows.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows) + "\n"


def _threads(source):
    parts = [source.partition(f"def {name}(s):\n    ")[2].partition("\ndef ")[0] for name in ("one", "two")]
    return ", ".join(f"`{part}`" for part in parts)


def _of(interpreter, name, allowed):
    seen = SEEN[interpreter]["seen"][name]
    extra = len(seen.keys() - allowed)
    return f"{len(seen.keys() & allowed)}{f' and {extra} that is a defect' if extra else ''}"
