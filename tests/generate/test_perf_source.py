import subprocess
import sys

import pytest

from plait.generate.perf import load_source
from plait.model.test import Call, Test

GET = Call("get", "{receiver}.get({args})", "x", ("'a'",))


def made(*suffixes, prefix=(), imports=()):
    first = Call("dict", "dict({args})", args=("a=1",), result="x")
    return Test(imports, (first, *prefix), suffixes)


def run(source):
    scope = {}
    exec(source, scope)
    return scope


def test_a_suffix_repeats_its_calls():
    counted = Call("list", "[]", result="a1")
    append = Call("append", "a1.append({args})", "x", ("1",))
    scope = run(load_source(made((GET, append), (append,), prefix=(counted,)), 5))
    x, log = scope["prefix"]()
    first, second = scope["SUFFIXES"]
    first(x, log, scope["REPEAT"])
    assert log == [1] * 5
    second(x, log, 2)
    assert log == [1] * 7


def test_statements_are_written_as_statements():
    store = Call("__setitem__", "{receiver}[{0}] = {1}", "x", ("'b'", "2"))
    drop = Call("__delitem__", "del {receiver}[{0}]", "x", ("'b'",))
    scope = run(load_source(made((store, drop)), 3))
    (x,) = scope["prefix"]()
    scope["SUFFIXES"][0](x, 3)
    assert x == {"a": 1}


def test_what_costs_time_to_make_is_made_before_the_clock_runs():
    call = Call("setdefault", "{receiver}.setdefault({args})", "x", ("'f'", "lambda *args, **kwargs: None"))
    source = load_source(made((call, call), (call,)), 1)
    assert source.count("lambda") == 1
    scope = run(source)
    shared = scope["prefix"]()
    assert len(shared) == 2
    assert callable(shared[1])


def test_an_iterator_is_made_anew_each_time():
    call = Call("update", "{receiver}.update({args})", "x", ("iter([('b', 1)])",))
    source = load_source(made((call,)), 1)
    assert "x.update(iter([('b', 1)]))" in source


def test_watched_calls_can_be_made_one_by_one():
    scope = run(load_source(made((GET, GET), (GET,)), 1, watched=True))
    assert [len(calls) for calls in scope["CALLS"]] == [2, 1]
    assert scope["METHODS"] == [["get", "get"], ["get"]]
    scope["CALLS"][0][1](*scope["prefix"]())


def test_results_of_the_prefix_are_shared():
    keys = Call("keys", "{receiver}.keys()", "x", result="r1")
    use = Call("__contains__", "{0} in r1", "x", ("'a'",))
    scope = run(load_source(made((use,), prefix=(keys,)), 1))
    scope["SUFFIXES"][0](*scope["prefix"](), 1)


def test_the_source_needs_no_plait(tmp_path):
    call = Call("setdefault", "{receiver}.setdefault({args})", "x", ("'f'", "Recorder('f')"))
    test = made((call,), imports=("from plait.generate.callables import Recorder", "import math"))
    source = load_source(test, 2)
    assert "import plait" not in source
    assert "from plait" not in source
    file = tmp_path / "load.py"
    file.write_text(source + "\nSUFFIXES[0](*prefix(), REPEAT)\n")
    subprocess.run([sys.executable, "-I", "-S", str(file)], check=True, cwd=tmp_path)


@pytest.mark.parametrize("repeat", [1, 40])
def test_the_number_of_repetitions_stands_in_the_source(repeat):
    assert run(load_source(made((GET,)), repeat))["REPEAT"] == repeat
