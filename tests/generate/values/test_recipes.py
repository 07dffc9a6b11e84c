"""Constructor calls that somebody has written down."""

import sys
from pathlib import Path

import pytest
import zoo
from sequential import Runner

from plait.generate.outcome import CallOutcome, listed_values
from plait.generate.sequence import Sequences
from plait.generate.values.recipes import examples_in, recipes_for


def written(tmp_path, text, cls=zoo.Limiter):
    recipes_for.cache_clear()
    (tmp_path / "test_it.py").write_text(text)
    return {each.text: each for each in recipes_for(cls, tmp_path)}


def test_variables_are_replaced_and_imports_are_kept(tmp_path):
    found = written(
        tmp_path,
        "import json\nfrom zoo import Limiter\nRATE = 2\ndef told(): pass\n"
        "def test():\n    size = RATE\n    x = Limiter(size, json.loads('[1]'))\n    y = Limiter(on_full=told)\n",
    )
    assert found["Limiter(2, json.loads('[1]'))"].imports == ("from zoo import Limiter", "import json")
    assert found["Limiter(on_full=Recorder('told'))"].imports[1:] == ("from plait.generate.callables import Recorder",)
    assert found["Limiter(2, json.loads('[1]'))"].origin == f"{tmp_path.name}/test_it.py"


@pytest.mark.parametrize(
    "line",
    ["Limiter(given)", "Limiter(*many)", "Limiter(**named)", "Limiter(unknown)", "Limiter(...)", "Limiter(again)",
     "Limiter(Local())", "Limiter(elsewhere.thing)"],
)  # fmt: skip
def test_what_means_nothing_outside_of_its_place_is_left_out(tmp_path, line):
    assert not written(
        tmp_path,
        "import not_there_at_all as elsewhere\nclass Local: pass\n"
        f"def test(given):\n    again = 1\n    again = 2\n    many, named = (), {{}}\n    {line}\n",
    )


def test_examples_in_prose():
    text = "Use it:\n\n    >>> x = 1\n    >>> def f():\n    ...     return x\n    1\n\n"
    text += "```python\ny = 2\n```\nand::\n\n    z = 3\n"
    assert examples_in(text) == ["x = 1\ndef f():\n    return x", "y = 2\n", "z = 3"]


def test_a_docstring_tells_how_to_build_it(tmp_path, monkeypatch, catalogue_of):
    (tmp_path / "shelf.py").write_text(
        "class Part:\n    def __init__(self, size):\n        self.size = size + 0\n"
        "class Shelf:\n    '''Holds parts.\n\n    >>> shelf = Shelf({'a': Part(3)}, mode='left')\n    '''\n"
        "    def __init__(self, parts, mode):\n        if mode != 'le' + 'ft':\n            raise ValueError(mode)\n"
        "        self.parts = {name: part.size for name, part in parts.items()}\n"
        "    def names(self):\n        return list(self.parts)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import shelf  # noqa: PLC0415

    catalogue = catalogue_of(shelf.Shelf)
    sequences = Sequences(catalogue, Runner(), __import__("random").Random(0))
    assert sequences.prefix(0).drafts[0].call.expression == "Shelf({'a': Part(3)}, mode='left')"
    sequences.compose(0, [[catalogue.method("names")]])
    draft, recipe = sequences.built()
    assert (draft.call.expression, recipe.origin) == (recipe.text, "the docstring of Shelf")
    sys.modules.pop("shelf")


def test_the_readme_of_an_installed_distribution(tmp_path, monkeypatch):
    (tmp_path / "boxed").mkdir()
    (tmp_path / "boxed" / "__init__.py").write_text("class Box:\n    def __init__(self, size): self.size = size\n")
    information = tmp_path / "Boxed_Things-1.0.dist-info"
    information.mkdir()
    (information / "RECORD").write_text("boxed/__init__.py,,\n")
    (information / "METADATA").write_text("Name: x\n\nUse it:\n\n```python\nimport boxed\nboxed.Box(size=7)\n```\n")
    monkeypatch.syspath_prepend(tmp_path)
    import boxed  # noqa: PLC0415

    assert [(each.text, each.origin) for each in recipes_for(boxed.Box, None)] == [("Box(size=7)", "the README")]
    sys.modules.pop("boxed")


@pytest.mark.parametrize(
    ("message", "values"),
    [
        ("Unknown state 'a', valid states: closed, open, half-open", ["'closed'", "'open'", "'half-open'"]),
        ("mode must be one of ['r', 'w']", ["'r'", "'w'"]),
        ("it is too large", []),
    ],
)
def test_values_that_a_message_lists(message, values):
    assert listed_values(CallOutcome("raised", "ValueError", message)) == values
    assert listed_values(CallOutcome("raised", "OSError", message)) == []


def test_a_message_that_lists_values_leads_to_a_call_that_returns(catalogue_of):
    catalogue = catalogue_of(zoo.Switch)
    sequences = Sequences(catalogue, Runner(), __import__("random").Random(0))
    for _ in range(6):
        sequences.compose(0, [[catalogue.method("turn")]])
    assert sequences.knowledge.of("turn").succeeded


def test_no_path_of_this_machine_is_an_origin(tmp_path):
    found = written(tmp_path, "from zoo import Limiter\nLimiter(3)\n")
    assert all(str(Path.home()) not in each.origin and str(tmp_path) not in each.origin for each in found.values())
