"""Look up the effect of a callable written in C, and the value of an attribute, without running any code.

An effect is called before the callable, with the thread, the arguments and the place. It announces the accesses.
"""

from __future__ import annotations

import types
from typing import Any

from plait.run.identity import identity

# Filled by `plait.run.hooks.callables`. The keys are: the identity of a callable, the name of a slot wrapper of any
# type, and the type of a callable object.
EFFECTS: dict[int, Any] = {}
EFFECTS_BY_NAME: dict[str, Any] = {}
EFFECTS_OF: dict[type, Any] = {}


def effect_of(found: Any, name: str) -> Any:
    """Return the effect of a method as its class holds it, which is called with its object as first argument.

    None if it has no known effect.
    """
    effect = EFFECTS.get(identity(found))
    if effect is None and type(found) is types.WrapperDescriptorType:
        return EFFECTS_BY_NAME.get(name)
    return effect


def bound_effect(function: Any, bound: Any) -> Any:
    """Return the effect of a method that is bound to an object already; see `effect_of`."""
    name = function.__name__
    for owner in type(bound).__mro__:
        found = owner.__dict__.get(name)
        if found is not None:
            return effect_of(found, name)
    return None


def held(obj: Any, name: str) -> Any:
    """Return the value of an attribute, found without running code under test; None if there is none."""
    value = getattr(obj, "__dict__", {}).get(name)
    if value is not None:
        return value
    for owner in type(obj).__mro__:
        slot = owner.__dict__.get(name)
        if type(slot) is types.MemberDescriptorType:
            try:
                return slot.__get__(obj)
            except AttributeError:
                return None
    return None
