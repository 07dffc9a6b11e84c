"""No edit is missed: where a call does something else after a random edit, its tests have another name in the store.

Programs of a class, a base and a helper module are put together of shapes, each a way in which a method can depend on a
number that stands elsewhere. The number is edited, both programs are really run, and every method that now answers in
another way must be explored again; so a cached answer is never given for code that would answer otherwise.
"""

import importlib
import sys
from random import Random

import pytest

from in_process import plait
from plait.model.test import Call, Test
from plait.store.keys import Fingerprints
from plait.subject.name import Subject
from plait.subject.versions.version import Version

# A shape: where its pieces stand, with NAME for a name of its own and NUMBER for what is edited.
# "top" and "end" are of the subject's module, "helper" of another one, "base" and "body" of the classes; "use" is what
# the method returns.
SHAPES = {
    "body": {"use": "NUMBER"},
    "function": {"top": "def NAME():\n    return NUMBER\n", "use": "NAME()"},
    "constant": {"top": "NAME = NUMBER\n", "use": "NAME"},
    "computed constant": {"top": "_NAME = NUMBER\nNAME = _NAME + 1\n", "use": "NAME"},
    "helper function": {"helper": "def NAME():\n    return NUMBER\n", "use": "helper.NAME()"},
    "helper constant": {"helper": "NAME = NUMBER\n", "top": "from helper import NAME\n", "use": "NAME"},
    "renamed import": {"helper": "NAME = NUMBER\n", "top": "from helper import NAME as own_NAME\n", "use": "own_NAME"},
    "everything imported": {"helper": "starNAME = NUMBER\n", "top": "from helper import *\n", "use": "starNAME"},
    "local import": {"helper": "NAME = NUMBER\n", "use": "__import__('helper').NAME"},
    "imported module": {"helper": "NAME = NUMBER\n", "top": "import importlib\n",
                        "use": "importlib.import_module('helper').NAME"},
    "base method": {"base": "def _NAME(self):\n    return NUMBER\n", "use": "self._NAME()"},
    "super": {"base": "def _NAME(self):\n    return NUMBER\n",
              "body": "def _NAME(self):\n    return super()._NAME() + 1\n", "use": "self._NAME()"},
    "base attribute": {"base": "attribute_NAME = NUMBER\n", "use": "self.attribute_NAME"},
    "class attribute": {"body": "attribute_NAME = NUMBER\n", "use": "type(self).attribute_NAME"},
    "property": {"body": "@property\ndef _NAME(self):\n    return NUMBER\n", "use": "self._NAME"},
    "decorator": {"helper": "def NAME(function):\n    return lambda self: function(self) + NUMBER\n",
                  "body": "@helper.NAME\ndef _NAME(self):\n    return 1\n", "use": "self._NAME()"},
    "decorator with argument": {
        "helper": "def NAME(by):\n    def wrap(function):\n        return lambda self: function(self) + by\n"
                  "    return wrap\n",
        "body": "@helper.NAME(NUMBER)\ndef _NAME(self):\n    return 1\n", "use": "self._NAME()"},
    "default": {"body": "def _NAME(self, by=NUMBER):\n    return by\n", "use": "self._NAME()"},
    "default of a constant": {"top": "NAME = NUMBER\n", "body": "def _NAME(self, *, by=NAME):\n    return by\n",
                              "use": "self._NAME()"},
    "closure": {"top": "def make_NAME(by):\n    def made():\n        return by\n    return made\n"
                       "NAME = make_NAME(NUMBER)\n", "use": "NAME()"},
    "field": {"init": "self.field_NAME = NUMBER\n", "use": "self.field_NAME"},
    "field of a helper": {"helper": "def NAME():\n    return NUMBER\n", "init": "self.field_NAME = helper.NAME()\n",
                          "use": "self.field_NAME"},
    "callable in a field": {"helper": "def NAME():\n    return NUMBER\n", "init": "self.field_NAME = helper.NAME\n",
                            "use": "self.field_NAME()"},
    "other object": {"helper": "class NAME:\n    def value(self):\n        return NUMBER\n",
                     "init": "self.field_NAME = helper.NAME()\n", "use": "self.field_NAME.value()"},
    "callable object": {"helper": "class NAME:\n    def __call__(self):\n        return NUMBER\n",
                        "use": "helper.NAME()()"},
    "operator": {"helper": "class NAME:\n    def __add__(self, other):\n        return NUMBER\n",
                 "use": "helper.NAME() + 1"},
    "table": {"top": "def _one_NAME():\n    return NUMBER\nNAME = {'one': _one_NAME}\n", "use": "NAME['one']()"},
    "filled table": {"top": "NAME = {}\ndef _one_NAME():\n    return NUMBER\nNAME['one'] = _one_NAME\n",
                     "use": "NAME['one']()"},
    "registered": {"top": "NAME = []\ndef _put_NAME(function):\n    NAME.append(function)\n    return function\n"
                          "@_put_NAME\ndef _one_NAME():\n    return NUMBER\n", "use": "NAME[0]()"},
    "registered in the class": {
        "body": "_table_NAME = []\ndef _put_NAME(function, table=_table_NAME):\n    table.append(function)\n"
                "    return function\n@_put_NAME\ndef _one_NAME(self):\n    return NUMBER\n",
        "use": "self._table_NAME[0](self)"},
    "method for a type": {
        "top": "import functools\n",
        "body": "@functools.singledispatchmethod\ndef _NAME(self, value):\n    return 0\n"
                "@_NAME.register\ndef _whole_NAME(self, value: int):\n    return NUMBER\n",
        "use": "self._NAME(1)"},
    "function for a type": {
        "top": "import functools\n@functools.singledispatch\ndef NAME(value):\n    return 0\n"
               "@NAME.register(int)\ndef _whole_NAME(value):\n    return NUMBER\n",
        "use": "NAME(1)"},
    "method put on later": {"end": "Subject._NAME = lambda self: NUMBER\n", "use": "self._NAME()"},
    "attribute set later": {"end": "Subject.later_NAME = NUMBER\n", "use": "self.later_NAME"},
    "helper changed from outside": {"helper": "NAME = 0\n", "end": "helper.NAME = NUMBER\n", "use": "helper.NAME"},
    "computed name": {"body": "def _NAME(self):\n    return NUMBER\n", "use": "getattr(self, '_' + 'NAME')()"},
    "computed name in a helper": {"helper": "def NAME():\n    return NUMBER\n",
                                  "use": "getattr(helper, 'NAME'[:1] + 'NAME'[1:])()"},
    "globals": {"top": "NAME = NUMBER\n", "use": "globals()['NAME'.strip()]"},
    "vars": {"helper": "NAME = NUMBER\n", "use": "vars(helper)['NAME']"},
    "dictionary of a module": {"helper": "NAME = NUMBER\n", "use": "helper.__dict__['NAME']"},
    "text": {"top": "NAME = NUMBER\n", "use": "eval('NAME')"},
    "attrgetter": {"top": "import operator\n", "body": "def _NAME(self):\n    return NUMBER\n",
                   "use": "operator.methodcaller('_NAME')(self)"},
    "unknown attribute": {"body": "def __getattr__(self, name):\n    if name.startswith('__'):\n"
                                  "        raise AttributeError(name)\n    return NUMBER\n",
                          "use": "self.nothing_NAME"},
    "subclasses": {"top": "class NAME:\n    pass\nclass _NAME(NAME):\n    value = NUMBER\n",
                   "use": "NAME.__subclasses__()[0].value"},
    "told of subclasses": {
        "top": "class NAME:\n    kinds = []\n    def __init_subclass__(cls):\n        NAME.kinds.append(cls)\n"
               "class _NAME(NAME):\n    value = NUMBER\n", "use": "NAME.kinds[0].value"},
    "loop at the top": {"top": "NAME = 0\nfor _each in range(NUMBER):\n    NAME += 1\n", "use": "NAME"},
    "condition at the top": {"top": "if NUMBER > 50:\n    def NAME():\n        return 1\nelse:\n    def NAME():\n"
                                    "        return 2\n", "use": "NAME()"},
    "global statement": {"top": "NAME = 0\ndef _set_NAME():\n    global NAME\n    NAME = NUMBER\n_set_NAME()\n",
                         "use": "NAME"},
    "data class": {"helper": "import dataclasses\n@dataclasses.dataclass\nclass NAME:\n    value: int = NUMBER\n",
                   "use": "helper.NAME().value"},
    "enumeration": {"helper": "import enum\nclass NAME(enum.Enum):\n    ONE = NUMBER\n",
                    "use": "helper.NAME.ONE.value"},
    "nested class": {"body": "class Inner_NAME:\n    value = NUMBER\n", "use": "self.Inner_NAME.value"},
    "metaclass": {"helper": "class NAME(type):\n    def __getattr__(cls, name):\n        return NUMBER\n",
                  "top": "class _NAME(metaclass=helper.NAME):\n    pass\n", "use": "_NAME.anything"},
    "descriptor": {"helper": "class NAME:\n    def __get__(self, obj, owner=None):\n        return NUMBER\n",
                   "body": "attribute_NAME = helper.NAME()\n", "use": "self.attribute_NAME"},
    "mixed in": {"helper": "class NAME:\n    def mixed_NAME(self):\n        return NUMBER\n", "bases": "helper.NAME",
                 "use": "self.mixed_NAME()"},
    "partial": {"top": "import functools\ndef _NAME(by):\n    return by\nNAME = functools.partial(_NAME, NUMBER)\n",
                "use": "NAME()"},
    "walrus": {"top": "_list_NAME = [NAME := NUMBER]\n", "use": "NAME"},
    "pattern": {"top": "(NAME, _rest_NAME) = (NUMBER, 1)\n", "use": "NAME"},
    "context": {"top": "import contextlib\n@contextlib.contextmanager\ndef NAME():\n    yield NUMBER\n",
                "use": "[value for value in [NAME().__enter__()]][0]"},
    "slot of another function": {"top": "def NAME():\n    return NAME.value\nNAME.value = NUMBER\n", "use": "NAME()"},
    "deleted and made again": {"top": "NAME = 0\ndel NAME\nNAME = NUMBER\n", "use": "NAME"},
    "handler": {"top": "try:\n    raise KeyError\nexcept KeyError:\n    NAME = NUMBER\n", "use": "NAME"},
    "name of a container's method": {
        "helper": "class NAME:\n    def get(self):\n        return NUMBER\nthings_NAME = [NAME()]\n",
        "use": "helper.things_NAME[0].get()"},
    "subclass of what is annotated": {
        "helper": "class NAME:\n    def pop(self):\n        return 0\nclass _NAME(NAME):\n    def pop(self):\n"
                  "        return NUMBER\nmade_NAME = [_NAME]\n",
        "body": "def _NAME(self, given: helper.NAME):\n    return given.pop()\n",
        "use": "self._NAME(helper.made_NAME[0]())"},
    "given back by a built-in": {
        "helper": "class NAME:\n    def pop(self):\n        return NUMBER\nmade_NAME = [NAME()]\n",
        "init": "self.field_NAME = next(iter(helper.made_NAME))\n", "use": "self.field_NAME.pop()"},
    "attribute of a module": {"helper": "def __getattr__(name):\n    if name.startswith('__'):\n"
                                        "        raise AttributeError(name)\n    return NUMBER\n",
                              "use": "helper.anything_NAME"},
    "import within": {"helper": "NAME = NUMBER\n", "body": "def _NAME(self):\n    from helper import NAME\n"
                                                          "    return NAME\n", "use": "self._NAME()"},
    "method in a table": {
        "helper": "table_NAME = {}\ndef NAME(function):\n    table_NAME['one'] = function\n    return function\n",
        "body": "@helper.NAME\ndef hidden_NAME(self):\n    return NUMBER\n", "use": "helper.table_NAME['one'](self)"},
    "put into a list by a call": {"top": "def _NAME():\n    return NUMBER\nNAME = []\n"
                                         "_none_NAME = NAME.append(_NAME)\n", "use": "NAME[0]()"},
    "passed getattr": {"body": "def _NAME(self):\n    return NUMBER\n",
                       "use": "list(map(getattr, [self], ['_' + 'NAME']))[0]()"},
    "argument passed on": {"helper": "def NAME(function):\n    return function()\n",
                           "top": "def _NAME():\n    return NUMBER\n", "use": "helper.NAME(_NAME)"},
}  # fmt: skip
PLACES = ("top", "end", "helper", "base", "body", "init", "bases", "use")


