"""Code under test whose exceptions cannot say what they are, and whose values look like ours."""

import types

from plait.judge.difference.outcome import attributes, has_state
from plait.model.foreign import exception_text
from plait.observe.canonical import canonical


class SpeechlessError(Exception):
    def __str__(self):
        return self.missing


def test_an_exception_without_a_text():
    assert exception_text(SpeechlessError()) == "<its text raised AttributeError>"
    assert exception_text(ValueError("x")) == "x"


def test_a_word_of_the_code_under_test_is_no_object_state():
    assert has_state(("C", ("state", ("left", 1), ("right", 2))))
    assert not has_state(("C", ("state", None)))
    assert list(attributes(("tuple", ("C", ("state", None)), ("D", ("state", ("left", 1)))))) == [("D", "left")]


class Dispatcher:
    def __call__(self, *args):
        return args


def test_anything_callable_can_be_bound():
    dispatcher = Dispatcher()
    assert canonical(types.MethodType(dispatcher, "a")) == canonical(types.MethodType(Dispatcher(), "a"))
    assert canonical([].append)[0] == "named"
