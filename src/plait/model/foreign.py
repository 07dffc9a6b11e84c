"""Inspect objects of the code under test without running their code.

`isinstance` and `getattr` call code of the object (`__class__`, `__getattr__`, properties): a lazy proxy would load its
target, or raise. These functions inspect the class instead, which the object cannot influence.
"""

from __future__ import annotations

import inspect
import re
import sys
import types
from collections.abc import Callable
from typing import Annotated, Any

IS_JSON = "json"
Json = Annotated[Any, IS_JSON]
"""Data that JSON can represent directly."""
IS_CANONICAL = "canonical"
Canonical = Annotated[Any, IS_CANONICAL]
"""A value as nested tuples of str, int, float, bool and None: hashable, and JSON without loss but for the tuples."""

MODULE_DICT: Any = vars(types.ModuleType)["__dict__"]
"""Reads the names of a module, whose class may define `__dict__` otherwise."""


def is_a(value: Any, *kinds: type) -> bool:
    """Return whether the value really is an instance of one of the classes."""
    return issubclass(type(value), kinds)


def attributes_of(value: Any) -> dict[str, Any] | None:
    """Return the instance's own attribute dictionary; None if it has none, or none that can be read."""
    try:
        found = object.__getattribute__(value, "__dict__")
    except Exception:  # a class may define `__dict__` as a property
        found = None
    if type(found) is not dict and is_a(value, types.ModuleType):
        found = MODULE_DICT.__get__(value)
    return found if type(found) is dict else None


def module_of(value: Any) -> str | None:
    """Return the ``__module__`` of a function, class or object."""
    try:
        found = value.__module__
    except Exception:
        return None
    return found if type(found) is str else None


short_name: Callable[[type], str] = type.__dict__["__name__"].__get__
"""Return a class's name; its metaclass is not asked, because that may be code under test."""
qualified_name: Callable[[type], str] = type.__dict__["__qualname__"].__get__
"""The same with the classes and functions that it was made in."""


def own_name(value: Any) -> str:
    """Return the name of a class, module or function, without asking a metaclass or the class of a module."""
    if is_a(value, type):
        return qualified_name(value)
    if is_a(value, types.ModuleType):
        found = MODULE_DICT.__get__(value).get("__name__")
    else:
        found = getattr(value, "__qualname__", getattr(value, "__name__", None))
    return found if type(found) is str else "?"


def is_imported(value: Any) -> bool:
    """Return whether a value is a module that can be imported; others are objects like any other."""
    return is_a(value, types.ModuleType) and sys.modules.get(own_name(value)) is value


def unwrapped(function: Any) -> Any:
    """Return the innermost function that decorators have wrapped; the function itself if that is impossible."""
    try:
        return inspect.unwrap(function)
    except Exception:
        return function


_LONGEST_DOC = 100_000  # characters: people write less, and what reads it may take long for more


def member_name(member: Any) -> str:
    """Return the name of a member of an enumeration; its class may make another one of `name`."""
    return str((attributes_of(member) or {}).get("_name_"))


def docstring_of(owner: Any) -> str:
    """Return an object's docstring, cut if it is very long; None if it cannot be read."""
    try:
        return (inspect.getdoc(owner) or "")[:_LONGEST_DOC]
    except Exception:  # code of the object may raise anything
        return ""


def class_name(kind: type) -> str:
    """Return a class's qualified name with its module, as users write it."""
    module = type.__dict__["__module__"].__get__(kind)
    return f"{module}.{qualified_name(kind)}" if type(module) is str and module != "builtins" else qualified_name(kind)


def traceback_of(error: BaseException) -> types.TracebackType | None:
    """Return the traceback of an exception, whatever its class says of it."""
    found: types.TracebackType | None = BaseException.__dict__["__traceback__"].__get__(error)
    return found


def exception_text(error: BaseException) -> str:
    """Return an exception's message; its class may be code under test, and fail to make one."""
    try:
        return str.__str__(str(error))
    except BaseException as other:
        return f"<its text raised {class_name(type(other))}>"


# -- text of the code under test ---------------------------------------------------------------------------------------
# Names, messages, comments and values go to terminals, logs and pages. A control character there moves the cursor,
# changes colours or hides what stands before it; a mark for the direction of text lets code look like other code; and
# what nobody sees (tags, variation selectors, blank letters) can say something else to a program that reads the text.

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u2800\u3164\ud800-\udfff\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]|(?<=[\ufe00-\ufe0f])[\ufe0e\ufe0f]"  # one of these two behind a character is its look
)


def visible(text: str) -> str:
    """Return text with control characters, direction marks, what has no look and halves of characters spelled out.

    Line breaks and tabs stay. No file takes the halves (surrogates).
    """
    if text.isascii() and text.isprintable():
        return text
    return _UNSEEN.sub(_spelled_out, text)


def _spelled_out(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def harmless(text: str) -> str:
    """Return visible text no line of which is a command: CI systems obey those that begin with ``::`` or ``##[``."""
    return re.sub(r"(?m)^(?=::|##\[)", " ", visible(text))
