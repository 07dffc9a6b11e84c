from collections import Counter
from random import Random

import zoo

from plait.errors import UsageError
from plait.generate.catalogue import Hints
from plait.generate.outcome import CallOutcome, missing_arguments
from plait.generate.values.value import OWN, Pool, literal


def drawn(pool, times=400):
    random = Random(1)
    return Counter(pool.choose(random).kind for _ in range(times))


def test_rejected_kinds_fade_and_accepted_ones_grow():
    pool = Pool((literal("1"), literal("'a'")))
    before = drawn(pool)
    assert before["int"] > before["str"]
    for _ in range(5):
        pool.reject("int")
        pool.accept("str")
    after = drawn(pool)
    # The weights are 1/11 and 0.8: 41 of 400 draws in the mean, standard deviation 6; 80 is six of them away.
    assert 0 < after["int"] < 80


def test_spare_values_take_over_only_when_all_else_failed():
    pool = Pool((literal("1"), literal("'a'")), spare=(literal("[1]"),))
    pool.reject("int")
    assert "list" not in drawn(pool)
    pool.reject("str")
    assert drawn(pool)["list"] > 0
    pool.accept("int")
    assert "list" not in drawn(pool)


def test_kinds_to_do_without():
    assert Pool((OWN,)).choose(Random(0), without=("own",)) is None


def test_catalogue_pools(catalogue_of):
    catalogue = catalogue_of(zoo.Limiter)

    def texts(method, parameter):
        return [each.text for each in catalogue.pools[method, parameter].values]

    assert texts("hit", "key") == ["'a'", "'b'"]
    assert texts("hit", "cost") == ["1", "2", "3"]
    assert texts("switch", "mode") == ["Mode.READ", "Mode.WRITE"]
    assert texts("Limiter", "rate")[0].startswith("Rate(")
    assert texts("merge", "other")[0] == "x"
    assert any(text.startswith("Limiter(Rate(") for text in texts("merge", "other"))
    assert all(len(pool.values) <= 5 for pool in catalogue.pools.values())


def test_catalogue_travels():
    import pickle

    from plait.generate.catalogue import build_catalogue
    from plait.subject.interface.discovery import discover

    catalogue = build_catalogue(zoo.Limiter, discover(zoo.Limiter, name="zoo:Limiter"))
    assert pickle.loads(pickle.dumps(catalogue)) == catalogue


def test_hints_replace_what_was_found(catalogue_of):
    hints = Hints(
        imports=("from zoo import Rate",), factories=("Limiter(Rate(9, 1.0))",),
        values={"key": ("'k'",), "hit.cost": ("7", "8")}, exclude=("merge",), not_parallel=(("hit", "switch"),),
    )  # fmt: skip
    catalogue = catalogue_of(zoo.Limiter, hints=hints)
    assert [each.form for each in catalogue.constructors] == ["Limiter(Rate(9, 1.0))"]
    assert [each.text for each in catalogue.pools["hit", "key"].values] == ["'k'"]
    assert [each.text for each in catalogue.pools["hit", "cost"].values] == ["7", "8"]
    assert [each.name for each in catalogue.methods] == ["hit", "switch"]
    assert catalogue.not_parallel == (("hit", "switch"),)
    assert "from zoo import Rate" in catalogue.imports


def test_excluding_what_is_not_there_is_an_error(catalogue_of):
    import pytest

    with pytest.raises(UsageError, match="no method mrge to exclude"):
        catalogue_of(zoo.Limiter, hints=Hints(exclude=("mrge",)))
    with pytest.raises(UsageError, match="no method hitt to call; did you mean hit?"):
        catalogue_of(zoo.Limiter, hints=Hints(only=("hitt",)))


def test_only_the_methods_that_are_named(catalogue_of):
    catalogue = catalogue_of(zoo.Limiter, hints=Hints(only=("hit", "switch"), exclude=("switch",)))
    assert [each.name for each in catalogue.methods] == ["hit"]


def test_constructor_calls_of_the_projects_tests_are_used(catalogue_of, tmp_path):
    (tmp_path / "test_cache.py").write_text("def test(): Cache(41, on_evict=None).put('seen', 17)\n")
    catalogue = catalogue_of(zoo.Cache, tests=tmp_path)
    assert [call.source for call in catalogue.built] == ["x = Cache(41, on_evict=None)"]
    assert catalogue.pools["put", "key"].values[0].text == "'seen'"


def test_missing_arguments_are_read_from_the_message():
    def names(message, method="put"):
        return missing_arguments(method, CallOutcome("raised", "TypeError", message))

    assert names("Cache.put() missing 2 required positional arguments: 'key' and 'value'") == ["key", "value"]
    assert names("put() missing required argument 'key' (pos 1)") == ["key"]
    assert names("callback() missing 1 required positional argument: 'x'") == []
    assert names("unhashable type: 'list'") == []
