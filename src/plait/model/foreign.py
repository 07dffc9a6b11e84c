"""Look at objects of the code under test without running their code.

`isinstance` and `getattr` ask the object itself (`__class__`, `__getattr__`, properties): a lazy proxy answers by
loading what it stands for, or raises. These functions ask its class, which it cannot answer for.
"""

from __future__ import annotations

from typing import Any


def is_a(value: Any, *kinds: type) -> bool:
    """Return whether the value is an instance of one of the classes, whatever it says of itself."""
    return issubclass(type(value), kinds)


def attributes_of(value: Any) -> dict[str, Any] | None:
    """Return the instance's own attribute dictionary; None if it has none, or none that can be read."""
    try:
        found = object.__getattribute__(value, "__dict__")
    except Exception:  # a class may define `__dict__` as a property
        return None
    return found if type(found) is dict else None


def module_of(value: Any) -> str | None:
    """Return the name of the module that a function, class or object says it is from."""
    try:
        found = value.__module__
    except Exception:
        return None
    return found if type(found) is str else None


def exception_text(error: BaseException) -> str:
    """Return what an exception says; its class may be code under test, and may fail to say it."""
    try:
        return str(error)
    except Exception as other:
        return f"<its text raised {type(other).__name__}>"
