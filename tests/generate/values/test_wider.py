"""Values for methods that refuse what their names and types suggest."""

from random import Random

import pytest
import zoo
from sequential import Runner

from plait.generate.catalogue import Hints
from plait.generate.sequence import Sequences
from plait.generate.values.mining import Mined, mine_examples
from plait.generate.values.recipes import examples_for
from plait.generate.values.value import Pool, literal
from plait.generate.values.wider import asked_for, wider


def returned(catalogue, runner, name, tests=40):
    sequences = Sequences(catalogue, runner, Random(0))
    for _ in range(tests):
        sequences.compose(0, [[catalogue.method(name)]])
    return sequences.knowledge.of(name).succeeded


def test_other_values_join_only_where_no_call_has_ever_returned():
    pool = Pool((literal("'a'"), literal("'b'")), further=(literal("'10:30'"),))
    random = Random(0)
    for _ in range(5):
        pool.fail(literal("'a'"))
    assert {pool.choose(random).text for _ in range(50)} == {"'a'", "'b'"}
    pool.fail(literal("'b'"))
    assert "'10:30'" in {pool.choose(random).text for _ in range(50)}
    pool.succeed(literal("'10:30'"))
    assert pool.values[0].text == "'10:30'"
    assert not pool.failed


def test_values_that_were_refused_come_less_often():
    pool = Pool((literal("'a'"), literal("'b'")))
    for _ in range(6):
        pool.fail(literal("'a'"))
    random = Random(0)
    drawn = [pool.choose(random).text for _ in range(200)]
    assert drawn.count("'a'") < drawn.count("'b'") / 4


def test_an_annotation_holds_for_other_values_too(catalogue_of):
    assert {each.kind for each in wider({"str"})} == {"str"}
    pool = catalogue_of(zoo.Clock).pools["alarm", "time_text"]
    assert {each.kind for each in pool.further} == {"str"}


def test_what_is_stated_in_the_settings_stays_alone(catalogue_of):
    catalogue = catalogue_of(zoo.Clock, hints=Hints(values={"time_text": ("'12'",)}))
    assert catalogue.pools["alarm", "time_text"].further == ()


def test_a_text_of_a_certain_shape_is_found(catalogue_of):
    assert returned(catalogue_of(zoo.Clock), Runner(), "alarm")


def test_a_function_whose_result_is_iterated_over_is_found(catalogue_of):
    assert returned(catalogue_of(zoo.Clock), Runner(), "each")


def test_examples_for_readers_say_what_methods_are_given():
    mined = Mined()
    mine_examples(examples_for(zoo.Clock), {"zone"}, mined)
    assert mined.given["zone", 0] == ["'Mars/Olympus'"]
    assert mined.given["zone", "summer"] == ["3"]


@pytest.mark.parametrize(
    ("message", "wrong", "kinds"),
    [
        ("'int' object is not iterable", "int", {"str", "dict", "list", "tuple", "bytes"}),
        ("'function' object has no attribute 'upper'", "callable", {"str", "bytes"}),
        ("'NoneType' object has no attribute 'items'", "None", {"dict"}),
        ("'str' object is not callable", "str", {"callable", "type"}),
        ("object of type 'int' has no len()", "int", {"str", "dict", "list", "tuple", "bytes"}),
        ("'str' object does not support item assignment", "str", {"dict", "list"}),
        ("a bytes-like object is required, not 'str'", "str", {"bytes"}),
        ("expected str, bytes or os.PathLike object, not int", "int", {"str"}),
        ("expected string or bytes-like object, got 'int'", "int", {"str"}),
        ("timeout must be an integer", "", {"int"}),
        ("object() takes no arguments", "type", {"type"}),
        ("nothing that says anything", "", set()),
    ],
)
def test_an_error_says_what_it_asks_for(message, wrong, kinds):
    blamed, _part, values = asked_for(message)
    assert blamed == wrong
    assert {each.kind for each in values} == kinds


def test_what_no_plain_value_has_is_given_to_a_stand_in(catalogue_of):
    assert returned(catalogue_of(zoo.Clock), Runner(), "wind")


def test_an_error_blames_what_the_object_was_made_of(catalogue_of):
    catalogue = catalogue_of(zoo.Framed)
    assert returned(catalogue, Runner(), "shown")


def test_what_is_annotated_stays_within_its_annotation(catalogue_of):
    catalogue = catalogue_of(zoo.Clock)
    returned(catalogue, Runner(), "tick", tests=10)
    assert {each.kind for each in catalogue.pools["tick", "amount"].values} == {"int"}


def test_a_key_that_is_absent_is_followed_by_one_that_was_put_in(catalogue_of):
    catalogue = catalogue_of(zoo.Shelves)
    sequences = Sequences(catalogue, Runner(), Random(0))
    tests = [sequences.compose(0, [[catalogue.method("take")]]) for _ in range(6)]
    assert sequences.knowledge.of("take").succeeded
    of_the_example = [test for test in tests[1:] if "'b': 2" in test.prefix[0].source]
    assert of_the_example
    assert all("take('b')" in test.suffixes[0][0].source for test in of_the_example)


def test_a_class_is_given_that_has_what_is_asked_of_it(catalogue_of):
    catalogue = catalogue_of(zoo.Front)
    assert catalogue.pool(catalogue.constructors[0], "store_cls").values[0].text == "Store"
    assert catalogue.pool(catalogue.method("Front"), "store_cls").values[0].text == "Store"


def test_a_name_that_says_a_date_gets_one_and_annotated_moments_are_near(catalogue_of):
    catalogue = catalogue_of(zoo.Front)
    assert catalogue.pool(catalogue.constructors[0], "until_dt").values[0].text == "datetime.datetime(2020, 1, 2)"


def test_what_is_passed_on_is_asked_by_names_of_the_other_class(catalogue_of):
    assert returned(catalogue_of(zoo.Front), Runner(), "__getattr__")


def test_a_bound_method_and_a_file_where_an_error_asks_for_them(catalogue_of):
    assert returned(catalogue_of(zoo.Bound), Runner(), "both")


def test_an_object_that_can_do_nothing_is_made_less_often(catalogue_of):
    sequences = Sequences(catalogue_of(zoo.Fussy), Runner(), Random(0))
    for _ in range(30):
        sequences.compose(0, [[sequences.catalogue.method("use")]])
    made = [sequences.prefix(0).drafts[0].call.source for _ in range(100)]
    assert made.count("x = Fussy('a')") > 40  # of twelve that could be made


def test_what_an_error_did_not_blame_is_kept(catalogue_of):
    assert returned(catalogue_of(zoo.Reader), Runner(), "read", tests=3)


class Merged(dict):
    """Its operand is not called ``other``."""

    def __ior__(self, more):
        self.update(more)
        return self


def test_the_operand_of_an_operator_is_mostly_of_the_same_class(catalogue_of):
    catalogue = catalogue_of(Merged)
    assert catalogue.pool(catalogue.method("__ior__"), "more").values[0].kind == "own"


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("dictionary update sequence element #0 has length 1; 2 is required", "dict"),
        ("cannot convert dictionary update sequence element #0 to a sequence", "dict"),
        ('near "a": syntax error', "str"),
        ("unhashable type: 'list'", "str"),
    ],
)
def test_what_a_table_a_statement_or_a_key_must_be(message, kind):
    assert asked_for(message)[2][0].kind == kind
