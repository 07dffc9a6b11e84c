"""Writing one call: which optional arguments to give, and which value for each."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING

from plait.generate.values.names import EAGER, role
from plait.generate.values.value import OWN, RECEIVER, Value, is_literal, literal
from plait.generate.values.wider import with_part
from plait.model.test import Call
from plait.subject.interface.members import snake_case
from plait.subject.interface.signature import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.generate.catalogue import Catalogue
    from plait.generate.values.value import Pool
    from plait.subject.interface.members import Method
    from plait.subject.interface.signature import Parameter

_GIVE_EAGER = 0.75
_GIVE_OPTIONAL = 0.25
_GIVE_VARARGS = 0.35
_GIVE_NAMED_VARARGS = 0.8
_GIVE_PART = 0.05
"""For an optional parameter of which nothing is known, or whose default is a class or function: a part to be exchanged
by those who know what fits."""
_ALIAS = 0.04
_PEER = 0.35
"""How often a call goes to another instance of the class, where the test has made one."""
_MEET = {"key": 0.75, "name": 0.75, "keys": 0.75}
_MEET_OTHERS = 0.4
_MEET_UNDER_OTHER_NAME = 0.5
_DISTINCT = 0.7
"""How often no two arguments of a call are the same text."""
_NAMING = frozenset({"path", "url", "host", "port"})
"""Roles with values of their own that may name the same as a key, or as a parameter whose name says nothing: what
`add(path)` puts in, `rename(old, new)` has to find."""
_NAMED = frozenset({None, "key", "name", "text"})
_NAMED_RESULT = 0.7
_ANY_RESULT = 0.1
_SHARE = 0.7
_TRIES = 8
_MOST_VALUES = 14
ARGUMENT = "argument"
"""What stands in place of a method's name in a call that only makes an argument."""
PAUSE = "pause"
"""The same for one that only lets time pass."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A call, the imports it needs, and its arguments as they came from their pools and as they are ``shown``."""

    call: Call
    imports: tuple[str, ...] = ()
    drawn: tuple[tuple[Pool, Value], ...] = ()
    shown: tuple[str, ...] = ()

    def offer(self, texts: Sequence[str], shown: str) -> None:
        """Add values that an error message names to the parameters whose value the message shows, else to texts."""
        pools = [pool for pool, value in self.drawn if value.kind == "str"]
        for pool in pools:
            told = [value for value in pool.values if len(value.text) > 2 and value.text in shown] or len(pools) == 1
            known = {value.text for value in pool.values}
            new = [literal(text) for text in texts if text not in known] if told else []
            if new and len(known) + len(new) <= _MOST_VALUES:
                pool.values = (*new, *pool.values)

    def learn(self, *, misuse: bool, succeeded: bool) -> None:
        """Tell the pools. A failure is blamed on the kinds that have never worked, if there are any."""
        if succeeded:
            for pool, value in self.drawn:
                pool.accept(value.kind)
                pool.succeed(value)
        elif misuse:
            unproven = [(pool, value) for pool, value in self.drawn if not pool.proven(value.kind)]
            for pool, value in unproven or self.drawn:
                pool.reject(value.kind)

    def blame(self, wrong: str, part: str, fitting: Sequence[Value], *, first: bool = True) -> bool:
        """Give other values to the parameters that an error blames; return whether there is such a parameter.

        ``wrong`` is the kind of what was blamed, ``part`` what it lacked; where no plain value has that, a stand-in
        gets it. What is annotated stays within its annotation. The new ones come ``first``, or behind the others.
        """
        blamed = [(pool, value) for pool, value in self.drawn if value.kind == wrong]
        if not wrong and len(self.drawn) == 1:
            blamed = list(self.drawn)
        for pool, value in blamed:
            missing = part and not part.startswith("_") and repr(part) not in value.text
            made = [with_part(value, part, "o")] if missing and not fitting else ()
            kinds, known = {each.kind for each in pool.values}, {each.text for each in pool.values}
            allowed = [each for each in (*fitting, *made) if pool.anything or each.kind in kinds]
            new = [each for each in allowed if each.text not in known]
            new = new[: max(_MOST_VALUES - len(known), 0)]
            pool.values = (*new, *pool.values) if first else (*pool.values, *new)
        return bool(blamed)

    def otherwise(self, wrong: str, part: str, fitting: Sequence[Value]) -> list[tuple[Draft, str]]:
        """Return the same call with another value, and its kind, where an error blames one."""
        found = []
        for (pool, value), shown in zip(self.drawn, self.shown, strict=False):
            if (value.kind != wrong and (wrong or len(self.drawn) > 1)) or repr(part) in value.text:
                continue
            made = [with_part(value, part, "o")] if part and not part.startswith("_") and not fitting else []
            kinds = {each.kind for each in pool.values}
            new = [each for each in (*fitting, *made) if pool.anything or each.kind in kinds]
            found += [(self._with(pool, shown, each), each.kind) for each in new]
        return found

    def _with(self, pool: Pool, old: str, new: Value) -> Draft:
        at = self.call.args.index(old) if old in self.call.args else None
        args = self.call.args if at is None else (*self.call.args[:at], new.text, *self.call.args[at + 1 :])
        named = self.call.kwargs if at is not None else tuple(
            (name, new.text if text == old else text) for name, text in self.call.kwargs
        )  # fmt: skip
        drawn = tuple((each, new if each is pool else value) for each, value in self.drawn)
        texts = zip(self.drawn, self.shown, strict=True)
        shown = tuple(new.text if each is pool else text for (each, _value), text in texts)
        imports = tuple(dict.fromkeys((*self.imports, *new.imports)))
        return Draft(replace(self.call, args=args, kwargs=named), imports, drawn, shown)

    def refuse(self, *, absent: bool) -> None:
        """Tell the pools that the call raised, and that none of its method has ever returned.

        Where what it asked for is only ``absent``, values of other shapes would not be there either.
        """
        for pool, value in self.drawn:
            if absent:
                pool.failed.clear()
            else:
                pool.fail(value)


