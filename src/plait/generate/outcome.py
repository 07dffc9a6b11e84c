"""What a generator learns from running calls one after another."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from plait.model.foreign import class_name, exception_text, short_name
from plait.model.test import Test


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """How one call of a sequential run went.

    ``changed`` says whether the receiver's state differs from before the call, ``result`` names the type returned,
    ``waited`` says whether the call had to wait for something, be it only until a time-out, ``absent`` whether it
    raised because what it asked for is not there (`is_absent`), ``threads`` whether calls have started any so far.
    """

    status: Literal["ok", "raised", "blocked", "endless"]
    exception: str | None = None
    message: str = ""
    changed: bool = False
    result: str | None = None
    waited: bool = False
    absent: bool = False
    threads: bool = False

    @property
    def misuse(self) -> bool:
        """Whether the arguments were probably of the wrong kind."""
        return self.status == "raised" and self.exception in {"TypeError", "AttributeError"}


def is_absent(error: BaseException) -> bool:
    """Return whether an exception says that an argument is of the right kind, and that a state is missing.

    Packages have exceptions of their own for that. Those that refuse a value are ValueErrors, as a rule.
    """
    kinds = type.mro(type(error))
    if ValueError in kinds:
        return " not in " in exception_text(error)
    module = class_name(type(error)).partition(".")[0]
    own = module != short_name(type(error)) and module not in sys.stdlib_module_names
    own = own and not any(each in kinds for each in _REFUSING)
    return LookupError in kinds or own


_REFUSING = (TypeError, AttributeError, AssertionError, NotImplementedError)


def missing_arguments(method: str, outcome: CallOutcome) -> list[str]:
    """Return the parameters that a call of the method did not give, as the text of its TypeError names them."""
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
    """Return the texts that an error message says are allowed, such as "valid states: closed, open"."""
    found = _LISTED.search(outcome.message) if outcome.exception in {"ValueError", "KeyError", "LookupError"} else None
    if found is None:
        return []
    inside = found[1].partition(":")[2] or found[1]
    words = [quoted or bare for quoted, bare in _WORD.findall(inside)]
    return [repr(word) for word in dict.fromkeys(words) if word not in ("of", "or", "and", "one")][:_MOST_LISTED]


_MOST_LISTED = 6


RunSequentially = Callable[[Test], list[CallOutcome]]
"""Runs the prefix of a test that has no suffixes, and goes on after a call that raises.

The answer has one outcome per call that was made. It ends early after a call that blocks (alone, it would wait for
ever) or does not end, and after a first call, the one that builds the receiver, that raises.
"""
