"""Parameters without annotations whose objects are told by their names and by what is done with them."""

from zoo import Cache, OldLedger, Panel, Till

from plait.generate.values.duck import asked_of, wanted


def texts(catalogue, method, parameter):
    return [value.text for value in catalogue.pools[method, parameter].values]


def test_what_is_asked_of_a_parameter_counts_where_it_is_kept_too():
    assert asked_of(Till, "__init__", "ledger") == {"_rates", "book"}
    assert asked_of(Till, "close", "printer") == {"show", "hide"}
    assert asked_of(Cache, "__init__", "maxsize") == frozenset()


def test_a_class_whose_name_ends_like_the_parameter_is_taken(catalogue_of):
    found = texts(catalogue_of(Till), "Till", "ledger")
    assert {text.partition("(")[0] for text in found} == {"CashLedger"}


def test_what_is_asked_rules_out_a_class_of_that_name(catalogue_of):
    assert wanted(Till, "ledger", frozenset({"book", "refuse"}), [{"OldLedger": OldLedger}]) is None
    assert texts(catalogue_of(Till), "close", "printer") == ["Panel()"]


def test_what_plain_data_has_tells_no_class():
    assert wanted(Till, "thing", frozenset({"get", "items"}), []) is None
    assert wanted(Till, "thing", frozenset({"show", "hide"}), []) is Panel
