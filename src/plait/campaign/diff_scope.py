"""What a comparison is about: pairs of methods of which one changed, and calls that show the state left behind."""

from __future__ import annotations

import re
from collections.abc import Sequence

from plait.judge.probes import OPEN
from plait.model.test import Call
from plait.subject.change import Change


def touches_nothing(change: Change) -> bool:
    """Whether no method that both versions have can behave differently."""
    return not change.changed_methods and not change.changed_beside


def changed_pairs(change: Change, names: list[str]) -> list[tuple[str, str]]:
    """CMP; if the change touches how objects are made, every method may behave differently, and all pairs count."""
    made_anew = not change.changed_methods.isdisjoint(("__init__", "__new__", "__post_init__"))
    pairs = change.changed_pairs(names)
    if made_anew:
        every = ((one, other) for number, one in enumerate(names) for other in names[number:])
        pairs = list(dict.fromkeys((*pairs, *every)))
    return pairs


_CHANGERS = re.compile(
    r"_*(clear|pop|remove|delete|discard|close|stop|reset|flush|shutdown|release|acquire|put|push|add|next|enter|exit|start)"
)


def readers(probes: Sequence[Call]) -> tuple[Call, ...]:
    """Probes that do not look as if they changed what they are to show, and at the end those that do.

    Not those with an open key: every execution of a comparison is probed, and they would be many.
    """
    asked = [call for call in probes if call.method not in ("__enter__", "__exit__") and OPEN not in call.expression]
    return tuple(sorted(asked, key=lambda call: bool(_CHANGERS.match(call.method))))
