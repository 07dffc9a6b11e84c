"""The line that raised an exception, for people: of the project, else of an installed package, else of the test."""

import json
import linecache

from plait.observe.spots import spot_of_error


def raised_by(source, **names):
    """An exception of a function whose source stands in no file, as a test's does."""
    linecache.cache["<test 1>"] = (len(source), None, source.splitlines(keepends=True), "<test 1>")
    exec(compile(source, "<test 1>", "exec"), names)
    try:
        names["step"]()
    except Exception as error:
        return spot_of_error(error.with_traceback(error.__traceback__.tb_next))  # without this file
    raise AssertionError("nothing was raised")


def own(text):
    return json.loads(text)


def test_a_line_of_the_project_is_preferred():
    spot = raised_by("def step():\n    return own('{')\n", own=own)
    assert (spot.function, spot.code) == ("own", "return json.loads(text)")


def test_a_line_of_an_installed_class_rather_than_one_of_the_test():
    spot = raised_by("def step():\n    return json.loads('')\n", json=json)
    assert (spot.file, spot.function) == ("decoder.py", "JSONDecoder.raw_decode")


def test_a_line_of_the_test_where_there_is_no_other():
    spot = raised_by("def step():\n    return {}['a']\n")
    assert (spot.file, spot.line, spot.code) == ("<test 1>", 2, "return {}['a']")


def test_the_innermost_line_is_not_one_of_plait_compiled_elsewhere():
    space = {"__name__": "plait.run.hooks.iteration"}
    exec(compile("def walk(items):\n    return [1 / each for each in items]\n", "src/plait/x.py", "exec"), space)
    try:
        space["walk"]([0])
    except ZeroDivisionError as error:
        spot = spot_of_error(error)
    assert spot.file.endswith("test_spots.py")
    assert spot.code == 'space["walk"]([0])'


def test_rewritten_code_is_under_test_whatever_its_name():
    space = {"__name__": "plait.run.hooks.iteration", "_p_r": None}
    exec(compile("def walk(items):\n    return items[0]\n", "hooks.py", "exec"), space)
    try:
        space["walk"]([])
    except IndexError as error:
        spot = spot_of_error(error)
    assert (spot.file, spot.line) == ("hooks.py", 2)
