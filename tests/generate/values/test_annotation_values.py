import pytest

from plait.generate.values.annotation import by_annotation
from plait.generate.values.names import by_name, role
from plait.generate.values.value import Value, kind_of


def texts(annotation):
    found = by_annotation(annotation, lambda name: None)
    return None if found is None else [each.text for each in found]


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        ("int", ["1", "2", "0"]),
        ("bool", ["True", "False"]),
        ("None", ["None"]),
        ("'str'", ["'a'", "'b'", "''"]),
        ("typing.List[ForwardRef('int')]", ["[1, 2]", "[1]", "[]"]),
        ("Optional[bool]", ["True", "False", "None"]),
        ("int | None", ["1", "2", "None", "0"]),
        ("typing.Union[int, str]", ["1", "'a'", "2", "'b'", "0", "''"]),
        ("Literal['r', 'w', 3]", ["'r'", "'w'", "3"]),
        ("list[int]", ["[1, 2]", "[1]", "[]"]),
        ("Iterable[_T]", ["['a', 'b']", "['a']", "[]"]),
        ("dict[str, int]", ["{'a': 1}", "{}", "{'a': 1, 'b': 2}"]),
        ("Mapping", ["{'a': 1}", "{}", "{'a': 1, 'b': 2}"]),
        ("set[bytes]", ["{b'a', b''}", "{b'a'}", "set()"]),
        ("tuple[int, str]", ["(1, 'a')", "(2, 'b')"]),
        ("tuple[int]", ["(1,)", "(2,)"]),
        ("tuple[int, ...]", ["(1, 2)", "(2, 0)"]),
        ("Callable[[int], bool]", ["lambda *args, **kwargs: None", "lambda *args, **kwargs: True"]),
        ("Annotated[int, 'positive']", ["1", "2", "0"]),
        ("type[int]", ["int"]),
        ("Type[~T]", ["Thing", "int", "str", "dict"]),
        ("Callable[[], ~T]", ["lambda *args, **kwargs: None", "fresh"]),
        ("Any", None),
        ("Any | int", None),
        ("_KT", None),
        ("not an annotation", None),
    ],
)
def test_values(annotation, expected):
    assert texts(annotation) == expected


def test_every_value_evaluates():
    for annotation in ["int", "list[dict[str, set[int]]]", "tuple[Callable, ...]", "frozenset[str]", "Iterator[int]"]:
        for text in texts(annotation):
            eval(text)


def test_an_object_that_is_refused_spoils_one_list_only():
    rates = [Value("Rate(1)", "Rate", ("from a import Rate",)), Value("Rate(2)", "Rate", ("from a import Rate",))]
    found = by_annotation("list[Rate]", lambda _: rates)
    assert [value.text for value in found] == ["[Rate(1), Rate(2)]", "[Rate(1)]", "[Rate(2)]", "[]"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("key", "key"), ("cache_key", "key"), ("maxsize", "size"), ("max_size", "size"), ("num_pools", "size"),
        ("timeout", "wait"), ("default_timeout", "wait"), ("on_change", "callback"), ("fn", "callback"),
        ("max_age_seconds", "lifetime"),
        ("is_open", "flag"), ("other", "other"), ("zorp", None), ("listener", "callback"), ("items", "items"),
    ],
)  # fmt: skip
def test_roles(name, expected):
    assert role(name) == expected


def test_names_give_values_that_evaluate():
    for name in ["key", "timeout", "maxsize", "callback", "url", "mapping", "exc", "index", "cls", "factory"]:
        assert by_name(name)
        for value in by_name(name):
            space = {}
            exec("\n".join(value.imports), space)
            eval(value.text, space)
    assert by_name("zorp") == []


def test_what_a_maker_makes_can_be_told_apart():
    from plait.generate.callables import fresh

    for name in ["constructor", "obj_creator", "default_factory"]:
        assert by_name(name)[0].text == "fresh"
    assert fresh("any", thing=1) != fresh()
    assert by_name("callback")[0].text != "fresh"


def test_some_callbacks_fail():
    from plait.generate.callables import failing

    assert "failing" in {value.text for value in by_name("func")}
    assert "failing" not in {value.text for value in by_name("listener")}
    with pytest.raises(ValueError, match="a"):
        failing(1, b=2)


def test_partner_goes_along_with_everything_and_remembers_nothing():
    from plait.generate.callables import Partner

    partner = Partner("o")
    with partner.session(1, timeout=2) as session:
        assert session == Partner("o.session()") != partner
        assert list(session.rows) == []
    assert vars(partner) == {"__name__": "o"}
    assert hash(partner) == hash(Partner("o"))
    assert not hasattr(partner, "_private")


def test_recorder_remembers_and_equals_by_name():
    from plait.generate.callables import Recorder

    recorder = Recorder("f", 7)
    assert recorder(1, a=2) == 7
    assert recorder.calls == [((1,), {"a": 2})]
    assert recorder == Recorder("f")
    assert hash(recorder) == hash(Recorder("f"))
    assert recorder != Recorder("g")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1", "int"), ("-1", "int"), ("'a'", "str"), ("None", "None"), ("[1]", "list"), ("lambda: 1", "callable"),
        ("int", "type"), ("len", "callable"), ("datetime.timedelta(1)", "timedelta"), ("a b", "expression"),
    ],
)  # fmt: skip
def test_kinds(text, kind):
    assert kind_of(text) == kind
