"""Writing one call: which optional arguments it gets, and which value each argument has."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING

from plait.generate.outcome import PLAIN_RESULTS, listed_values
from plait.generate.values.names import EAGER, role
from plait.generate.values.value import OWN, RECEIVER, Value, is_literal, literal
from plait.generate.values.wider import asked_for, parameter_in, with_part
from plait.model.test import Call
from plait.subject.interface.members import snake_case
from plait.subject.interface.signature import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.generate.catalogue import Catalogue
    from plait.generate.outcome import CallOutcome
    from plait.generate.values.value import Pool
    from plait.subject.interface.members import Method
    from plait.subject.interface.signature import Parameter

_GIVE_EAGER = 0.75
_GIVE_OPTIONAL = 0.25
_GIVE_VARARGS = 0.35
_GIVE_NAMED_VARARGS = 0.8
_GIVE_PART = 0.05
"""How often an optional parameter is given if its type is unknown, or its default is a class or function: such a
parameter replaces a part of the object, and a random value seldom fits."""
_ALIAS = 0.04
"""How often an argument of unknown type is the receiver itself, or another instance of the class."""
_PEER = 0.35
"""How often a call goes to another instance of the class, if the test has made one."""
_MEET = {"key": 0.75, "name": 0.75, "keys": 0.75}
"""How often a parameter gets the value that an earlier parameter of the same name was given, by role."""
_MEET_OTHERS = 0.4
_MEET_UNDER_OTHER_NAME = 0.5
_MEET_OF_SAME_TYPE = 0.75
"""How often a parameter gets the class or object that another one with the same annotation was given."""
_DISTINCT = 0.7
"""How often a text is replaced that another argument of the same call has already."""
_NAMING = frozenset({"path", "url", "host", "port"})
"""Roles whose values may name the same thing as a parameter of a role in `_NAMED`: `rename(old, new)` has to be given
what `add(path)` was given."""
_NAMED = frozenset({None, "key", "name", "text"})
_NAMED_RESULT = 0.7
"""How often an argument is an earlier result whose type fits the parameter's annotation or name."""
_PLAIN_RESULT = 0.3
"""The same for a text or a number: many parameters are annotated with its type."""
_ANY_RESULT = 0.1
_SHARE = 0.7
"""How often an object is bound to a variable that other calls of the test can use."""
_TRIES = 8
_MENDS = 8
"""Variants of a call that are tried one after another, each with the value replaced that the last error blamed."""
_MOST_VALUES = 14
ARGUMENT = "argument"
"""The method name of a call that only makes an argument."""
PAUSE = "pause"
"""The method name of a call that only lets time pass."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A call with the imports it needs.

    ``drawn`` holds the pool and the value of each argument, ``shown`` its text in the call: a value may be bound to a
    variable. ``names`` are those of the parameters.
    """

    call: Call
    imports: tuple[str, ...] = ()
    drawn: tuple[tuple[Pool, Value], ...] = ()
    shown: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def with_result(self, name: str) -> Draft:
        """Return the call with a variable for its result."""
        return replace(self, call=replace(self.call, result=name))

    def without_result(self) -> Draft:
        """Return the call without a variable for its result."""
        return self if self.call.result is None else replace(self, call=replace(self.call, result=None))

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments of the call, as text."""
        return (*self.call.args, *(text for _name, text in self.call.kwargs))

    def offer(self, texts: Sequence[str], shown: str) -> None:
        """Add the texts that an error message (``shown``) lists as allowed to the pools of the parameters it is about.

        These are the parameters with a text as value whose pool has a value that the message contains, or the only
        parameter with a text.
        """
        pools = [pool for pool, value in self.drawn if value.kind == "str"]
        for pool in pools:
            told = [value for value in pool.values if len(value.text) > 2 and value.text in shown] or len(pools) == 1
            known = {value.text for value in pool.values}
            new = [literal(text) for text in texts if text not in known] if told else []
            if new and len(known) + len(new) <= _MOST_VALUES:
                pool.values = (*new, *pool.values)

    def learn(self, *, misuse: bool, succeeded: bool) -> None:
        """Report the outcome to the pools.

        A misuse is blamed on the arguments of kinds that have never worked, or on all if there are none of these.
        """
        if succeeded:
            for pool, value in self.drawn:
                pool.accept(value.kind)
                pool.succeed(value)
        elif misuse:
            unproven = [(pool, value) for pool, value in self.drawn if not pool.proven(value.kind)]
            for pool, value in unproven or self.drawn:
                pool.reject(value.kind)

    def _blamed(self, wrong: str, message: str) -> list[tuple[Pool, Value]]:
        """Return the arguments that an error blames: by the kind of value, by the parameter's name, or the only one."""
        fitting = [(name, each) for name, each in zip(self.names, self.drawn, strict=False)
                   if not wrong or each[1].kind == wrong]  # fmt: skip
        named = [each for name, each in fitting if name == parameter_in(message)]
        return named or ([each for _name, each in fitting] if wrong or len(self.drawn) == 1 else [])

    def blame(self, wrong: str, part: str, fitting: Sequence[Value], *, first: bool = True, message: str = "") -> bool:
        """Add values to the pools of the arguments that an error blames; return whether there is such an argument.

        ``wrong`` is the kind of the blamed value, ``part`` the attribute that it lacked. Without a kind, the
        ``message`` may name the parameter. If no ``fitting`` value has the attribute, a stand-in is made that has it.
        Values for annotated parameters must be of a kind in the pool. The new values come ``first``, or after the
        others.
        """
        blamed = self._blamed(wrong, message)
        for pool, value in blamed:
            missing = part and not part.startswith("_") and repr(part) not in value.text
            made = [with_part(value, part, "o")] if missing and not fitting else ()
            kinds, known = {each.kind for each in pool.values}, {each.text for each in pool.values}
            allowed = [each for each in (*fitting, *made) if pool.anything or each.kind in kinds]
            new = [each for each in allowed if each.text not in known]
            new = new[: max(_MOST_VALUES - len(known), 0)]
            pool.values = (*new, *pool.values) if first else (*pool.values, *new)
        return bool(blamed)

    def otherwise(self, wrong: str, part: str, fitting: Sequence[Value], message: str = "") -> list[tuple[Draft, str]]:
        """Return variants of the call in which a blamed argument is replaced, each with the kind of the new value."""
        found = []
        blamed = self._blamed(wrong, message)
        for number, (pool, value) in enumerate(self.drawn):
            if not any(each is pool for each, _value in blamed) or repr(part) in value.text:
                continue
            made = [with_part(value, part, "o")] if part and not part.startswith("_") and not fitting else []
            kinds = {each.kind for each in pool.values}
            new = [each for each in (*fitting, *made) if pool.anything or each.kind in kinds]
            found += [(self.with_value(number, each), each.kind) for each in new]
        return found

    def with_value(self, number: int, new: Value) -> Draft:
        """Return the call with another value for the argument of this number in ``drawn``."""
        pool, _old = self.drawn[number]
        named = dict(self.call.kwargs)
        args = list(self.call.args)
        if self.names[number] in named:
            named[self.names[number]] = new.text
        else:
            args[sum(each not in named for each in self.names[:number])] = new.text
        drawn = (*self.drawn[:number], (pool, new), *self.drawn[number + 1 :])
        shown = (*self.shown[:number], new.text, *self.shown[number + 1 :])
        imports = tuple(dict.fromkeys((*self.imports, *new.imports)))
        call = replace(self.call, args=tuple(args), kwargs=tuple(named.items()))
        return Draft(call, imports, drawn, shown, self.names)

    def refuse(self, *, absent: bool) -> None:
        """Report to the pools that the call raised, while no call of the method has ever returned.

        If what it asked for is only ``absent``, the values are not to blame: others would not be found either.
        """
        for pool, value in self.drawn:
            if absent:
                pool.failed.clear()
            else:
                pool.fail(value)


