"""The ports of CovCon's classes: they work sequentially, are as large as the originals, and only one version fails."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import textwrap
import typing
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks" / "covcon"


def load(path):
    """A fresh copy of the module, so that class-level state starts anew."""
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(importlib.sys.modules, spec.name, module)
        spec.loader.exec_module(module)
    return module


ROWS = load(FOLDER / "table.py").ROWS
schedules = load(FOLDER / "schedules.py")
BY_MODULE = {row.module: row for row in ROWS}
VERSIONS = ("faulty", "sound")
every_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.module)
every_version = pytest.mark.parametrize("version", VERSIONS)


def public_methods(owner):
    return [name for name in dir(owner) if not name.startswith("_") and callable(getattr(owner, name))]


# -- the table and the interfaces ------------------------------------------------------------------------------------


def test_the_table_has_the_papers_eighteen_classes_and_their_pair_counts():
    assert [row.number for row in ROWS] == list(range(1, 19))
    assert all(row.pairs == row.methods * (row.methods + 1) // 2 for row in ROWS)
    assert {path.stem for path in (FOLDER / "faulty").glob("*.py")} == set(BY_MODULE)
    assert {path.stem for path in (FOLDER / "sound").glob("*.py")} == set(BY_MODULE)


@every_version
@every_row
def test_the_interface_is_as_large_as_the_originals(row, version):
    count = len(public_methods(getattr(load(getattr(row, version)), row.cls)))
    assert abs(count - row.methods) <= row.methods / 10, count


@every_row
def test_both_versions_have_the_same_interface_with_named_parameters(row):
    faulty, sound = (getattr(load(getattr(row, version)), row.cls) for version in VERSIONS)
    assert public_methods(faulty) == public_methods(sound)
    for name in public_methods(faulty):
        parameters = inspect.signature(getattr(faulty, name)).parameters
        assert list(parameters) == list(inspect.signature(getattr(sound, name)).parameters)
        assert all(one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for one in parameters.values()), name


LOCK_FREE = {"day", "int_range"}  # immutable but for idempotent caches


@every_row
def test_every_method_of_a_sound_class_is_wholly_under_the_lock(row):
    owner = getattr(load(row.sound), row.cls)
    for name in [*public_methods(owner), "__repr__"]:
        (function,) = ast.parse(textwrap.dedent(inspect.getsource(getattr(owner, name)))).body
        body = function.body[1:] if ast.get_docstring(function) else function.body
        locked = len(body) == 1 and isinstance(body[0], ast.With) and ast.unparse(body[0].items[0]).endswith("._lock")
        assert locked != (row.module in LOCK_FREE), name


# -- sequential behaviour --------------------------------------------------------------------------------------------

SCRIPTS = {
    "buffered_input_stream": [
        ("x = BufferedInputStream(ByteSource(b'abcdef'), 2)", None), ("x.read()", 97), ("x.mark(5)", None),
        ("x.read_block(3)", b"bcd"), ("x.reset()", None), ("x.read()", 98), ("x.available()", 4), ("x.skip(2)", 2),
        ("x.read_into(t)", 2), ("bytes(t)", b"ef."), ("x.read()", -1), ("x.close()", None), ("x.close()", None),
        ("x.read()", "StreamClosedError"), ("x.mark_supported()", True),
    ],
    "logger": [
        ("x = Logger('a')", None), ("h = Handler()", None), ("x.add_handler(h)", None), ("x.get_filter()", None),
        ("x.set_filter(Filter(900))", None), ("x.info('m')", None), ("x.is_loggable(700)", False),
        ("p = Logger('p')", None), ("x.set_parent(p)", None), ("p.set_level(300)", None),
        ("x.is_loggable(400)", True), ("p.set_parent(x)", "ValueError"), ("len(x.get_handlers())", 1),
        ("Logger.get_logger('z') is Logger.get_logger('z')", True), ("x.set_filter(None)", None),
        ("x.logp_with_parameter(900, 'C', 'm', 'text', 1)", None), ("x.exiting('C', 'm')", None),
    ],
    "synchronized_map": [
        ("x = SynchronizedMap()", None), ("y = SynchronizedMap()", None), ("x.put('k', 1)", None), ("x.put('k', 2)", 1),
        ("y.put_all(x)", None), ("x.equals(y)", True), ("x.hash_code() == y.hash_code()", True),
        ("x.put(y, x)", None), ("y.put('x', x)", None), ("x.hash_code() == x.hash_code()", True),
        ("x.to_string()", "{'k'=2, {'k'=2, 'x'=(this map)}=(this map)}"), ("x.equals(y)", False),
        ("x.remove('k')", 2), ("x.size()", 1), ("x.contains_value(x)", True), ("x.clear()", None),
        ("x.is_empty()", True),
    ],
    "concurrent_hash_map": [
        ("x = ConcurrentHashMap()", None), ("x.put('a', 1)", None), ("x.put_if_absent('a', 2)", 1),
        ("x.put(2, 'b')", None),
        ("y = ConcurrentHashMap()", None), ("y.put_all(x)", None), ("x.equals(y)", True), ("x.size()", 2),
        ("x.hash_code() == y.hash_code()", True), ("x.replace_value('a', 1, 3)", True), ("x.get('a')", 3),
        ("x.remove_entry(2, 'c')", False), ("x.put('x', x)", None), ("x.hash_code()", "RecursionError"),
        ("x.clear()", None), ("x.hash_code()", 0), ("x.put(None, 1)", "ValueError"), ("y.contains('b')", True),
    ],
    "string_buffer": [
        ("x = StringBuffer('abc')", None), ("x.insert_sequence(1, x)", None), ("x.to_string()", "aabcbc"),
        ("x.delete_char_at(0)", None), ("x.reverse()", None), ("x.to_string()", "cbcba"), ("x.delete(1, 99)", None),
        ("x.append_bool(True)", None), ("x.index_of('true')", 1), ("x.char_at(-1)", "IndexError"),
        ("x.set_length(7)", None), ("x.length()", 7), ("x.set_length(2)", None), ("x.substring(0)", "ct"),
        ("x.insert_range(0, x, 0, 3)", "IndexError"), ("x.replace(0, 1, 'xyz')", None), ("x.last_index_of('t')", 3),
    ],
    "time_series": [
        ("x = TimeSeries('s')", None), ("[x.add(p, p / 2) for p in (5, 1, 9, 3, 7)]", [None] * 5),
        ("x.get_time_periods()", [1, 3, 5, 7, 9]), ("x.add(5, 0.0)", "ValueError"), ("x.get_value_of(3)", 1.5),
        ("x.delete(3)", None), ("x.get_index(5)", 1), ("x.add_or_update(5, 8.0)", 2.5), ("x.get_value(1)", 8.0),
        ("x.clone().equals(x)", True), ("x.set_maximum_item_count(2)", None), ("x.get_time_periods()", [7, 9]),
        ("x.set_history_count(1)", None), ("x.age_history_count_items()", None), ("x.get_item_count()", 1),
        ("x.delete_range(0, 0)", None), ("x.get_next_time_period()", "IndexError"),
    ],
    "xy_series": [
        ("x = XYSeries('s', False)", None), ("l = ChangeListener()", None), ("x.add_change_listener(l)", None),
        ("[x.add(v, v * 2) for v in (3.0, 1.0, 2.0)]", [None] * 3), ("x.get_data_pair(0)", (1.0, 2.0)),
        ("x.add(2.0, 0.0)", "ValueError"), ("x.update(1, None)", None), ("x.get_y_value(1)", None),
        ("x.delete(0, 1)", None), ("x.get_item_count()", 1), ("x.remove_change_listener(l)", None),
        ("x.fire_series_changed()", None), ("x.get_x_value(-1)", "IndexError"),
    ],
    "number_axis": [
        ("x = NumberAxis('n')", None), ("x.center_range(-1.0)", None),
        ("(x.get_lower_bound(), x.get_upper_bound())", (-1.5, -0.5)), ("x.set_upper_bound(3.5)", None),
        ("x.resize_range(2.0)", None), ("(x.get_lower_bound(), x.get_upper_bound())", (-4.0, 6.0)),
        ("x.calculate_visible_tick_count()", 11), ("x.set_range_bounds(2.0, 1.0)", "ValueError"),
        ("x.is_inverted()", False), ("x.set_inverted(True)", None), ("x.is_inverted()", True),
        ("x.value_to_position(1.0, 10.0)", 5.0), ("x.clone().equals(x)", True),
    ],
    "period_axis": [
        ("x = PeriodAxis()", None), ("x.get_upper_bound()", 1.0), ("x.get_range().upper", 15001.0),
        ("x.set_upper_bound(1.0)", None), ("(x.get_first(), x.get_last())", (0, 1)), ("x.get_range().upper", 2.0),
        ("x.previous_period()", None), ("x.get_period_count()", 3), ("x.set_locale('de')", None),
        ("x.get_locale()", "de"), ("x.set_first(7)", None), ("x.get_range()", "ValueError"),
    ],
    "xy_plot": [
        ("x = XYPlot()", None), ("a = Axis('a')", None), ("x.set_domain_axis_at(3, a)", None),
        ("x.map_dataset_to_domain_axis(1, 3)", None), ("x.get_domain_axis_for_dataset(1) is a", True),
        ("c = x.clone()", None), ("c.get_domain_axis_for_dataset(1) is a", True), ("c.equals(x)", True),
        ("x.clear_domain_axes()", None), ("c.get_domain_axis_count()", 2), ("c.equals(x)", False),
        ("m = Marker()", None), ("x.add_domain_marker(m)", None), ("x.remove_domain_marker(m)", True),
        ("x.set_weight(4)", None), ("x.get_weight()", 4), ("x.get_range_axis_location()", "left"),
    ],
    "day": [
        ("x = Day(26, 10, 2010)", None), ("Day.parse_day('2010-10-26').equals(x)", True),
        ("Day.parse_day('10/26/2010').equals(x)", True), ("Day.parse_day('1')", None), ("Day.parse_day(')]Fo4')", None),
        ("Day.parse_day('2010-13-45')", None), ("x.next().to_string()", "2010-10-27"), ("x.get_day_of_week()", 2),
        ("x.get_first_millisecond()", 1288051200000), ("x.previous().is_before(x)", True),
        ("Day(31, 12, 9999).next()", None), ("Day(30, 2, 2010)", "ValueError"),
    ],
    "shared_pool_data_source": [
        ("x = SharedPoolDataSource()", None), ("x.get_connection()", "IllegalStateError"),
        ("x.set_connection_pool_data_source(ConnectionPoolDataSource('u'))", None), ("x.get_connection()", "u/None"),
        ("x.get_num_active()", 1), ("x.return_connection('u/None')", None), ("x.get_num_idle()", 1),
        ("x.set_data_source_name('n')", "IllegalStateError"), ("len(InstanceRegistry.instance_map)", 1),
        ("x.close()", None), ("len(InstanceRegistry.instance_map)", 0), ("x.get_max_active()", 8),
    ],
    "per_user_pool_data_source": [
        ("x = PerUserPoolDataSource()", None), ("x.set_connection_pool_data_source(None)", None),
        ("x.set_data_source_name('n')", None), ("x.get_reference()", "PerUserPoolDataSource/2"),
        ("x.set_per_user_max_active('u', 3)", None), ("x.get_per_user_max_active('u')", 3),
        ("x.get_per_user_max_active('v')", None), ("x.set_data_source_name('m')", "IllegalStateError"),
        ("x.close()", None), ("list(InstanceRegistry.instance_map)", ["1"]), ("x.set_description('d')", None),
        ("x.get_description()", "d"),
    ],
    "xstream": [
        ("x = XStream()", None), ("x.to_xml('aaa')", '<?xml version="1.0"?><string>aaa</string>'),
        ("x.to_xml([1, None, True])", '<?xml version="1.0"?><list><int>1</int><null/><boolean>true</boolean></list>'),
        ("x.from_xml(x.to_xml('a<b'))", "a<b"), ("x.alias('n', 'int')", None), ("x.from_xml('<n>7</n>')", 7),
        ("x.from_xml('<n>x</n>')", "ConversionError"), ("x.to_xml(object)", "ConversionError"), ("o = Output()", None),
        ("x.create_object_output_stream(o).root", "object-stream"), ("x.marshal(2.5, o)", None),
        ("o.text.count('<?xml')", 2), ("x.set_mode(3)", None), ("x.get_mode()", 3),
    ],
    "vector_117": [
        ("x = Vector(1)", None), ("[x.add_element(e) for e in 'abca']", [None] * 4), ("x.last_index_of('a')", 3),
        ("x.index_of('a')", 0), ("x.insert_element_at('z', 1)", None), ("x.to_string()", "['a', 'z', 'b', 'c', 'a']"),
        ("x.remove_element('b')", True), ("x.element_at(-1)", "IndexError"), ("x.trim_to_size()", None),
        ("x.capacity()", 4), ("x.clone().elements()", ("a", "z", "c", "a")), ("x.set_size(1)", None),
        ("x.remove_all_elements()", None), ("x.last_index_of('a')", -1), ("x.first_element()", "IndexError"),
    ],
    "vector_142": [
        ("x = Vector()", None), ("y = Vector()", None), ("[x.add(e) for e in 'abc']", [True] * 3),
        ("y.add_all(x)", True),
        ("x.equals(y)", True), ("x.hash_code() == y.hash_code()", True), ("y.remove_at(0)", "a"),
        ("x.contains_all(y)", True), ("y.contains_all(x)", False), ("x.retain_all(y)", True),
        ("x.to_array()", ["b", "c"]),
        ("x.remove_all(y)", True), ("x.is_empty()", True), ("x.add_all_at(0, x)", False), ("y.sub_list(1, 2)", ["c"]),
        ("y.list_iterator_from(1)", ("c",)), ("y.get(5)", "IndexError"), ("y.set(0, 'q')", "b"),
    ],
    "int_range": [
        ("x = IntRange(3)", None), ("x.hash_code()", 862584), ("x.hash_code()", 862584),
        ("IntRange(2).hash_code()", 862546), ("IntRange(5, 1).to_array()", [1, 2, 3, 4, 5]),
        ("x.to_string()", "Range[3,3]"), ("IntRange(1, 5).contains_range(x)", True), ("x.contains_number(None)", False),
        ("x.equals(IntRange(3, 3))", True), ("x.overlaps_range(IntRange(4, 5))", False),
    ],
    "as_map": [
        ("x = AsMap({'k': [1, 2], 'l': [3]})", None), ("x.size()", 2), ("x.get('k')", (1, 2)),
        ("x.contains_value([3])", True), ("x.remove('k')", (1, 2)), ("x.values()", ((3,),)),
        ("x.put('q', [])", "NotImplementedError"),
        ("x.to_string()", "{l=[3]}"), ("x.entry_set() is None", False), ("x.clear()", None), ("x.is_empty()", True),
        ("AsMap().size()", 2), ("x.equals(AsMap({}))", True),
    ],
}  # fmt: skip


@every_version
@every_row
def test_sequential_behaviour(row, version):
    names = vars(load(getattr(row, version)))
    names["t"] = bytearray(b"...")
    for line, expected in SCRIPTS[row.module]:
        try:
            if line[1:4] == " = ":
                exec(line, names)
                continue
            found = eval(line, names)
        except Exception as error:
            found = type(error).__name__
        assert found == expected, line


SIMPLE = {int: 1, float: 1.0, bool: True, str: "a", bytes: b"a", bytearray: bytearray(b"a"), object: "a"}


def value_for(annotation, names):
    """What somebody who sees nothing but the annotation would pass first."""
    if annotation in SIMPLE:
        return SIMPLE[annotation]
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (list, tuple):
        return origin(value_for(one, names) for one in arguments if one is not Ellipsis)
    if origin is dict:
        return {value_for(arguments[0], names): value_for(arguments[1], names)}
    if arguments:  # a union with None
        return value_for(arguments[0], names)
    return Exception("a") if annotation is Exception else annotation(*arguments_for(annotation.__init__, names))


def arguments_for(function, names):
    hints = typing.get_type_hints(function, names)
    parameters = [one for one in inspect.signature(function).parameters.values() if one.name != "self"]
    return [value_for(hints[one.name], names) for one in parameters if one.default is inspect.Parameter.empty]


def call_everything(row, version):
    """One object, all its methods in turn, arguments from the annotations alone."""
    names = vars(load(getattr(row, version)))
    owner = names[row.cls]
    receiver = owner(*arguments_for(owner.__init__, names))
    outcomes = {}
    for name in sorted(public_methods(owner), key=lambda name: (name in ("close", "clear"), name)):
        method = getattr(receiver, name)
        try:
            outcomes[name] = schedules.describe(method(*arguments_for(method, names)))
        except Exception as error:
            outcomes[name] = ("raised", type(error).__name__)
    return outcomes, repr(receiver)


@every_row
def test_all_methods_can_be_called_from_their_annotations_and_both_versions_agree(row):
    (faulty, faulty_state), (sound, sound_state) = (call_everything(row, version) for version in VERSIONS)
    if row.module == "as_map":
        assert (faulty.pop("entry_set"), sound.pop("entry_set")[0][0]) == ("EntrySet", "'a'")
    assert faulty == sound
    assert faulty_state == sound_state
    failed = [name for name, outcome in sound.items() if outcome[:1] == ("raised",)]
    assert len(failed) <= max(2, len(sound) // 4), failed


# -- the published failures, scheduled by hand -----------------------------------------------------------------------


def show(row, version, order, patience=0.0):
    with pytest.MonkeyPatch.context() as monkeypatch:
        race = schedules.Race(monkeypatch, order, patience)
        return schedules.SCENARIOS[row.module](load(getattr(row, version)), race)


def legal_outcomes(row, version):
    return [show(row, version, order) for order in (("first", "second"), ("second", "first"))]


@every_row
def test_the_faulty_class_fails_as_published(row):
    found = show(row, "faulty", "gap", patience=20.0)
    assert found not in legal_outcomes(row, "faulty")
    if row.symptom != "wrong-result":
        assert {"deadlock": "DeadlockError"}.get(row.symptom, row.symptom) in found


@every_row
def test_the_sound_class_survives_the_same_interruption(row):
    assert show(row, "sound", "gap", patience=0.05) in legal_outcomes(row, "sound")