def indented(text, by=4):
    return "".join(f"{' ' * by}{line}\n" for line in text.splitlines())


def program(random, names, numbers):
    """Both modules; methods in random order, with calls of each other."""
    parts = {place: [] for place in PLACES}
    methods = []
    for index, name in enumerate(names):
        shape = {key: text.replace("NAME", f"n{index}").replace("NUMBER", str(numbers[index]))
                 for key, text in SHAPES[name].items()}  # fmt: skip
        for place in PLACES:
            parts[place] += [shape[place]] if place in shape else []
        called = random.choice([None, *range(index)])  # and those before it
        further = "" if called is None else f", self.m{called}()"
        methods.append(f"def m{index}(self):\n    return ({shape['use']}{further})\n")
    bases = ", ".join([*parts["bases"], "Base"])
    text = "import helper\n" + "".join(parts["top"])
    text += "class Base:\n    pass\n" + indented("".join(parts["base"]))
    text += f"class Subject({bases}):\n    def __init__(self):\n        self.zero = 0\n"
    text += indented("".join(parts["init"]), 8) + indented("".join(parts["body"])) + indented("".join(methods))
    return {"subject.py": text + "".join(parts["end"]), "helper.py": "".join(parts["helper"])}


def seen(folder, files, count):
    """What each method returns, and the hashes of the code that its tests reach."""
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    prints = Fingerprints(Subject("subject", "Subject"), Version("x", folder, "folder", ()))
    codes = []
    for index in range(count):
        prefix = (Call("Subject", "Subject({args})", result="x"),)
        call = Call(f"m{index}", f"{{receiver}}.m{index}({{args}})")
        test = Test(("from subject import Subject",), prefix, ((call,),))
        codes.append((prints.code(test), [prints.part(f"call m{index}"), prints.part("build")]))
    sys.path.insert(0, str(folder))
    try:
        importlib.invalidate_caches()
        made = importlib.import_module("subject").Subject()
        return [repr(getattr(made, f"m{index}")()) for index in range(count)], codes
    finally:
        sys.path.remove(str(folder))
        for name in ("subject", "helper"):
            sys.modules.pop(name, None)


