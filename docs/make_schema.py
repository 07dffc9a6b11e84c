"""Writes schema.md, the reference of all fields of a result file, from the JSON Schema in the package."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

HEAD = """# All fields of a result file

Made from the JSON Schema, which is part of the package. It describes what `--json` writes:

```python
from importlib.resources import files

schema = files("plait.report").joinpath("schemas/result-1.json").read_text(encoding="utf-8")
```

The `1` is the value of `schema` in a result. Fields may be added, never renamed: ignore those that you do not know.
[Results](results.md) says how the fields belong together.
"""
COMMANDS = ("check", "diff", "perf", "explore", "review", "bisect", "replay", "audit", "fix")


def page(schema: dict[str, Any]) -> str:
    """Return the page."""
    defs = schema["$defs"]
    others = [name for name in defs if name not in (*COMMANDS, "result", "finding")]
    parts = [HEAD, _section("Every result", defs["result"]), _section("A finding", defs["finding"])]
    parts += [_section(f"plait {name}", defs[name]) for name in COMMANDS]
    parts += [_section(f"Part: {name}", defs[name]) for name in others if "properties" in defs[name]]
    return "\n".join(parts)


def _section(title: str, part: dict[str, Any]) -> str:
    needed = set(part.get("required", ()))
    lines = [
        f"## {title}",
        "",
        f"{_first(part.get('description', title))}.",
        "",
        "| field | type | |",
        "| --- | --- | --- |",
    ]
    for name, field in part["properties"].items():
        lines += _rows(name, field, needed=name in needed)
    return "\n".join([*lines, ""])


def _rows(name: str, field: dict[str, Any], *, needed: bool) -> list[str]:
    said = field.get("description", "")
    mark = " (always)" if needed else ""
    rows = [f"| `{name}` | {_type(field)} | {said}{mark} |".replace("  |", " |")]
    inner = field.get("items", field) if field.get("type") == "array" else field
    required = set(inner.get("required", ()))
    for below, part in inner.get("properties", {}).items():
        rows += _rows(f"{name}.{below}", part, needed=below in required)
    return rows


def _type(field: dict[str, Any]) -> str:
    if "$ref" in field:
        return field["$ref"].rpartition("/")[2]
    if "anyOf" in field:
        return " or ".join(_type(each) for each in field["anyOf"])
    if "enum" in field:
        return ", ".join(f"`{each}`" for each in field["enum"])
    if "const" in field:
        return f"`{json.dumps(field['const'])}`"
    kind = str(field.get("type", "any"))
    return f"list of {_type(field['items'])}" if kind == "array" and "items" in field else kind


def _first(text: str) -> str:
    return text[:1].upper() + text[1:]


if __name__ == "__main__":
    text = files("plait.report").joinpath("schemas/result-1.json").read_text(encoding="utf-8")
    Path(__file__).with_name("schema.md").write_text(page(json.loads(text)), encoding="utf-8")
