"""ConDiff's subjects: interface sizes, the one faulty method, the scenarios, and equal behaviour in one thread."""

import ast
import enum
import importlib.util
import itertools
import sys
import threading
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
LOCKS = (type(threading.Lock()), type(threading.RLock()))


def load(path: Path, name: str) -> ModuleType:
    """The module of a file, kept out of sys.modules but for the moment of its execution (dataclasses look there)."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[name]
    return module


scenarios = load(BENCHMARKS / "condiff" / "scenarios.py", "condiff_scenarios")
METHODS = {"C1": 26, "C2": 10, "C3": 26, "C4": 8, "C5": 44, "C6": 4}
CHANGED = {
    "C1": (1, 7, 13, 26), "C2": (1, 3, 5, 10), "C3": (1, 7, 13, 26),
    "C4": (1, 2, 4, 8), "C5": (1, 11, 22, 44), "C6": (1, 1, 2, 4),
}  # fmt: skip
SUBJECTS = pytest.mark.parametrize("subject", scenarios.SUBJECTS, ids=lambda subject: subject.number)
CELLS = [
    pytest.param(subject, scenario, count, id=f"{subject.number}-{scenario}")
    for subject in scenarios.SUBJECTS
    for scenario, count in zip(scenarios.SHARES, CHANGED[subject.number], strict=True)
]


def plain(value):
    """Deep state as plain data, without locks."""
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((plain(item) for item in value), key=repr)
    if isinstance(value, BaseException):
        return (type(value).__name__, str(value))
    if hasattr(value, "__dict__"):
        return (type(value).__name__, {k: plain(v) for k, v in vars(value).items() if not isinstance(v, LOCKS)})
    return value


class Script:
    """Calls on a receiver; keeps what each call gave and how receiver and arguments looked afterwards."""

    def __init__(self, receiver) -> None:
        self.receiver = receiver
        self.seen = []

    def call(self, method, *args):
        result = None
        try:
            result = getattr(self.receiver, method)(*args)
            outcome = plain(result)
        except Exception as error:
            outcome = plain(error)
        self.seen.append((method, outcome, plain(self.receiver), plain(args)))
        return result


def as_map_script(module):
    script = Script(module.AsMap({"a": [1, 2], "b": [3]}))
    for method, *args in (
        ("entry_set",), ("size",), ("is_empty",), ("contains_key", "a"), ("contains_value", [3]), ("get", "z"),
        ("get", "a"), ("put", "a", [1]), ("put_all", {}), ("put_all", {"q": [1]}), ("key_set",), ("values",),
        ("get_or_default", "z", [0]), ("put_if_absent", "a", [7]), ("put_if_absent", "z", [7]),
        ("remove_entry", "a", [9]), ("remove_entry", "a", [1, 2]), ("remove", "a"), ("replace", "a", []),
        ("replace", "b", []), ("replace_entry", "b", [0], []), ("replace_entry", "b", [3], []),
        ("equals", {"b": [3]}), ("hash_code",), ("to_string",), ("clear",), ("is_empty",), ("entry_set",),
    ):  # fmt: skip
        script.call(method, *args)
    seen = script.seen
    script = Script(module.AsMap({"k": [1]}))
    for method, *args in (
        ("replace_all", lambda key, values: []), ("compute", "k", lambda key, values: None), ("size",),
        ("compute", "k", lambda key, values: [2]), ("compute_if_absent", "k", lambda key: None),
        ("compute_if_present", "k", lambda key, values: values), ("merge", "k", [1], lambda one, two: None),
    ):  # fmt: skip
        script.call(method, *args)
    told = []
    script.call("for_each", lambda key, values: told.append(key))
    return [*seen, *script.seen, told]


def buffered_input_stream_script(module):
    script = Script(module.BufferedInputStream(module.ByteStream(b"abcdefghijklmnopqrstuvwxyz"), 4))
    for method, *args in (
        ("mark_supported",), ("reset",), ("read",), ("mark", 6), ("read",), ("read_block", bytearray(8), 1, 6),
        ("read_block", bytearray(2), 1, 6), ("reset",), ("available",), ("skip", 2), ("skip", 50), ("skip", 50),
        ("skip", 0), ("read_into", bytearray(3)), ("mark", 2), ("read_all",), ("read",), ("read_into", bytearray(1)),
        ("reset",), ("available",), ("close",), ("close",), ("read",), ("available",), ("mark", 1), ("skip", 1),
    ):  # fmt: skip
        script.call(method, *args)
    return script.seen


def int_range_script(module):
    script = Script(module.IntRange(5, 2))
    other = module.IntRange(3, 3)
    numbers = [None, 1, 2, 4, 6]
    for method in sorted(scenarios.public_methods(scenarios.subject("C3").source("old"), "IntRange")):
        if method.startswith("contains") and method != "contains_range":
            for number in numbers[0 if method.endswith("number") else 1 :]:
                script.call(method, number)
        elif method in {"contains_range", "overlaps_range", "equals"}:
            for argument in (None, other, script.receiver, module.IntRange(9, 8)):
                script.call(method, argument)
        else:
            script.call(method)
            script.call(method)
    return script.seen


def appender_attachable_script(module):
    script = Script(module.AppenderAttachable())
    a, b, c = (module.Appender(name) for name in "abc")
    for method, *args in (
        ("remove_all_appenders",), ("get_all_appenders",), ("get_appender", "a"), ("is_attached", a),
        ("remove_appender", a), ("remove_appender_named", "a"), ("append_loop_on_appenders", "x"),
        ("add_appender", None), ("add_appender", a), ("add_appender", a), ("add_appender", b), ("add_appender", c),
        ("append_loop_on_appenders", "y"), ("get_appender", "b"), ("get_appender", "z"), ("is_attached", c),
        ("remove_appender", b), ("remove_appender", b), ("get_all_appenders",), ("remove_appender_named", "a"),
        ("remove_appender_named", "a"), ("get_all_appenders",), ("remove_all_appenders",), ("get_all_appenders",),
        ("add_appender", b), ("append_loop_on_appenders", "z"),
    ):  # fmt: skip
        script.call(method, *args)
    return [*script.seen, plain([a, b, c])]


def logger_script(module):
    handler, parent_handler = module.Handler(), module.Handler()
    parent = module.Logger("parent")
    parent.add_handler(parent_handler)
    script = Script(module.Logger("child", "texts"))
    script.call("add_handler", handler)
    script.call("set_parent", parent)
    arguments = {
        "level": (module.Level.FINE, module.Level.WARNING), "message": ("m",), "source_class": ("C",),
        "source_method": ("f",), "bundle_name": ("t",), "parameter": (1,), "parameters": ([1, 2],), "result": (3,),
        "thrown": (None, ValueError("v")), "name": ("n",), "record": (module.LogRecord(module.Level.INFO, "r"),),
        "new_filter": (module.Filter(850), None), "new_level": (module.Level.FINEST, None),
        "handler": (parent_handler, handler), "use_parent_handlers": (False, True), "parent": (script.receiver, parent),
    }  # fmt: skip
    for _ in range(2):  # the second round meets the filter, the level and the handlers that the first one left
        for name, method in scenarios.public_methods(scenarios.subject("C5").source("old"), "Logger").items():
            names = [argument.arg for argument in method.args.args[1:]]
            for values in itertools.product(*(arguments[parameter] for parameter in names)):
                script.call(name, *values)
            if name == "set_filter":
                script.call("set_filter", module.Filter(950))
                script.call("warning", "dropped by the filter")
                script.call("severe", "let through by the filter")
    return [*script.seen, handler.published, parent_handler.published]


def object_pool_script(module):
    script = Script(module.ObjectPool())
    script.call("to_string")
    first = script.call("check_out")
    second = script.call("check_out")
    for method, *args in (
        ("to_string",), ("check_in", first), ("to_string",), ("check_out",), ("create",), ("check_in", second),
        ("check_in", second), ("check_out",), ("check_out",), ("to_string",),
    ):  # fmt: skip
        script.call(method, *args)
    return script.seen


def run_script(subject, source, folder):
    path = folder / f"{subject.module}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source, encoding="utf-8")
    return globals()[f"{subject.module}_script"](load(path, subject.module))


@SUBJECTS
def test_interfaces_have_the_sizes_of_the_paper(subject):
    for version in ("old", "new"):
        module = load(BENCHMARKS / "condiff" / version / f"{subject.module}.py", subject.module)
        owner = getattr(module, subject.class_name)
        visible = {name for name in dir(owner) if not name.startswith("_") and callable(getattr(owner, name))}
        assert len(visible) == METHODS[subject.number]
        assert visible == set(scenarios.public_methods(subject.source(version), subject.class_name))


@SUBJECTS
def test_versions_differ_in_the_faulty_method_alone(subject):
    old, new = subject.source("old"), subject.source("new")
    assert scenarios.changed_methods(old, new, subject.class_name) == {subject.faulty}

    def without_the_faulty_method(source):
        tree = ast.parse(source)
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and node.name == subject.class_name:
                node.body = [child for child in node.body if getattr(child, "name", "") != subject.faulty]
        return ast.dump(tree)

    assert without_the_faulty_method(old) == without_the_faulty_method(new)


@SUBJECTS
def test_the_script_calls_every_public_method(subject, tmp_path):
    seen = run_script(subject, subject.source("old"), tmp_path)
    called = {entry[0] for entry in seen if isinstance(entry, tuple)}
    assert called == set(scenarios.public_methods(subject.source("old"), subject.class_name))


@pytest.mark.parametrize(("subject", "scenario", "count"), CELLS)
def test_scenarios_change_as_many_methods_as_the_paper_and_nothing_sequential(subject, scenario, count, tmp_path):
    old, new = scenarios.make_scenario(subject.number, scenario, tmp_path)
    assert (old.parent.name, new.parent.name) == ("old", "new")
    before, after = old.read_text(encoding="utf-8"), new.read_text(encoding="utf-8")
    changed = scenarios.changed_methods(before, after, subject.class_name)
    assert len(changed) == count
    assert subject.faulty in changed
    assert run_script(subject, before, tmp_path / "a") == run_script(subject, after, tmp_path / "b")


def test_scenarios_are_the_same_for_the_same_seed(tmp_path):
    first = scenarios.make_scenario("C5", "BR50", tmp_path / "1")[1].read_text(encoding="utf-8")
    again = scenarios.make_scenario("logger", "BR50", tmp_path / "2")[1].read_text(encoding="utf-8")
    other = scenarios.make_scenario("C5", "BR50", tmp_path / "3", seed=1)[1].read_text(encoding="utf-8")
    assert first == again != other


def test_smaller_scenarios_are_contained_in_larger_ones():
    logger = scenarios.subject("C5")
    old = logger.source("old")
    changed = [
        scenarios.changed_methods(old, scenarios.scenario_source(logger, scenario), "Logger")
        for scenario in scenarios.SHARES
    ]
    assert all(small < large for small, large in itertools.pairwise(changed))


def test_a_locked_method_is_rewritten_as_in_figure_4():
    pool = scenarios.public_methods(scenarios.scenario_source(scenarios.subject("C6"), "BR100"), "ObjectPool")
    for name in ("create", "check_out", "check_in"):
        assert pool[name].decorator_list == []
        held = pool[name].body[1]
        assert isinstance(held, ast.With)
        assert ast.unparse(held.items[0]) == "self._lock"
        assert len(pool[name].body) == 2
    assert not any(isinstance(node, ast.With) for node in ast.walk(pool["to_string"]))


def test_an_unlocked_method_gets_an_unused_local():
    ranges = scenarios.public_methods(scenarios.scenario_source(scenarios.subject("C3"), "BR100"), "IntRange")
    edited = [ast.unparse(method.body[1]) for name, method in ranges.items() if name != "hash_code"]
    assert edited == ["unused = 0"] * 25


def test_unknown_subjects_are_named():
    with pytest.raises(ValueError, match="C6 or object_pool"):
        scenarios.subject("C7")


@SUBJECTS
def test_refactorings_change_the_text_and_nothing_sequential(subject, tmp_path):
    source = subject.source("old")
    expected = run_script(subject, source, tmp_path)
    refactored = scenarios.refactorings(source)
    assert len(refactored) == 4
    for name, text in refactored.items():
        assert run_script(subject, text, tmp_path / name) == expected, name
    assert "#" not in refactored["reformatted"]
    same = ast.dump(ast.parse(source))
    assert ast.dump(ast.parse(refactored["reformatted"])) == same
    assert ast.dump(ast.parse(refactored["private methods extracted"])) != same
    assert (".acquire()" in refactored["locks released in finally"]) == ("lock:" in source)


def test_refactored_locals_keep_closures_parameters_and_handlers():
    source = """
