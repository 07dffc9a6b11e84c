"""The outcomes of sequential runs, and what a generator can learn from their error messages."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from plait.model.foreign import class_name, exception_text, short_name
from plait.model.test import Test

PLAIN_RESULTS = frozenset({
    "NoneType", "bool", "int", "float", "str", "bytes", "NotImplementedType", "module", "_LazyModule",
})  # fmt: skip
"""Types of results that are seldom kept for later calls: the pools have such values, or a call seldom takes one."""
_CONTAINERS = frozenset({"list", "tuple", "dict", "set", "frozenset"})
"""Types of results that name nothing: they are copies, or several things at once."""


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """The outcome of one call of a sequential run.

    ``changed`` says whether the call changed the receiver's state. ``result`` is the name of the type that it returned.
    ``waited`` says whether it had to wait for something, if only until a time-out; ``absent``, whether it raised
    because what it asked for does not exist (`is_absent`); ``threads``, whether any call so far has started threads.
    ``made`` is the text of a plain result that may name something (`made_text`).
    ``line`` is the line of the called method at which it raised, ``place`` all lines down to where the exception comes
    from. ``state`` is a number for the receiver's state afterwards, the same for equal states in one process; 0 if it
    is not known. These three are no part of what an outcome is compared by: an edit further up moves them.
    """

    status: Literal["ok", "raised", "blocked", "endless"]
    exception: str | None = None
    message: str = ""
    changed: bool = False
    result: str | None = None
    waited: bool = False
    absent: bool = False
    threads: bool = False
    made: str = ""
    line: int = field(default=0, compare=False, repr=False)
    place: str = field(default="", compare=False, repr=False)
    state: int = field(default=0, compare=False, repr=False)

    @property
    def misuse(self) -> bool:
        """True if the arguments were probably of the wrong kind."""
        return self.status == "raised" and self.exception in {"TypeError", "AttributeError"}

    @property
    def hands_out(self) -> bool:
        """True if the call returned what later calls may be given: an object, or a text or number of its own making."""
        known = self.result is None or self.result in PLAIN_RESULTS or self.result in _CONTAINERS
        return bool(self.made) if known else self.status == "ok"


def made_text(result: object) -> str:
    """Return a text or a number that a call has returned, as a literal; empty for other results and usual ones.

    A token, an identifier or a generated name is what later calls ask for. Small numbers are in the pools anyway.
    """
    if type(result) is str:
        return repr(result) if 0 < len(result) <= _LONGEST_NAME else ""
    if type(result) is not int or result in _USUAL or result.bit_length() > _MOST_BITS:
        return ""  # the interpreter refuses to write very long numbers
    return repr(result)


_LONGEST_NAME = 80
_MOST_BITS = 256
_USUAL = range(-1, 10)


def is_absent(error: BaseException) -> bool:
    """Return whether an exception says that something does not exist, rather than that an argument is of a wrong kind.

    A LookupError does; so does an exception class of a package, unless it is derived from one in `_REFUSING`. A
    ValueError mostly refuses a value: it counts only if its message says that something is "not in" something.
    """
    kinds = type.mro(type(error))
    if ValueError in kinds:
        return " not in " in exception_text(error)
    module = class_name(type(error)).partition(".")[0]
    own = module != short_name(type(error)) and module not in sys.stdlib_module_names
    own = own and not any(each in kinds for each in _REFUSING)
    return LookupError in kinds or own


_REFUSING = (TypeError, AttributeError, AssertionError, NotImplementedError)
"""Exceptions that blame the caller or the code."""


def missing_arguments(method: str, outcome: CallOutcome) -> list[str]:
    """Return the required parameters that the call lacked, as named by the message of its TypeError."""
    called = re.match(r"(?:[\w<>]+\.)*(\w+)\(\) missing .*argument", outcome.message)
    if outcome.exception != "TypeError" or called is None or called[1] != method:
        return []
    return re.findall(r"'(\w+)'", outcome.message.partition("missing")[2])


_LISTED = re.compile(
    r"(?:one of|valid|allowed|supported|expected|choose|choices|either|known|available|must be)\b(.*)",
    re.DOTALL | re.IGNORECASE,
)
_WORD = re.compile(r"['\"]([^'\"]{1,30})['\"]|([A-Za-z][\w+-]{0,30})(?=\s*(?:,|$|\)|\]|\.|\s+or\b|\s+and\b))")


def listed_values(outcome: CallOutcome) -> list[str]:
    """Return the literals of the texts that an error message lists as allowed, such as "valid states: closed, open"."""
    found = _LISTED.search(outcome.message) if outcome.exception in {"ValueError", "KeyError", "LookupError"} else None
    if found is None:
        return []
    inside = found[1].partition(":")[2] or found[1]
    words = [quoted or bare for quoted, bare in _WORD.findall(inside)]
    return [repr(word) for word in dict.fromkeys(words) if word not in ("of", "or", "and", "one")][:_MOST_LISTED]


_MOST_LISTED = 6


RunSequentially = Callable[[Test], list[CallOutcome]]
"""Runs the prefix of a test without suffixes, and continues after a call that raises.

It returns one outcome per call that was made. It stops early after a call that blocks (in a single thread it would wait
for ever) or does not end, and if the first call, which builds the receiver, raises.
"""
