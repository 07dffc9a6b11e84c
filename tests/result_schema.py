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
    return told(closed(), json.loads(json.dumps(data)))


def refused(data):
    """What of a result the schema, as published, refuses."""
    return told(jsonschema.Draft202012Validator(PUBLISHED), data)


def told(validator, data):
    return [f"{'/'.join(map(str, each.absolute_path))}: {each.message[:300]}" for each in validator.iter_errors(data)]
