"""Holds a result file against the schema in the package, with no field that the schema does not describe."""

import functools
import json
from importlib.resources import files

import jsonschema

from plait.model.result import SCHEMA

TEXT = files("plait.report").joinpath(f"schemas/result-{SCHEMA}.json").read_text(encoding="utf-8")
PUBLISHED = json.loads(TEXT)
_PARTS = {"result", "lines"}  # of others, which have more


@functools.cache
def closed():
    """As published, but with no field that it does not describe: whoever adds one has to say what it is."""
    schema = json.loads(TEXT)
    for name, part in schema["$defs"].items():
        if "properties" in part and name not in _PARTS:
            part["unevaluatedProperties"] = False
        for inner in part.get("properties", {}).values():
            _close(inner)
    return jsonschema.Draft202012Validator(schema)


def _close(part):
    if isinstance(part, list):
        for each in part:
            _close(each)
    elif isinstance(part, dict):
        for each in part.values():
            _close(each)
        if isinstance(part.get("properties"), dict) and "ran" not in part["properties"]:
            part["unevaluatedProperties"] = False


def undescribed(data):
    """What of a result the schema refuses or does not know."""
    return told(closed(), without_repetition(json.loads(json.dumps(data))))


def without_repetition(data):
    """The data with one row of each kind in long lists: an interleaving of 20,000 steps has few kinds of rows."""
    if isinstance(data, dict):
        return {key: without_repetition(value) for key, value in data.items()}
    if isinstance(data, list):
        kinds = {_kind(each): each for each in data} if len(data) > 100 else dict(enumerate(data))
        return [without_repetition(each) for each in kinds.values()]
    return data


def _kind(value):
    """All that a schema may ask for; of a number, only its type and sign."""
    if isinstance(value, dict):
        return dict, tuple((key, _kind(each)) for key, each in value.items())
    if isinstance(value, list):
        return list, tuple(map(_kind, value))
    return type(value), (value > 0) - (value < 0) if isinstance(value, int | float) else value


def refused(data):
    """What of a result the schema, as published, refuses."""
    return told(jsonschema.Draft202012Validator(PUBLISHED), data)


def refused_as(data, part):
    """What of one part of a result its definition in the schema refuses."""
    schema = {"$defs": PUBLISHED["$defs"], "$ref": f"#/$defs/{part}"}
    return told(jsonschema.Draft202012Validator(schema), data)


def told(validator, data):
    return [f"{'/'.join(map(str, each.absolute_path))}: {each.message[:300]}" for each in validator.iter_errors(data)]
