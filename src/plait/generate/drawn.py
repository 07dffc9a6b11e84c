"""Values of a type that only its own rules can make, drawn from Hypothesis once and kept as source text."""

from __future__ import annotations

import ast
import builtins
import importlib
import tempfile
import warnings
from typing import Any

from plait.generate.value import Value, kind_of

_DRAWS = 30


def draw(wanted: type, *, seed: int, count: int) -> list[Value]:
    """Up to ``count`` values of the type whose repr reads back as an equal value, shortest first.

    The same seed gives the same values. Nothing is written: Hypothesis keeps its files in a folder that is gone after.
    """
    found: dict[str, Value] = {}
    for value in _examples(wanted, seed):
        text = repr(value)
        imports = _imports(text, type(value))
        if imports is not None and _reads_back(text, imports, value):
            found.setdefault(text, Value(text, kind_of(text), imports))
    return sorted(found.values(), key=lambda each: (len(each.text), each.text))[:count]


def _examples(wanted: type, seed: int) -> list[Any]:
    # Imported late: most subjects need none of this, and it costs a third of a second.
    import hypothesis  # noqa: PLC0415
    from hypothesis import configuration, strategies  # noqa: PLC0415

    drawn: list[Any] = []
    quiet = hypothesis.settings(
        database=None, max_examples=_DRAWS, deadline=None, phases=(hypothesis.Phase.generate,),
        suppress_health_check=list(hypothesis.HealthCheck), verbosity=hypothesis.Verbosity.quiet,
    )  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="plait-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        configuration.set_hypothesis_home_dir(folder)
        try:

            @hypothesis.seed(seed)
            @quiet
            @hypothesis.given(strategies.from_type(wanted))
            def collect(value: Any) -> None:
                drawn.append(value)

            collect()
        except Exception:  # a type without a strategy, or one whose constructor refuses what was drawn
            return drawn
        finally:
            configuration.set_hypothesis_home_dir(None)
    return drawn


def _imports(text: str, made: type) -> tuple[str, ...] | None:
    """Import lines for the names in ``text``, or None if one of them cannot be found where the type lives."""
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return None
    module = importlib.import_module(made.__module__)
    lines = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Name) or hasattr(builtins, node.id):
            continue
        if hasattr(module, node.id):
            lines.add(f"from {made.__module__} import {node.id}")
        elif node.id == made.__module__.partition(".")[0]:
            lines.add(f"import {made.__module__}")
        else:
            return None
    # A module such as datetime holds a class of its own name; the dotted repr means the module.
    if text.startswith(f"{made.__module__}.{made.__qualname__}"):
        return (f"import {made.__module__}",)
    return tuple(sorted(lines))


def _reads_back(text: str, imports: tuple[str, ...], value: Any) -> bool:
    scope: dict[str, Any] = {}
    try:
        exec("\n".join(imports), scope)
        return bool(eval(text, scope) == value)
    except Exception:  # the type's own code runs here
        return False
