"""A performance test as plain Python: what runs in the timed region is what a person would have written by hand."""

from __future__ import annotations

import ast
import inspect
from typing import TYPE_CHECKING

from plait.generate import callables
from plait.generate.value import is_literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plait.model.test import Call, Test

_OWN = "from plait.generate.callables import "


def load_source(test: Test, repeat: int, *, watched: bool = False) -> str:
    """The module of a test: ``prefix()`` makes what is shared, each suffix repeats its calls ``repeat`` times.

    Arguments that are no literals are made once, before the clock runs. ``watched`` adds one function per call, by
    which a trial finds out which of them fail. The module needs no plait: callables of ours stand in it as source.
    """
    shared = shared_names(test)
    hoisted: dict[str, str] = {}
    bodies = [[_statement(call, hoisted) for call in suffix] for suffix in test.suffixes]
    parameters = ", ".join([*shared, *hoisted.values(), "repeat"])
    lines = [*_header(test.imports), "", f"REPEAT = {repeat}", "", "", "def prefix():"]
    lines += [f"    {call.source}" for call in test.prefix]
    lines += [f"    {name} = {text}" for text, name in hoisted.items()]
    lines += [f"    return ({', '.join([*shared, *hoisted.values()])},)"]
    for number, body in enumerate(bodies):
        lines += ["", "", f"def suffix_{number}({parameters}):", "    for _ in range(repeat):"]
        lines += [f"        {line}" for line in body]
    lines += ["", "", f"SUFFIXES = [{', '.join(f'suffix_{number}' for number in range(len(bodies)))}]"]
    return "\n".join([*lines, *(_calls(test, bodies, [*shared, *hoisted.values()]) if watched else ()), ""])


def shared_names(test: Test) -> list[str]:
    """The variables of the prefix that the suffixes may use: the receiver and the arguments made for them."""
    names = [call.result for call in test.prefix if call.result is not None]
    return list(dict.fromkeys(names))


def _calls(test: Test, bodies: Sequence[Sequence[str]], shared: Iterable[str]) -> list[str]:
    lines = []
    methods = [[call.method for call in suffix] for suffix in test.suffixes]
    for number, body in enumerate(bodies):
        for place, line in enumerate(body):
            lines += ["", "", f"def call_{number}_{place}({', '.join(shared)}):", f"    {line}"]
    listed = ", ".join(
        f"[{', '.join(f'call_{number}_{place}' for place in range(len(body)))}]" for number, body in enumerate(bodies)
    )
    return [*lines, "", "", f"CALLS = [{listed}]", f"METHODS = {methods!r}"]


def _header(imports: Sequence[str]) -> list[str]:
    if not any(line.startswith(_OWN) for line in imports):
        return list(imports)
    # Ours first: a future import must stand at the top of the module.
    own = inspect.getsource(callables).split("\n")
    return [*own, *(line for line in imports if not line.startswith(_OWN))]


def _statement(call: Call, hoisted: dict[str, str]) -> str:
    """The call as a statement, with names in place of the arguments that cost time to make."""
    args = tuple(_hoist(text, hoisted) for text in call.args)
    kwargs = tuple((name, _hoist(text, hoisted)) for name, text in call.kwargs)
    return type(call)(call.method, call.form, call.receiver, args, kwargs).expression


def _hoist(text: str, hoisted: dict[str, str]) -> str:
    if is_literal(text) or text.isidentifier() or not _can_be_shared(text):
        return text
    return hoisted.setdefault(text, f"made_{len(hoisted) + 1}")


def _can_be_shared(text: str) -> bool:
    """Whether repetitions may use the same object; an iterator is used up by the first of them."""
    node = ast.parse(text, mode="eval").body
    if isinstance(node, ast.GeneratorExp):
        return False
    called = node.func if isinstance(node, ast.Call) else None
    return not (isinstance(called, ast.Name) and called.id in {"iter", "map", "zip", "filter", "enumerate"})