@dataclass(slots=True)
class Scene:
    """What a test has bound so far: variables with the type they hold, and the value each parameter was given.

    Values are reused across the calls of a test on purpose: threads that use different keys seldom disturb each other.
    Objects are bound to variables, so that what one call puts in is what another takes out; ``pending`` holds the
    calls that bind them until they join the prefix. What a method has ``handed`` out to the thread that is written
    is its own: no other thread of the test uses it.
    """

    results: dict[str, str] = field(default_factory=dict)
    given: dict[str, Value] = field(default_factory=dict)
    bound: dict[str, str] = field(default_factory=dict)
    pending: list[Draft] = field(default_factory=list)
    handed: dict[str, str] = field(default_factory=dict)

    def copy(self) -> Scene:
        """Return a scene that goes on from here by itself."""
        return Scene(dict(self.results), dict(self.given), dict(self.bound), handed=dict(self.handed))


class Writer:
    """Turns methods into calls, by chance, out of one catalogue."""

    def __init__(self, catalogue: Catalogue, random: Random) -> None:
        self.unbindable: set[str] = set()
        self.generous = False  # every parameter gets a value
        self.apart = False  # and one that it has not had before in the same test
        self.same = False  # or just the one that it has had
        self.present: frozenset[str] = frozenset()  # or one of these, where they fit: what has been put in
        self._catalogue = catalogue
        self._peers = frozenset(each.text for each in catalogue.own)
        self._random = random
        self._own = Random(0)  # what makes arguments differ does not change the other choices

    def construct(self, method: Method) -> Draft | None:
        """Return a call that makes the receiver."""
        return self._write(method, Scene(), result=RECEIVER, without=("own",))

    def write(
        self, method: Method, scene: Scene, *, result: str | None = None, waits: bool = False, peers: bool = True
    ) -> Draft | None:
        """Return a call on the receiver, or (``peers``) another instance; None if an argument has no value.

        ``waits`` says that calls of the method have been seen to block: its time-outs are then worth giving.
        """
        return self._write(method, scene, result=result, without=(), waits=waits, peers=peers)

    def _write(
        self, method: Method, scene: Scene, *, result: str | None, without: tuple[str, ...], waits: bool = False,
        peers: bool = False,
    ) -> Draft | None:  # fmt: skip
        args: list[str] = []
        kwargs: list[tuple[str, str]] = []
        receiver = self._receiver(method, scene, peers=peers)
        if receiver is None:
            return None
        imports = dict.fromkeys(method.imports)
        drawn: list[tuple[Pool, Value]] = []
        texts: list[str] = []
        contiguous = True
        for parameter in method.parameters:
            pool = self._catalogue.pool(method, parameter.name)
            positional = parameter.kind in {"positional-only", "varargs"} or parameter.required
            in_place = positional and parameter.kind != "keyword"
            if not self._gives(parameter, pool, waits=waits) or (in_place and not contiguous):
                contiguous = contiguous and parameter.kind == "keyword"
                continue
            value = self._value(parameter, pool, scene, without)
            if value is not None and result != RECEIVER and self._own.random() < _DISTINCT:
                value = self._distinct(value, pool, drawn)
            if value is None:
                if parameter.required:
                    return None
                contiguous = False
                continue
            if receiver != RECEIVER and value.text in self._peers:
                value = OWN  # two objects that use each other: what lock orders and identities are about
            if value.kind != "own":
                scene.given[parameter.name] = value
            shown = self._shared(value, scene) if result != RECEIVER else value
            if in_place:
                args.append(shown.text)
            else:
                kwargs.append((parameter.name, shown.text))
                contiguous = False
            imports.update(dict.fromkeys(shown.imports))
            drawn.append((pool, value))
            texts.append(shown.text)
        call = Call(method.name, method.form, receiver, tuple(args), tuple(kwargs), result)
        return Draft(call, tuple(imports), tuple(drawn), tuple(texts))

    def _receiver(self, method: Method, scene: Scene, *, peers: bool) -> str | None:
        """Mostly the object under test; sometimes another instance of its class that the test has made.

        What was handed out, for methods of that; None if nothing was.
        """
        if method.of:
            return scene.handed.get(method.of)
        others = [name for text, name in scene.bound.items() if text in self._peers] if peers else []
        if others and "{receiver}" in method.form and self._random.random() < _PEER:
            return self._random.choice(others)
        return RECEIVER

    def _gives(self, parameter: Parameter, pool: Pool, *, waits: bool) -> bool:
        if parameter.required:
            return True
        if parameter.kind == "varkeywords":
            return False
        if self.generous:
            return True
        chance = _GIVE_OPTIONAL
        if parameter.kind == "varargs":
            # ``*args`` is mostly passed on to somebody else; ``*keys`` is what the method is about.
            chance = _GIVE_VARARGS if parameter.name == "args" else _GIVE_NAMED_VARARGS
        elif not is_literal(parameter.default or UNKNOWN) or (pool.anything and pool.role is None):
            chance = _GIVE_PART
        elif pool.role in EAGER or (waits and (pool.role == "wait" or parameter.name.startswith("block"))):
            chance = _GIVE_EAGER
        return self._random.random() < chance

    def _value(self, parameter: Parameter, pool: Pool, scene: Scene, without: tuple[str, ...]) -> Value | None:
        if self.apart:
            return self._other(parameter, pool, scene, without)
        if there := [each for each in pool.values if each.text in self.present]:
            return self._random.choice(there)
        earlier = self._result(parameter, pool, scene)
        if earlier is not None:
            return earlier
        met = scene.given.get(parameter.name)
        fits = met is not None and (met in pool.values or pool.anything)
        if fits and (self.same or self._random.random() < _MEET.get(pool.role or "", _MEET_OTHERS)):
            return met
        if (named := self._under_other_name(pool, scene)) and self._random.random() < _MEET_UNDER_OTHER_NAME:
            return self._random.choice(named)
        if pool.anything and not without and self._random.random() < _ALIAS * pool.scores.weight("own"):
            other = self._catalogue.own[:1]
            return self._random.choice([OWN, *(Value(each.text, "own", each.imports) for each in other)])
        return pool.choose(self._random, without=without)

    def _distinct(self, value: Value, pool: Pool, drawn: Sequence[tuple[Pool, Value]]) -> Value:
        """Return another value of the kind if an argument of the same call has this one already: a name, as a rule.

        Whoever is to exchange, rename or move something does nothing with the same name twice.
        """
        known = {each.text for _pool, each in drawn if each.kind == "str"}
        if value.text not in known:
            return value
        others = [each for each in pool.values if each.kind == value.kind and each.text not in known]
        there = [each for each in others if each.text in self.present]
        return self._own.choice(there or others) if others else value

    def _under_other_name(self, pool: Pool, scene: Scene) -> list[Value]:
        """Return what parameters with values of their own were given, if this one can mean the same."""
        if pool.role not in _NAMED:
            return []
        kinds = {value.kind for value in pool.values}
        given = [value for name, value in scene.given.items() if role(name) in _NAMING]
        return [value for value in given if value.kind in kinds and is_literal(value.text)]

    def _other(self, parameter: Parameter, pool: Pool, scene: Scene, without: tuple[str, ...]) -> Value | None:
        """Return a value that the parameter was not given last time, if there is one; and not "nothing given"."""
        last = scene.given.get(parameter.name)
        avoided = {parameter.default, None if last is None else last.text}
        for _ in range(_TRIES):
            value = pool.choose(self._random, without=without)
            if value is None or value.text not in avoided:
                return value
        return value

    def _shared(self, value: Value, scene: Scene) -> Value:
        """Return the same object for every call that uses it, most of the time; literals are as good as the same."""
        has_identity = not is_literal(value.text) and not value.text.isidentifier() and value.kind != "iterator"
        if not has_identity or value.text in self.unbindable or self._random.random() >= _SHARE:
            return value
        if value.text not in scene.bound:
            taken = [int(each[1:]) for each in scene.bound.values()]
            name = f"{ARGUMENT[0]}{max(taken, default=0) + 1}"
            scene.bound[value.text] = name
            form = value.text.replace("{", "{{").replace("}", "}}")
            scene.pending.append(Draft(Call(ARGUMENT, form, result=name), value.imports))
        return Value(scene.bound[value.text], value.kind)

    def _result(self, parameter: Parameter, pool: Pool, scene: Scene) -> Value | None:
        """Return a variable that an earlier call has bound, if its type looks as if it belonged here."""
        for name, kind in reversed(scene.results.items()):
            belongs = kind in (parameter.annotation or "") or snake_case(kind).endswith(parameter.name)
            chance = _NAMED_RESULT if belongs else _ANY_RESULT * pool.scores.weight(kind) if pool.anything else 0.0
            if self._random.random() < chance:
                return Value(name, kind)
        return None
