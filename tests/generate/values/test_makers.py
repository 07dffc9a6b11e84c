"""Objects that others of their package hand out."""

from dataclasses import replace
from random import Random

import zoo
from sequential import Runner

from plait.generate.sequence import Sequences
from plait.generate.values.duck import left_open
from plait.generate.values.makers import makers_of
from plait.generate.values.recipes import Recipe, recipes_for

FRAMING = ("from zoo import framing",)


def test_a_method_that_returns_one_is_a_way_to_get_one(catalogue_of):
    assert {each.name for each in makers_of(zoo.Handle)} == {"acquire", "first", "a_handle"}
    texts = {each.text for each in catalogue_of(zoo.Handle).recipes}
    assert {"Lender().acquire('a')", "Lender().first", "a_handle()"} <= texts


def test_generators_coroutines_and_copies_hand_out_nothing(catalogue_of):
    names = {each.name for each in makers_of(zoo.Handle)}
    assert not {"each", "later", "copy", "_hidden"} & names


def test_a_view_of_a_collection_comes_from_one_with_something_in_it(catalogue_of):
    catalogue = catalogue_of(zoo.BagView)
    assert "Bag(['a', 'b']).view()" in {each.text for each in catalogue.recipes}
    sequences = Sequences(catalogue, Runner(), Random(0))
    for _ in range(10):
        sequences.compose(0, [[catalogue.method("first")]])
    assert sequences.knowledge.of("first").succeeded


def test_what_is_handed_out_works_where_the_signature_does_not(catalogue_of):
    catalogue = catalogue_of(zoo.Handle)
    sequences = Sequences(catalogue, Runner(), Random(0))
    for _ in range(10):
        sequences.compose(0, [[catalogue.method("release")]])
    assert sequences.knowledge.of("release").succeeded
    assert sequences.built()[1].origin in {"`Lender.acquire`", "`Lender.first`", "`a_handle`"}


def test_a_large_size_in_an_example_becomes_a_small_one():
    recipe = recipes_for(zoo.Shelf, None)[0]
    assert recipe.text == "Shelf(2, 'a', depth=3)"
    assert "smaller size" in recipe.origin


def test_what_is_handed_out_has_to_be_an_instance(catalogue_of):
    catalogue = catalogue_of(zoo.Framed)
    assert all(each.makes == {"Framed"} for each in catalogue.recipes)
    assert "framing()" not in {each.text for each in catalogue.recipes}
    sequences = Sequences(replace(catalogue, recipes=(Recipe("framing()", FRAMING, "x", frozenset({"Framed"})),)),
                          Runner(), Random(0))  # fmt: skip
    assert sequences.built()[1] is None


def test_a_method_that_uses_what_only_subclasses_have_is_left_open():
    assert left_open(zoo.Template, "AttributeError: 'Template' object has no attribute '_step'")
    assert not left_open(zoo.Template, "AttributeError: 'Template' object has no attribute 'late'")
    assert not left_open(zoo.Template, "AttributeError: 'int' object has no attribute '_step'")
    assert not left_open(zoo.Template, "KeyError: '_step'")


def test_a_subclass_does_what_its_base_leaves_open(catalogue_of):
    catalogue = catalogue_of(zoo.Rack)
    assert [each.text for each in catalogue.recipes][:1] == ["MemoryRack(':memory:')"]
    assert "a subclass" in catalogue.recipes[0].origin
    sequences = Sequences(catalogue, Runner(), Random(0))
    for _ in range(10):
        for name in ("size", "open"):
            sequences.compose(0, [[catalogue.method(name)]])
    assert sequences.knowledge.of("size").succeeded
    assert sequences.knowledge.of("open").succeeded
    assert not any("a subclass" in each.origin for each in catalogue_of(zoo.MemoryRack).recipes)