@dataclass(slots=True)
class Scene:
    """The names and values that the calls of a test have used so far.

    Values are reused across the calls of a test on purpose: threads that use different keys seldom disturb each other.
    ``results`` maps variables to the types of the results they hold. ``given`` maps parameter names to the last value
    given, and ``typed`` annotations to the last class or object given. Objects are ``bound`` to variables (expression
    to variable), so that one call can take out what another has put in; the calls that bind them are ``pending`` until
    they join the prefix. ``handed`` maps a method to the variable that holds what it returned for the current thread;
    no other thread of the test uses that.
    """

    results: dict[str, str] = field(default_factory=dict)
    given: dict[str, Value] = field(default_factory=dict)
    bound: dict[str, str] = field(default_factory=dict)
    pending: list[Draft] = field(default_factory=list)
    handed: dict[str, str] = field(default_factory=dict)
    typed: dict[str, Value] = field(default_factory=dict)

    def copy(self) -> Scene:
        """Return an independent copy, without pending calls."""
        found = Scene(dict(self.results), dict(self.given), dict(self.bound), handed=dict(self.handed))
        found.typed = dict(self.typed)
        return found


class Writer:
    """Writes calls of methods with random arguments from a catalogue."""

    def __init__(self, catalogue: Catalogue, random: Random) -> None:
        self.unbindable: set[str] = set()
        self.generous = False  # give every parameter a value
        self.apart = False  # avoid the value that a parameter of this name was given last in the test
        self.same = False  # use that value
        self.handed = False  # use what earlier calls have returned, wherever it fits
        self.present: frozenset[str] = frozenset()  # prefer these values if they fit: calls have stored them
        self._catalogue = catalogue
        self._peers = frozenset(each.text for each in catalogue.own)
        self._random = random
        self._own = Random(0)  # a separate source: to make arguments distinct does not change other choices

    def construct(self, method: Method) -> Draft | None:
        """Return a call that makes the receiver."""
        return self._write(method, Scene(), result=RECEIVER, without=("own",))

    def write(
        self, method: Method, scene: Scene, *, result: str | None = None, waits: bool = False, peers: bool = True
    ) -> Draft | None:
        """Return a call on the receiver, or with ``peers`` on another instance; None if an argument has no value.

        ``waits`` says that calls of the method have blocked, so that giving a time-out is worthwhile.
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
        names: list[str] = []
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
                value = OWN  # two objects call each other, which can reveal inconsistent lock orders
            if value.kind != "own":
                scene.given[parameter.name] = value
                if parameter.annotation and (value.kind == "type" or value.imports):
                    scene.typed[parameter.annotation] = value
            shown = self._shared(value, scene) if result != RECEIVER else value
            if in_place:
                args.append(shown.text)
            else:
                kwargs.append((parameter.name, shown.text))
                contiguous = False
            imports.update(dict.fromkeys(shown.imports))
            drawn.append((pool, value))
            texts.append(shown.text)
            names.append(parameter.name)
        call = Call(method.name, method.form, receiver, tuple(args), tuple(kwargs), result)
        return Draft(call, tuple(imports), tuple(drawn), tuple(texts), tuple(names))

    def _receiver(self, method: Method, scene: Scene, *, peers: bool) -> str | None:
        """Return the variable that the call goes to: mostly the receiver, sometimes another instance of its class.

        For a method of an object that another method returns, it is that object; None if the thread has none.
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
            # ``*args`` is mostly passed on to another function; a name such as ``*keys`` means that the method uses it.
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
        alike = scene.typed.get(parameter.annotation or "")
        if met is None and alike in pool.values and self._random.random() < _MEET_OF_SAME_TYPE:
            return alike
        if (named := self._under_other_name(pool, scene)) and self._random.random() < _MEET_UNDER_OTHER_NAME:
            return self._random.choice(named)
        if pool.anything and not without and self._random.random() < _ALIAS * pool.scores.weight("own"):
            other = self._catalogue.own[:1]
            return self._random.choice([OWN, *(Value(each.text, "own", each.imports) for each in other)])
        return pool.choose(self._random, without=without)

    def _distinct(self, value: Value, pool: Pool, drawn: Sequence[tuple[Pool, Value]]) -> Value:
        """Return another value of the same kind if an argument of the same call has this text already.

        Methods that exchange, rename or move something do nothing if both names are the same.
        """
        known = {each.text for _pool, each in drawn if each.kind == "str"}
        if value.text not in known:
            return value
        others = [each for each in pool.values if each.kind == value.kind and each.text not in known]
        there = [each for each in others if each.text in self.present]
        return self._own.choice(there or others) if others else value

    def _under_other_name(self, pool: Pool, scene: Scene) -> list[Value]:
        """Return the values given to parameters with a role in `_NAMING`, if this parameter can take them."""
        if pool.role not in _NAMED:
            return []
        kinds = {value.kind for value in pool.values}
        given = [value for name, value in scene.given.items() if role(name) in _NAMING]
        return [value for value in given if value.kind in kinds and is_literal(value.text)]

    def _other(self, parameter: Parameter, pool: Pool, scene: Scene, without: tuple[str, ...]) -> Value | None:
        """Return a value other than the default and the one that the parameter was given last, if there is one."""
        last = scene.given.get(parameter.name)
        avoided = {parameter.default, None if last is None else last.text}
        for _ in range(_TRIES):
            value = pool.choose(self._random, without=without)
            if value is None or value.text not in avoided:
                return value
        return value

    def _shared(self, value: Value, scene: Scene) -> Value:
        """Return, most of the time, a variable that holds the object, so that all calls share it; literals stay."""
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
        """Return a variable with an earlier result, mostly one whose type fits the parameter; None if none is taken."""
        for name, kind in reversed(scene.results.items()):
            if self.handed and takes(parameter, pool, kind):
                return Value(name, kind)
            chance = _ANY_RESULT * pool.scores.weight(kind) if pool.anything else 0.0
            if belongs_to(parameter, kind):
                chance = _PLAIN_RESULT if kind in PLAIN_RESULTS else _NAMED_RESULT
            if self._random.random() < chance:
                return Value(name, kind)
        return None


