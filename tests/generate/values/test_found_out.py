"""What is found out about classes that say little: unions, subclasses, parts, lazy names, loops without an end."""

import ast
from random import Random

import unseen
from sequential import Runner

from plait.generate.callables import Partner, implemented
from plait.generate.preparing import Preparing
from plait.generate.sequence import Sequences
from plait.generate.values.annotation import by_members
from plait.generate.values.duck import changes, deciding, known_to, left_to_others, table_for
from plait.generate.values.makers import makers_of
from plait.generate.values.value import literal
from plait.generate.values.wider import parameter_in
from plait.subject.interface.discovery import discover
from plait.subject.interface.results import with_results
from plait.subject.source import Module


def texts(catalogue, method, parameter):
    return [each.text for each in catalogue.pools[method, parameter].values]


def test_a_union_with_a_silent_member_keeps_the_others():
    assert [each.text for each in by_members("Union[int, ~T, None]", lambda _: None)] == ["1", "2", "0"]
    assert [each.text for each in by_members("int | Any | str", lambda _: None)][:2] == ["1", "'a'"]
    assert by_members("int", lambda _: None) == by_members("no type at all", lambda _: None) == []


def test_subclasses_that_change_stand_first_for_an_abstract_class(catalogue_of):
    assert changes(unseen.Once)
    assert not changes(unseen.Always)
    shown = texts(catalogue_of(unseen.Kitchen), "put", "rule")
    assert shown.index("Once(lambda *args, **kwargs: None)") < shown.index("Always(1)")


def test_a_type_is_met_under_another_name(catalogue_of):
    sequences = Sequences(catalogue_of(unseen.Kitchen), Runner(), Random(0))
    put, take = (sequences.catalogue.method(name) for name in ("put", "take"))
    tests = [sequences.compose(0, [[put], [take]]) for _ in range(40)]
    pairs = [(one.args[0], other.args[0]) for test in tests if test for (one,), (other,) in [test.suffixes]]
    assert sum(one == other for one, other in pairs) > len(pairs) / 2


def test_an_object_comes_from_one_that_comes_from_another(catalogue_of):
    assert [each.name for each in makers_of(unseen.Shelf)] == ["shelf"]
    assert "Store().room('a').shelf('a')" in [each.text for each in catalogue_of(unseen.Shelf).recipes]


def test_what_a_class_leaves_to_its_subclasses():
    assert left_to_others(unseen.Table) == {"kind"}
    assert left_to_others(unseen.Resolving) == {"resolve_it"}
    assert left_to_others(unseen.Numbers) == left_to_others(unseen.Open) == frozenset()


def test_a_subclass_is_built_as_its_package_does(catalogue_of):
    assert "Numbers('./plait-' + 'numbers')" in [each.text for each in catalogue_of(unseen.Table).recipes]


def test_names_that_are_looked_up(catalogue_of):
    assert known_to(unseen.Lazy, "__getattr__", "") == ("one", "two", "three")
    assert known_to(unseen.Stages, "note", "stage") == ("after", "before")
    assert texts(catalogue_of(unseen.Lazy), "__getattr__", "attr")[:3] == ["'one'", "'two'", "'three'"]


def test_values_on_which_the_code_decides(catalogue_of):
    assert deciding(unseen.Oven, "turn", "by") == (41, -7)
    assert deciding(unseen.Oven, "turn", "dial") == ("heat", "minutes")
    assert deciding(unseen.Oven, "label", "text") == deciding(unseen.Oven, "label", "size") == ()
    catalogue = catalogue_of(unseen.Oven)
    assert texts(catalogue, "turn", "by")[:3] == ["40", "1", "41"]  # the usual ones come first
    assert texts(catalogue, "turn", "dial")[2:4] == ["'heat'", "'minutes'"]


def test_functions_of_a_module_are_read_like_methods(catalogue_of):
    assert known_to(unseen, "chosen", "side") == ("left", "right")
    assert texts(catalogue_of(unseen.Prices), "of", "fruit")[:2] == ["'apple'", "'pear'"]


def test_values_of_a_mapping_that_are_split_name_something():
    assert "'string:digits'" in table_for(unseen.Index, "fill", "spec")[0].text
    assert table_for(unseen.Index, "show", "spec") == []


def test_an_error_names_the_parameter(catalogue_of):
    assert parameter_in("update must be an instance of dict, Mapping") == "update"
    assert parameter_in("the argument 'size' must be an integer") == "size"
    assert parameter_in("nothing of this kind") is None
    sequences = Sequences(catalogue_of(unseen.Ledger), Runner(), Random(0))
    for _ in range(12):
        sequences.compose(0, [[sequences.catalogue.method("write")]])
    assert sequences.knowledge.of("write").succeeded


def test_other_arguments_are_tried_where_a_call_does_not_end(catalogue_of):
    catalogue = catalogue_of(unseen.Looping)
    for pool in catalogue.pools.values():
        pool.values = (literal("2"),)
    sequences = Sequences(catalogue, Runner(), Random(0))
    sequences.knowledge.of("count").endless = 1
    prepared = Preparing(sequences).of(catalogue.method("count"))
    assert prepared.prefix[-1].expression == "x.count(2)"


def test_a_result_that_is_read_when_it_is_iterated():
    interface = discover(unseen.Rows, name="unseen:Rows")
    found = {each.name: each.form for each in with_results(interface, unseen.Rows).methods}
    assert found["find().__iter__"] == "list({receiver})"


def test_names_for_types_and_names_of_typing():
    text = (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .parts import Part\n    from other import X\n"
        "def later():\n    from top.late import thing\n"
    )
    module = Module("top.middle", "top/middle.py", ast.parse(text), False, True, text.encode())
    assert (module.for_types, module.imported_late) == (("top.parts",), ("top.late",))
    assert "Alias" not in {each.name for each in discover(unseen, name="unseen").methods}


def test_a_parameter_named_for_a_class_takes_classes_of_that_name(catalogue_of):
    assert texts(catalogue_of(unseen.Kitchen), "follow", "rule_class")[:2] == ["Once", "Always"]


def test_a_file_that_must_exist(catalogue_of, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where the file is made
    catalogue = catalogue_of(unseen.Reading)
    sequences = Sequences(catalogue, Runner(), Random(0))
    for _ in range(12):
        sequences.compose(0, [[catalogue.method("take")]])
    assert sequences.knowledge.of("take").succeeded
    assert "Opener().reading(sample_file())" in [each.text for each in catalogue.recipes]


def test_a_parameter_named_like_the_last_word_of_the_class_takes_one(catalogue_of):
    catalogue = catalogue_of(unseen.MapWindow)
    assert "MapWindow(0, 2)" in texts(catalogue, "extend", "window")
    assert "Standin" not in {each.kind for each in catalogue.pools["extend", "window"].values}


def test_an_implementation_returns_what_it_promises():
    made = implemented(unseen.Provider)()
    assert isinstance(made.metadata(), unseen.Metadata)
    assert (made.metadata().name, made.metadata()) == ("a", made.metadata())
    assert isinstance(made.refusing(), Partner)


def test_a_collection_that_cannot_change_is_made_with_elements(catalogue_of):
    catalogue = catalogue_of(unseen.Frozen)
    assert "Frozen({'a': 1, 'b': 2})" in [each.text for each in catalogue.recipes]
    sequences = Sequences(catalogue, Runner(), Random(0))
    for _ in range(12):
        sequences.compose(0, [[catalogue.method("__getitem__")]])
    assert sequences.knowledge.of("__getitem__").succeeded
    assert "a caller with elements" not in {each.origin for each in catalogue_of(unseen.Growing).recipes}
