"""What two versions of a class can both be asked to do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from plait.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.subject.interface import Interface, Method, Parameter


@dataclass(frozen=True, slots=True)
class CommonInterface:
    """The calls that fit both versions; ``added``, ``removed`` and ``incompatible`` name methods that do not."""

    interface: Interface
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    incompatible: tuple[str, ...] = ()

    @property
    def notes(self) -> list[str]:
        """What was left out, in words."""
        said = {
            "only the new version has": self.added, "only the old version has": self.removed,
            "not compared, because their parameters do not fit both versions:": self.incompatible,
        }  # fmt: skip
        return [f"{text} {', '.join(names)}" for text, names in said.items() if names]


def common_interface(old: Interface, new: Interface) -> CommonInterface:
    """Methods and constructors of both versions with the parameters they share.

    A parameter that only one version has is left out; if that version cannot do without it, the method is incompatible.
    """
    before = {each.name: each for each in old.methods}
    after = {each.name: each for each in new.methods}
    methods: list[Method] = []
    incompatible: list[str] = []
    for name, method in after.items():
        if name in before:
            merged = _merged(before[name], method)
            if merged is None:
                incompatible.append(name)
            else:
                methods.append(merged)
    known = {each.name: each for each in old.constructors}
    constructors = [
        merged for each in new.constructors if each.name in known and (merged := _merged(known[each.name], each))
    ]
    if not constructors:
        raise UsageError(f"{new.subject} has no constructor that fits both versions; give factories for both")
    if not methods:
        raise UsageError(f"{new.subject} has no public method that both versions have with the same parameters")
    return CommonInterface(
        replace(new, constructors=tuple(constructors), methods=tuple(methods)),
        tuple(name for name in after if name not in before),
        tuple(name for name in before if name not in after),
        tuple(incompatible),
    )


def _merged(old: Method, new: Method) -> Method | None:
    if old.form != new.form:
        return None
    shared = _shared(old.parameters, new.parameters)
    if shared is None:
        return None
    return replace(new, parameters=shared, imports=tuple(line for line in new.imports if line in old.imports))


def _shared(old: Sequence[Parameter], new: Sequence[Parameter]) -> tuple[Parameter, ...] | None:
    """The parameters that can be given to both; None if one version requires what the other does not take."""
    shared: list[Parameter] = []
    taken: set[str] = set()
    for position, parameter in enumerate(new):
        known = next((each for each in old if each.name == parameter.name), None)
        if known is None and position < len(old) and _in_place(old[position]) and _in_place(parameter):
            known = old[position]  # renamed, but passed by its position
        merged = _both(known, parameter) if known is not None else None
        if known is None or merged is None or (merged.kind in _BY_PLACE and old.index(known) != position):
            if parameter.required:
                return None
            continue
        taken.add(known.name)
        shared.append(merged)
    return None if any(each.required and each.name not in taken for each in old) else tuple(shared)


_BY_PLACE = frozenset({"positional-only", "varargs"})


def _in_place(parameter: Parameter) -> bool:
    return parameter.required and parameter.kind in {"positional-only", "positional"}


def _both(old: Parameter, new: Parameter) -> Parameter | None:
    """A parameter that takes an argument in a way that fits both."""
    kinds = {old.kind, new.kind}
    kind = new.kind
    if old.name != new.name or kinds == {"positional", "positional-only"}:
        kind = "positional-only"
    elif kinds == {"positional", "keyword"}:
        kind = "keyword"
    elif old.kind != new.kind:
        return None
    default = None if old.required or new.required else new.default
    return replace(new, kind=kind, annotation=new.annotation or old.annotation, default=default)
