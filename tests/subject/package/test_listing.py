"""What of a package is public, and how its modules are named."""

import sys
import threading

import pytest

from plait.run.primitives.thread import Thread
from plait.subject.interface.discovery import discover
from plait.subject.interface.members import constructor_parameters
from plait.subject.package.listing import list_package
from plait.subject.versions.version import Version


def listed(folder, **files):
    for name, text in files.items():
        place = folder.joinpath(*name.split("__"))
        place = place.with_name(f"{place.name}.py" if place.name != "init" else "__init__.py")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return list_package("shop", Version("x", folder, "folder", ()))


def test_tests_of_a_package_and_what_only_scripts_define_are_left_out(tmp_path):
    script = "class Stock:\n    pass\nif __name__ == '__main__':\n    class Demo:\n        pass\n    def main(): pass\n"
    found = listed(tmp_path, shop__init="", shop__stock=script, shop__tests="class TestStock:\n    pass\n")
    assert [each.name for each in found.classes] == ["shop.stock:Stock"]
    assert found.functions == []


def test_a_module_that_a_function_of_its_name_hides(tmp_path, monkeypatch):
    listed(tmp_path, shopping__init="from shopping.price import price\n", shop__init="",
           shopping__price="seen = []\ndef price(x):\n    seen.append(x)\n    return len(seen)\n")  # fmt: skip
    monkeypatch.syspath_prepend(str(tmp_path))
    __import__("shopping.price")
    interface = discover(sys.modules["shopping.price"], name="shopping.price")
    scope = {}
    exec("\n".join(interface.imports), scope)
    assert eval(interface.constructors[0].form, scope) is sys.modules["shopping.price"]
    for name in ("shopping", "shopping.price"):
        del sys.modules[name]


class Looping(threading.Thread):
    def run(self):
        self.stop()

    def stop(self):
        self.stopped = True


class Controlled(Thread):
    def __init__(self):
        super().__init__(target=print)

    def run(self):
        self.stop()

    def stop(self):
        self.stopped = True


@pytest.mark.parametrize("cls", [Looping, Controlled])
def test_nobody_but_a_thread_itself_calls_its_run(cls):
    """It is one of plait's own while threads are controlled."""
    interface = discover(cls, name=f"{__name__}:{cls.__name__}")
    assert {"start", "stop"} <= {each.name for each in interface.methods}
    assert "run" not in {each.name for each in interface.methods}
    assert not {"daemon", "setName", "ident"} & {each.name for each in interface.methods}
    assert any("`start` has it called" in note for note in interface.notes)


def test_a_constructor_without_parameters_takes_none_of_its_base():
    assert constructor_parameters(Controlled) == ()
    assert "target" in {each.name for each in constructor_parameters(Looping)}


def test_a_package_without_a_file_of_its_own_is_listed_whole(tmp_path):
    found = listed(tmp_path, shop__stock="class Stock:\n    pass\n", shop__parts__init="class Part:\n    pass\n")
    assert {each.name for each in found.classes} == {"shop.stock:Stock", "shop.parts:Part"}
    within = list_package("shop.parts", Version("x", tmp_path, "folder", ()))
    assert [each.name for each in within.classes] == ["shop.parts:Part"]


def test_what_a_module_imports_for_its_own_use_is_not_handed_on(tmp_path):
    private = "class Kept:\n    pass\nclass Used:\n    pass\nclass Shown:\n    pass\nclass Offered:\n    pass\n"
    facade = "from ._impl import Kept, Used\ndef make():\n    return Used()\n"
    found = listed(
        tmp_path, shop__init="from ._impl import Offered\n", shop___impl=private, shop__facade=facade,
        shop__listed="from ._impl import Shown, Used\n__all__ = ['Shown']\nmade = Shown()\n",
    )  # fmt: skip
    assert sorted(each.name for each in found.classes) == ["shop._impl:Kept", "shop._impl:Offered", "shop._impl:Shown"]


def test_an_abstract_class_that_keeps_nothing_has_no_state(tmp_path):
    head = "import abc\nclass Plain(abc.ABC):\n    name = 'a'\n    @abc.abstractmethod\n    def get(self): ...\n"
    more = (
        "class Keeps(abc.ABC):\n    def __init__(self):\n        self.rows = {}\n    @abc.abstractmethod\n"
        "    def get(self): ...\n"
        "class Shares(abc.ABC):\n    rows = {}\n    @abc.abstractmethod\n    def get(self): ...\n"
        "class Real(Plain):\n    def get(self):\n        self.count = 1\n"
        "class Concrete(Plain):\n    def get(self):\n        return 1\n"
    )
    found = listed(tmp_path, shop__init="", shop__stock=head + more)
    silent = {each.qualname: bool(each.silent) for each in found.classes}
    assert silent == {"Plain": True, "Keeps": False, "Shares": False, "Real": False, "Concrete": False}


def test_who_inherits_from_a_protocol_is_no_protocol(tmp_path):
    more = (
        "from typing import Protocol\nfrom enum import Enum\n"
        "class Store(Protocol):\n    def get(self): ...\n"
        "class Wider(Store, Protocol):\n    def put(self): ...\n"
        "class Memory(Store):\n    def get(self):\n        return 1\n"
        "class Base(Enum):\n    pass\nclass Colour(Base):\n    RED = 1\n"
    )
    found = listed(tmp_path, shop__init="", shop__stock=more)
    silent = {each.qualname: bool(each.silent) for each in found.classes}
    assert silent == {"Store": True, "Wider": True, "Memory": False, "Base": True, "Colour": True}
