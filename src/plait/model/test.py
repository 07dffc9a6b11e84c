"""A generated test: a sequential prefix and concurrent suffixes, as source text.

Everything is plain strings and tuples. So a test can be printed, compared, pickled, sent as JSON and written as a
pytest file without importing the classes that it uses. Arguments are Python expressions over literals, imported names
and variables that earlier prefix calls have bound.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from math import factorial, prod
from typing import Any, TypedDict

MAX_ORDERS = 400
"""Orders of whole calls that are run for one test at most: a test with more of them cannot be judged."""
MOST_THREADS = 5
"""Threads of a test at most: six calls, one in each thread, have 720 orders."""

MOST_CALLING = 256
"""Threads of a measured test at most. Each of them is a real thread, and a round with many takes seconds."""


def count_orders(lengths: Sequence[int]) -> int:
    """Return in how many orders threads can make so many calls each, one whole call after the other."""
    return factorial(sum(lengths)) // prod(map(factorial, lengths))


def judged_lengths(length: int, threads: int) -> list[int]:
    """Return how many calls each of the threads makes, ``length`` if possible, so that the test can be judged."""
    lengths = [length] * threads
    while count_orders(lengths) > MAX_ORDERS and max(lengths) > 1:
        longest = max(range(threads), key=lambda thread: (lengths[thread], thread))
        lengths[longest] -= 1
    return lengths


def methods_of(name: str) -> tuple[str, ...]:
    """Return the methods behind a name of the interface.

    ``size.setter`` is the property, ``with`` both methods of a context manager, ``read+write`` a use of two in one.
    """
    parts = [part.removesuffix(".setter").removesuffix(".deleter") for part in name.split("+")]
    return tuple(each for part in parts for each in (("__enter__", "__exit__") if part == "with" else (part,)))


class TestLines(TypedDict):
    """A test as text: calls before the threads start, then those of each thread."""

    prefix: list[str]
    suffixes: list[list[str]]


@functools.lru_cache(maxsize=8192)
def _written(form: str, receiver: str, args: tuple[str, ...], kwargs: tuple[tuple[str, str], ...]) -> str:
    """Return a call as an expression; cached, because each is needed dozens of times."""
    named = [*args, *(f"{name}={value}" for name, value in kwargs)]
    return form.format(*args, receiver=receiver, args=", ".join(named))


def has_value(form: str) -> bool:
    """Return whether calls of this form (`Call.form`) have a value that a variable can take."""
    return "=" not in form and not form.startswith(("with ", "del "))


@dataclass(frozen=True, slots=True)
class Call:
    """One outer call.

    ``form`` says how the call is written: ``{receiver}``, ``{args}`` (all arguments, comma separated) and ``{0}``,
    ``{1}`` (single arguments) are filled in: ``"{receiver}.get({args})"``, ``"{receiver}[{0}]"``,
    ``"{receiver}[{0}] = {1}"``, ``"len({receiver})"``, ``"{0} in {receiver}"``, ``"Cache({args})"``.
    """

    method: str
    form: str
    receiver: str = "x"
    args: tuple[str, ...] = ()
    kwargs: tuple[tuple[str, str], ...] = ()
    result: str | None = None

    @property
    def expression(self) -> str:
        """The call alone, without the variable that takes its result."""
        return _written(self.form, self.receiver, self.args, self.kwargs)

    @property
    def source(self) -> str:
        """One line of Python."""
        return self.expression if self.result is None else f"{self.result} = {self.expression}"

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that the call runs, if it is one of the interface; else its own name."""
        return methods_of(self.method) if "{receiver}" in self.form else (self.method,)

    def __repr__(self) -> str:
        """Return what a data class would, in a third of the time: seeds and digests are made of it."""
        return (
            f"Call(method={self.method!r}, form={self.form!r}, receiver={self.receiver!r}, args={self.args!r}, "
            f"kwargs={self.kwargs!r}, result={self.result!r})"
        )

    def __reduce__(self) -> tuple[type[Call], tuple[Any, ...]]:
        """Pickle by constructor arguments: calls travel by the thousand, and the way of data classes is slow."""
        return (Call, (self.method, self.form, self.receiver, self.args, self.kwargs, self.result))

    def as_json(self) -> dict[str, Any]:
        """Return plain data, read back by `from_json`."""
        return {
            "method": self.method, "form": self.form, "receiver": self.receiver, "args": list(self.args),
            "kwargs": [list(pair) for pair in self.kwargs], "result": self.result,
        }  # fmt: skip

    @classmethod
    def from_line(cls, line: str) -> Call:
        """Return the call in a line of source; its syntax shows what is called."""
        tree = ast.parse(line).body[0]
        result = None
        text = line
        if isinstance(tree, ast.Assign) and len(tree.targets) == 1 and isinstance(tree.targets[0], ast.Name):
            result, text = tree.targets[0].id, ast.get_source_segment(line, tree.value) or line
        called = next((node.func for node in ast.walk(tree) if isinstance(node, ast.Call)), None)
        name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else text
        return cls(name, text.replace("{", "{{").replace("}", "}}"), result=result)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Call:
        """Return the inverse of `as_json`."""
        return cls(
            data["method"], data["form"], data["receiver"], tuple(data["args"]),
            tuple((name, value) for name, value in data["kwargs"]), data["result"],
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Test:
    """A prefix that builds the shared objects, and suffixes that use them concurrently, one thread each."""

    __test__ = False  # pytest must not collect it

    imports: tuple[str, ...]
    prefix: tuple[Call, ...]
    suffixes: tuple[tuple[Call, ...], ...]

    def __repr__(self) -> str:
        """Return the text quickly, as `Call.__repr__` does."""
        return f"Test(imports={self.imports!r}, prefix={self.prefix!r}, suffixes={self.suffixes!r})"

    def __reduce__(self) -> tuple[type[Test], tuple[Any, ...]]:
        """Keep pickles small, as `Call.__reduce__` does."""
        return (Test, (self.imports, self.prefix, self.suffixes))

    @property
    def calls(self) -> tuple[Call, ...]:
        """All calls of the suffixes, thread by thread."""
        return tuple(call for suffix in self.suffixes for call in suffix)

    def as_lines(self) -> TestLines:
        """Return the readable form that the result file's ``test`` field has."""
        return {
            "prefix": [call.source for call in self.prefix],
            "suffixes": [[call.source for call in suffix] for suffix in self.suffixes],
        }

    def as_json(self) -> dict[str, Any]:
        """Return plain data, read back by `from_json`."""
        return {
            "imports": list(self.imports),
            "prefix": [call.as_json() for call in self.prefix],
            "suffixes": [[call.as_json() for call in suffix] for suffix in self.suffixes],
        }

    @classmethod
    def from_lines(cls, imports: Sequence[str], prefix: Sequence[str], suffixes: Sequence[Sequence[str]]) -> Test:
        """Return a test from lines of source, as `as_lines` shows them."""
        threads = tuple(tuple(map(Call.from_line, each)) for each in suffixes)
        return cls(tuple(imports), tuple(map(Call.from_line, prefix)), threads)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Test:
        """Return the inverse of `as_json`."""
        return cls(
            tuple(data["imports"]),
            tuple(Call.from_json(call) for call in data["prefix"]),
            tuple(tuple(Call.from_json(call) for call in suffix) for suffix in data["suffixes"]),
        )