def outer(a, *, b=2):
    total = a
    hidden = [total for total in range(b)]
    kept = 5
    def inner(c):
        nonlocal kept
        kept = kept + c
        double = c * 2
        return double + moved
    moved = 7
    try:
        raise ValueError(a)
    except ValueError as error:
        caught = str(error)
    return total, hidden, inner(1), kept, caught
"""
    text = scenarios.refactorings(source)["locals renamed"]
    before, after = {}, {}
    exec(source, before)
    exec(text, after)
    assert before["outer"](4, b=3) == after["outer"](4, b=3) == (4, [0, 1, 2], 9, 6, "4")
    assert {"local_hidden", "local_double", "local_moved", "local_caught"} <= {
        node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)
    }


def test_known_hashes():
    module = load(BENCHMARKS / "condiff" / "new" / "int_range.py", "int_range")
    assert module.IntRange(3, 3).hash_code() == 862584
    assert module.IntRange(2, 2).hash_code() == 862546
    big = module.IntRange(-(2**31), 2**31 - 1)
    assert big.hash_code() == big.plain_hash()
    assert -(2**31) <= big.hash_code() < 2**31


@pytest.mark.parametrize("version", ["old", "new"])
def test_account_ignores_what_it_cannot_do(version):
    account = load(BENCHMARKS / "demo" / version / "account.py", "account").Account()
    for method, amount, balance in (
        ("deposit", 7, 7), ("withdraw", 5, 2), ("withdraw", 5, 2), ("deposit", -1, 2), ("withdraw", 0, 2),
    ):  # fmt: skip
        getattr(account, method)(amount)
        assert account.balance == balance
