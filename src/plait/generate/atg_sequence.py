"""Arguments that come from earlier calls, by type (ATG, section 5.1).

The arguments of a call in a suffix are preferentially what earlier calls of the suffix, or of the prefix, have
returned, if the types match: the search goes backwards. Only then a value is drawn; the factories and values that a
user gives (`plait.generate.hints`) are what the paper calls the assistant class.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from plait.generate.draft import Scene, Writer
from plait.generate.sequence import Sequences
from plait.generate.value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.generate.draft import Draft
    from plait.generate.pool import Pool
    from plait.generate.sequence import Prefix
    from plait.subject.interface import Method
    from plait.subject.signature import Parameter

_NO_VALUE = ("with ", "del ")
_ANYTHING = frozenset({"Any", "object", "typing.Any"})


def types_match(returned: str | None, wanted: str | None) -> bool:
    """Whether whatever a call returns may be given where ``wanted`` is declared; unions are sets of types."""
    if returned is None or wanted is None:
        return False
    have, may = _members(returned), _members(wanted)
    return have <= may and not have <= {"None"} and not have & _ANYTHING


def _members(annotation: str) -> set[str]:
    text = annotation.strip("\"' ")
    if text.startswith("Optional[") and text.endswith("]"):
        return {"None", *_members(text[len("Optional[") : -1])}
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        depth += (character == "[") - (character == "]")
        if character == "|" and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    return {part.strip() for part in (*parts, text[start:])}


class ReusingWriter(Writer):
    """Writes calls whose arguments are earlier results wherever the declared types match, else random values."""

    def _value(self, parameter: Parameter, pool: Pool, scene: Scene, without: tuple[str, ...]) -> Value | None:
        earlier = self._result(parameter, pool, scene)
        return earlier if earlier is not None else pool.choose(self._random, without=without)

    def _result(self, parameter: Parameter, pool: Pool, scene: Scene) -> Value | None:
        for name, kind in reversed(scene.results.items()):
            if types_match(kind, parameter.annotation):
                return Value(name, kind)
        return super()._result(parameter, pool, scene)


class ReusingSequences(Sequences):
    """Sequences whose suffixes bind what their calls return, for the calls that follow in the same thread."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._writer = ReusingWriter(self.catalogue, self._random)
        self._left = 0  # calls of the suffix under way that are not written yet
        self._number = 0

    @classmethod
    def like(cls, other: Sequences) -> ReusingSequences:
        """Fresh sequences for the same subject."""
        return cls(other.catalogue, other._run, other._random)

    def _write(
        self, method: Method, prefix: Prefix, scene: Scene, result: str | None = None, **options: Any
    ) -> Draft | None:
        bindable = "=" not in method.form and not method.form.startswith(_NO_VALUE)
        if not self._left or not bindable:
            self._left = max(0, self._left - 1)
            return super()._write(method, prefix, scene, result, **options)
        self._left -= 1
        self._number += 1
        name = f"v{self._number}"
        draft = super()._write(method, prefix, scene, name, **options)
        kind = method.returns or self.knowledge.of(method.name).result
        if draft is not None and kind is not None:
            scene.results[name] = kind
        return draft

    def _suffix(self, prefix: Prefix, pattern: Sequence[Method], scene: Scene) -> tuple[list[Draft], bool] | None:
        own = Scene(dict(scene.results), scene.given, scene.bound, scene.pending)
        self._left, self._number = len(pattern), 0
        try:
            written = super()._suffix(prefix, pattern, own)
        finally:
            self._left = 0
        return None if written is None or not _in_order(written[0]) else (_trimmed(written[0]), written[1])


def _in_order(drafts: Sequence[Draft]) -> bool:
    """Whether every result is bound before it is used: a call that was written again binds nothing."""
    bound: set[str | None] = set()
    for draft in drafts:
        if any(_is_result(value) and value not in bound for value in _values(draft)):
            return False
        bound.add(draft.call.result)
    return True


def _trimmed(drafts: Sequence[Draft]) -> list[Draft]:
    """Without the results that no later call uses."""
    used = {value for draft in drafts for value in _values(draft)}
    return [draft if draft.call.result in used else _without_result(draft) for draft in drafts]


def _without_result(draft: Draft) -> Draft:
    return replace(draft, call=replace(draft.call, result=None))


def _is_result(value: str) -> bool:
    return value[:1] == "v" and value[1:].isdecimal()


def _values(draft: Draft) -> tuple[str, ...]:
    return (*draft.call.args, *(value for _, value in draft.call.kwargs))