def missed(folder, random, names):
    """Which shape was edited, and the methods that answer in another way under the same name in the store."""
    numbers = [random.randrange(1, 50) for _ in names]
    edited = random.randrange(len(names))
    state = random.getstate()
    before = program(random, names, numbers)
    random.setstate(state)
    numbers[edited] += 50
    after = program(random, names, numbers)
    old, old_codes = seen(folder / "old", before, len(names))
    new, new_codes = seen(folder / "new", after, len(names))
    assert old != new, names[edited]
    wrong = [at for at in range(len(names)) if old[at] != new[at]
             and (old_codes[at][0] == new_codes[at][0] or old_codes[at][1] == new_codes[at][1])]  # fmt: skip
    kept = sum(one[0] == other[0] for one, other in zip(old_codes, new_codes, strict=True))
    return names[edited], wrong, kept


@pytest.fixture(autouse=True)
def no_byte_code(monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_by_itself(tmp_path, shape):
    assert missed(tmp_path, Random(0), [shape])[1] == []


def test_random_programs_and_edits(tmp_path):
    kept = 0
    for seed in range(120):
        random = Random(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        edited, wrong, same = missed(folder, random, random.choices(list(SHAPES), k=random.randint(2, 5)))
        assert wrong == [], (seed, edited)
        kept += same
    assert kept > 40  # or nothing is ever answered from the store


SOUND = """
import threading

class Total:
    def __init__(self):
        self._lock = threading.Lock()
        self.value = 0

    def add(self):
        return getattr(self, "_" + "add")()

    def _add(self):
        with self._lock:
            self.value = self.value + 1
"""


def test_a_lock_that_is_taken_away_behind_a_computed_name(tmp_path):
    """The whole command: an answer of an earlier run must not hide what the edited code does."""
    words = ("check", "total:Total", "--max-tests", "40", "--workers", "1", "--quiet")
    (tmp_path / "total.py").write_text(SOUND)
    assert plait(tmp_path, *words).returncode == 0
    again = plait(tmp_path, *words)
    assert again.returncode == 0
    assert "nothing has changed since" in again.stdout  # it says that this comes from the store
    (tmp_path / "total.py").write_text(SOUND.replace("with self._lock:", "if True:"))
    assert plait(tmp_path, *words).returncode == 1
    (tmp_path / "total.py").write_text(SOUND)
    assert plait(tmp_path, *words).returncode == 0