def belongs_to(parameter: Parameter, kind: str) -> bool:
    """Return whether the annotation or the name of a parameter names a type, given by its name."""
    return kind in (parameter.annotation or "") or snake_case(kind).endswith(parameter.name)


def takes(parameter: Parameter, pool: Pool, kind: str) -> bool:
    """Return whether a parameter may be given a result of this type."""
    return pool.anything or belongs_to(parameter, kind) or any(each.kind == kind for each in pool.values)


def without_blame(draft: Draft, attempt: Callable[[Draft], CallOutcome | None]) -> Draft | None:
    """Return the call or a variant of it that does not raise; None if a few tries give none.

    A variant has another value for an argument that the last error blamed; arguments that it did not blame stay. If the
    next error blames the value that was put in, it was put in the wrong place, and the variant is given up.
    """
    tried: set[str] = set()
    pending = [(draft, "")]
    while pending and len(tried) < _MENDS:
        each, put_in = pending.pop(0)
        tried.add(each.call.source)
        outcome = attempt(each)
        if outcome is None or outcome.status != "raised":
            return each if outcome is not None else None
        wrong, part, fitting = asked_for(outcome.message)
        if not (part or fitting) and (allowed := listed_values(outcome)):
            wrong, fitting = "" if len(each.drawn) == 1 else "str", [literal(text) for text in allowed]
        if not wrong or wrong != put_in:
            again = each.otherwise(wrong, part, fitting, outcome.message)
            pending = [*((other, kind) for other, kind in again if other.call.source not in tried), *pending]
    return None


def that_worked(drafts: Sequence[Draft], outcomes: Sequence[CallOutcome]) -> list[Draft]:
    """Return the calls that returned and that use no result of one that did not.

    If the constructor call failed, the outcomes of the others mean nothing, and only it is returned.
    """
    if not outcomes or outcomes[0].status != "ok":
        return list(drafts[:1])
    lost: set[str | None] = set()
    kept = []
    for index, draft in enumerate(drafts):
        went_well = index < len(outcomes) and outcomes[index].status == "ok"
        if went_well and not lost.intersection((draft.call.receiver, *draft.arguments)):
            kept.append(draft)
        elif draft.call.result is not None:
            lost.add(draft.call.result)
    return kept
