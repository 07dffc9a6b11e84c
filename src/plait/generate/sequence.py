"""Feedback-directed random sequences: prefixes that work, and suffixes that can run after them.

This is how Randoop and ConTeGe make sequences (CovCon, section IV-D, takes its prefixes from there): a random call is
run after the calls kept so far, and kept if it did not raise. Each outcome is feedback for the following calls: which
kinds of arguments fit, which methods wait, which results are worth using.
"""

from __future__ import annotations

import ast
import functools
import itertools
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from plait.errors import UsageError
from plait.generate.draft import (
    ARGUMENT,
    PAUSE,
    Draft,
    Scene,
    Writer,
    that_worked,
    without_blame,
)
from plait.generate.knowledge import Knowledge
from plait.generate.outcome import CallOutcome, listed_values, missing_arguments
from plait.generate.seeking import simplest, sought
from plait.generate.values.value import RECEIVER, is_literal
from plait.generate.values.wider import asked_for
from plait.model.entering import ENTER, EXIT, unentered
from plait.model.test import Call, Test, has_value

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from random import Random

    from plait.generate.catalogue import Catalogue
    from plait.generate.outcome import RunSequentially
    from plait.generate.values.recipes import Recipe
    from plait.subject.interface.members import Method


_CONSTRUCTOR_TRIES = 40
_ROUNDS = 4
_KEPT_CONSTRUCTORS = 12
_MOST_ASKED = 60
"""Most such variants of one method."""
_MANY_ARGUMENTS = 3
"""Required arguments of a constructor from which on its best values are tried together first."""
_FRESH_CONSTRUCTOR = 0.4
"""How often a new constructor call is tried, while few are known."""
_RECIPE = 0.6
"""How often an object is built by a recipe, if one works."""
_NOTHING_MADE = 0.6
"""How often a test whose calls need no instance begins without one, so that its calls are the first of the class."""
_LET_RAISE = 0.15
"""How often a suffix call that raises is kept as it is: an exception is behaviour too."""
_AS_PREPARED = 0.5
"""How often a method that seldom returns is called in the way that is known to work (`Catalogue.prepared`)."""
_SELDOM = 5
"""A method seldom returns if it has at least so many calls per call that returned."""
_CHANGER_WEIGHT = 3
"""Weight of methods that change the state in a prefix; others have 1."""
_EAGER_WEIGHT = 20
_BROKEN_AFTER = 4
"""Misused calls, not fewer than successful ones, after which a constructor call counts as broken."""
_USELESS_AFTER = 8
"""Calls on an object, none of which returned, after which its constructor call counts as broken."""
_PREFIXES = 3
_PASSED, LONG_PASSED = (Draft(Call(PAUSE, f"time.sleep({each})"), ("import time",)) for each in (2, 100_000))
"""A short pause, after which timers have fired, and a long one of more than a day, after which entries have expired."""
_LONG = 0.5
_SIZES = ("1", "2", "3")
"""Small numbers of parties, permits or slots."""
LATER = 0.3
"""How often time passes before the threads start, if the subject reads a clock."""


@dataclass(slots=True)
class _Built:
    """A constructor call that works, with counts of the outcomes of calls on its object."""

    draft: Draft
    succeeded: int = 0
    misused: int = 0
    raised: int = 0
    methods: list[str] = field(default_factory=list)  # those that have returned

    @property
    def broken(self) -> bool:
        """True if the constructor accepts arguments with which the methods cannot work."""
        useless = not self.succeeded and self.misused + self.raised >= _USELESS_AFTER
        return useless or (self.misused >= _BROKEN_AFTER and self.doubtful)

    @property
    def worth(self) -> float:
        """About the fraction of calls on the object that returned; 1 if there were no calls yet."""
        return (1 + self.succeeded) / (1 + self.succeeded + self.misused + self.raised)

    @property
    def doubtful(self) -> bool:
        """True if at least as many calls on it were misused as returned."""
        return self.misused >= self.succeeded


@dataclass(slots=True)
class Prefix:
    """Calls that run one after another without raising; the first one builds the receiver."""

    drafts: list[Draft]
    scene: Scene = field(default_factory=Scene)

    def free_name(self) -> str:
        """Return a name for the next result: one more than the highest number that is in use."""
        names = {*self.scene.results, *(each.call.result or "" for each in self.drafts)}
        taken = [int(name[1:]) for name in names if name.startswith("r")]
        return f"r{max(taken, default=0) + 1}"

    def keep(self, drafts: list[Draft]) -> None:
        """Keep only these calls, and forget the variables that the others bound."""
        self.drafts = drafts
        names = {draft.call.result for draft in drafts}
        self.scene.results = {name: kind for name, kind in self.scene.results.items() if name in names}
        self.scene.bound = {text: name for text, name in self.scene.bound.items() if name in names}
        self.scene.handed = {maker: name for maker, name in self.scene.handed.items() if name in names}


class Sequences:
    """A source of prefixes and suffixes for one subject.

    It is deterministic, given the random source and the outcomes of the sequential runs.
    """

    def __init__(self, catalogue: Catalogue, run: RunSequentially, random: Random) -> None:
        self.catalogue = catalogue
        self.knowledge = Knowledge()
        self.worked: dict[str, Draft] = {}  # by method: the first call of it that returned
        self._run = run
        self._random = random
        self._writer = Writer(catalogue, random)
        self._constructors: dict[str, _Built] = {}
        self._bindable: dict[str, bool] = {}
        self._asked: dict[str, int] = {}
        self._has_threads = False
        self._begun = False
        self._untried = [Draft(call) for call in catalogue.built]
        self._recipes = {_recipe_call(each).source: each for each in catalogue.recipes}
        self._untried += [Draft(_recipe_call(each), each.imports) for each in catalogue.recipes]
        self._ready: dict[str, Draft] = {}
        for name in catalogue.prepared:
            self.knowledge.of(name).prepared = True

    def compose(
        self, length: int, patterns: Sequence[Sequence[Method]], *, later: bool = False, generous: bool = False,
        apart: bool = False,
    ) -> Test | None:  # fmt: skip
        """Return a test: a prefix of up to ``length`` calls, and calls of the given methods in each thread.

        With ``later``, time passes before the threads start, so that timers have fired and entries may have expired.
        With ``generous``, suffix calls get all their optional arguments. With ``apart``, they avoid each other's
        arguments, so that it can be seen if the values of two calls are mixed up.

        A method that has only raised may need a state that no prefix has reached: then a few prefixes are tried (unless
        ``length`` is 0). The result is None if a method cannot be called, or if all threads would wait for ever.
        """
        names = {method.name for pattern in patterns for method in pattern}
        found = None
        bare = self.catalogue.itself if all(method.classwide for pattern in patterns for method in pattern) else None
        for attempt in range(_PREFIXES if length else 1):
            prefix = self._without_instance(bare)
            prefix = prefix or self._prepared(names) or self.prefix(length, eager=attempt > 0, later=later)
            self._writer.generous, self._writer.apart = generous, apart
            suffixes = self.suffixes(prefix, patterns)
            self._writer.generous = self._writer.apart = False
            self._ready = {}
            found = self.test(prefix, suffixes) if suffixes is not None else found
            if not any(self._needs_state(name) for name in names):
                break
        return found

    def _needs_state(self, name: str) -> bool:
        """Return whether all calls of a method failed, and probably not because of their arguments."""
        record = self.knowledge.of(name)
        asked = any(each.required for each in self.catalogue.method(name).parameters)
        return not record.succeeded and bool(record.raised or (record.misused and not asked))

    def _prepared(self, names: Collection[str]) -> Prefix | None:
        """Return, part of the time, a prefix after which methods return that seldom do otherwise; else None.

        It also sets ``_ready`` to the calls of these methods that are known to return after this prefix. If the methods
        need different constructor calls, only those that fit the first one are prepared.
        """
        records = {name: self.knowledge.of(name) for name in sorted(names) if name in self.catalogue.prepared}
        seldom = [name for name, each in records.items() if each.called >= _SELDOM * each.succeeded]
        always = any(each.endless for each in records.values())
        if not seldom or (self._random.random() >= _AS_PREPARED and not always):
            return None
        self._random.shuffle(seldom)
        first = self.catalogue.prepared[seldom[0]]
        prefix = Prefix([Draft(first.prefix[0], first.imports)])
        for name in seldom:
            known = self.catalogue.prepared[name]
            if known.prefix[0] != first.prefix[0]:
                continue
            drafts = _renamed(known, prefix)
            if all(each.status == "ok" for each in self._outcomes([*prefix.drafts, *drafts], 0, learn=False)):
                prefix.drafts += drafts[:-1]
                self._ready[name] = drafts[-1]
        return prefix

    def _without_instance(self, itself: Method | None) -> Prefix | None:
        """Return, now and then, a prefix that only names the class; None otherwise, or if instances are needed.

        In such a test the threads are the first to use the class, so that they run what is done on first use.
        """
        if itself is None or self._random.random() >= _NOTHING_MADE:
            return None
        return _naming(itself)

    def on_first_use(self, methods: Sequence[Method]) -> Test | None:
        """Return a test whose threads call one of the methods each, and are the first to use the class.

        It is None if one of them needs an instance, or if nothing is done on first use.
        """
        itself = self.catalogue.itself
        if itself is None or not all(method.classwide for method in methods):
            return None
        prefix = _naming(itself)
        suffixes = self.suffixes(prefix, [[method] for method in methods])
        return None if suffixes is None else self.test(prefix, suffixes)

    def prefix(self, length: int, *, eager: bool = False, later: bool = False) -> Prefix:
        """Return a constructor call and up to ``length`` more calls; `UsageError` if no constructor call works.

        An ``eager`` prefix has the full length and consists mainly of calls that change the receiver. A ``later`` one
        ends with a pause.
        """
        constructor = self._constructor()
        prefix = Prefix([constructor])
        wanted = length if eager or not length else self._random.randint(1, length)
        for _ in range(_ROUNDS):
            missing = wanted + 1 - sum(draft.call.method != ARGUMENT for draft in prefix.drafts)
            if missing <= 0:
                break
            known = len(prefix.drafts)
            drafts = self._drafts(prefix, missing, _EAGER_WEIGHT if eager else _CHANGER_WEIGHT)
            tried = [*prefix.drafts, *drafts]
            prefix.keep(that_worked(tried, self._outcomes(tried, known)))
        if later:
            self.let_time_pass(prefix, self._random)
        return self._confirmed(prefix)

    def other_sizes(self, prefix: Prefix) -> Iterator[Prefix]:
        """Yield the same object with other small numbers in its constructor call: of parties, permits, slots."""
        draft = prefix.drafts[0]
        call = draft.call
        made = next((each for each in self.catalogue.constructors if each.name == call.method), None)
        sizes = [] if made is None else [each.name for each in made.parameters if (each.default or "").isdigit()]
        calls = [
            replace(call, args=(*call.args[:position], number, *call.args[position + 1 :]))
            for position, text in enumerate(call.args) if text.isdigit() for number in _SIZES
        ]  # fmt: skip
        calls += [
            replace(call, kwargs=(*((key, value) for key, value in call.kwargs if key != name), (name, number)))
            for name in sizes[:1] for number in _SIZES
        ]  # fmt: skip
        for each in calls:
            outcomes = self.tried([replace(draft, call=each)])
            if outcomes and outcomes[0].status == "ok":
                yield Prefix([replace(draft, call=each), *prefix.drafts[1:]], prefix.scene.copy())

    def let_time_pass(self, prefix: Prefix, random: Random) -> None:
        """Add a pause to the prefix: a short one, or if the calls have started no threads, perhaps a long one.

        A thread that wakes up every second would do so a hundred thousand times in a long pause.
        """
        long = random.random() < _LONG and not self._has_threads
        if long:
            self._has_threads = any(each.threads for each in self._outcomes(prefix.drafts, 0, learn=False))
        prefix.drafts.append(LONG_PASSED if long and not self._has_threads else _PASSED)

    def suffixes(self, prefix: Prefix, patterns: Sequence[Sequence[Method]]) -> tuple[tuple[Draft, ...], ...] | None:
        """Return one suffix per pattern: calls of its methods that can run after the prefix.

        The result is None if a method cannot be called, or if all threads would wait for ever.
        """
        scene = prefix.scene.copy()
        found = []
        waiting = 0
        for pattern in patterns:
            written = self._suffix(prefix, pattern, scene)
            if written is None:
                return None
            drafts, waits = written
            waiting += waits
            found.append(tuple(drafts))
        prefix.scene.bound = scene.bound  # the calls that bind them have joined the prefix
        # If each thread waits even when it runs alone, only calls of another method could wake one of them.
        alone = len({method.name for pattern in patterns for method in pattern}) == 1
        return None if waiting == len(found) and alone else tuple(found)

    def test(self, prefix: Prefix, suffixes: Sequence[Sequence[Draft]]) -> Test:
        """Return the test of a prefix and suffixes, without arguments that no call uses."""
        calls = [draft for suffix in suffixes for draft in suffix]
        used = {value for draft in [*prefix.drafts, *calls] for value in _values(draft)}
        before = [each for each in prefix.drafts if each.call.method != ARGUMENT or each.call.result in used]
        if any(each.call.method == EXIT for each in (*before, *calls)):
            before = self._entered(before, suffixes)
        alone = self._sequential([*before, *calls])
        threads = tuple(tuple(draft.call for draft in suffix) for suffix in suffixes)
        return Test(alone.imports, alone.prefix[: len(before)], threads)

    def _entered(self, before: list[Draft], suffixes: Sequence[Sequence[Draft]]) -> list[Draft]:
        """Return the calls before the threads with those of `__enter__` that are missing, if they can be made."""
        enter = next((each for each in self.catalogue.methods if each.name == ENTER), None)
        if enter is None:
            return before
        inside: Counter[str] = Counter()
        drafts = list(before)
        for at in reversed(unentered([each.call for each in before], inside)):
            drafts.insert(at, Draft(Call(ENTER, enter.form, before[at].call.receiver)))
        for suffix in suffixes:
            for at in unentered([each.call for each in suffix], Counter()):
                inside[receiver := suffix[at].call.receiver] -= 1
                drafts += [Draft(Call(ENTER, enter.form, receiver))] if inside[receiver] < 0 else []
        return drafts if all(each.status == "ok" for each in self.tried(drafts)) else before

    def _sequential(self, drafts: Sequence[Draft]) -> Test:
        imports = dict.fromkeys([*self.catalogue.imports, *(line for draft in drafts for line in draft.imports)])
        return Test(tuple(imports), tuple(draft.call for draft in drafts), ())

    def _constructor(self) -> Draft:
        while self._untried:
            self._works(self._untried.pop(0))
        if not self._begun:
            self._begun = True
            self._try_simplest()
        usable = [each for each in self._constructors.values() if not each.broken]
        by_recipe = [each for each in usable if each.draft.call.source in self._recipes]
        if by_recipe and self._random.random() < _RECIPE:
            return self._one_of(by_recipe)
        if len(usable) < _KEPT_CONSTRUCTORS and (not usable or self._random.random() < _FRESH_CONSTRUCTOR):
            for _ in range(1 if usable else _CONSTRUCTOR_TRIES):
                written = self._writer.construct(self._random.choice(self.catalogue.constructors))
                made = None if written is None else self._mended(written)
                if made is not None:
                    return made
        if not self._constructors and not self._seek_constructor():
            raise UsageError(self._cannot_build())
        return self._one_of(usable or list(self._constructors.values()))

    def _try_simplest(self) -> None:
        """Try constructor calls of many required arguments with the best value of each: chance hardly ever does it."""
        for each in self.catalogue.constructors:
            if sum(parameter.required for parameter in each.parameters) >= _MANY_ARGUMENTS:
                written = self._writer.construct(each)
                if written is not None:
                    self._mended(simplest(written))

    def _seek_constructor(self) -> bool:
        """Search for arguments with which a constructor call works (`plait.generate.seeking`)."""
        for each in self.catalogue.constructors:
            written = self._writer.construct(each)
            if written is not None and sought(written, self._construction) is not None:
                return True
        return False

    def _one_of(self, made: Sequence[_Built]) -> Draft:
        """Return a random one of several constructor calls, weighted by `_Built.worth`."""
        return self._random.choices(made, [each.worth for each in made])[0].draft

    def _mended(self, draft: Draft) -> Draft | None:
        """Return this constructor call or a variant, without the values that errors blamed, that works; or None."""
        return without_blame(draft, self._construction)

    def _construction(self, draft: Draft) -> CallOutcome | None:
        """Return how a constructor call goes; keep it if it works."""
        if self._works(draft):
            return CallOutcome("ok")
        outcomes = self._run(self._sequential([draft]))
        return outcomes[0] if outcomes else None

    def built(self) -> tuple[Draft, Recipe | None]:
        """Return the constructor call after which most methods returned, and its recipe if it was made by one."""
        self._constructor()
        good = sorted(self._constructors.values(), key=lambda each: (each.broken, -len(each.methods), -each.succeeded))
        by_recipe = [each for each in good if each.draft.call.source in self._recipes and each.succeeded]
        best = [*(each for each in by_recipe if not each.broken), *good][0].draft
        return best, self._recipes.get(best.call.source)

    def _works(self, draft: Draft) -> bool:
        """Return whether the constructor call works; keep it if it does."""
        known = self._constructors.get(draft.call.source)
        if known is None:
            outcomes = self._outcomes([draft], 0)
            if outcomes and outcomes[0].status == "ok" and self._is_one(draft, outcomes[0]):
                known = self._constructors[draft.call.source] = _Built(draft)
        return known is not None and not known.broken

    def _is_one(self, draft: Draft, outcome: CallOutcome) -> bool:
        """Return whether the call made an instance: a recipe may call a function that returns something else."""
        recipe = self._recipes.get(draft.call.source)
        return recipe is None or not recipe.makes or outcome.result is None or outcome.result in recipe.makes

    def _cannot_build(self) -> str:
        errors = [self.knowledge.of(each.name).last_error for each in self.catalogue.constructors]
        reason = next((error for error in errors if error), "")
        missing = [] if reason else [
            each for method in self.catalogue.constructors for each in method.parameters
            if each.required and not self.catalogue.pool(method, each.name).values
        ]  # fmt: skip
        wanted = "factories = [...]"
        if missing:
            shown = ", ".join(f"`{each.name}: {each.annotation or 'anything'}`" for each in missing[:3])
            reason = f"no value is known for {shown}"
            wanted = f'values = {{ {missing[0].name} = ["..."] }}, or factories = [...]'
        return (
            f"{self.catalogue.subject} cannot be built from its signature ({reason or 'no call of it was possible'}); "
            f"give an expression that builds one: {wanted} under [tool.plait] in pyproject.toml"
        )

    def _drafts(self, prefix: Prefix, count: int, changer_weight: int) -> list[Draft]:
        methods = [each for each in self.catalogue.methods if self._usable_alone(each)]
        if not methods:
            return []
        weights = [self._weight(each, changer_weight) for each in methods]
        found = []
        for method in self._random.choices(methods, weights, k=count):
            record = self.knowledge.of(method.name)
            keeps = record.interesting_result and has_value(method.form)
            name = prefix.free_name() if keeps else None
            draft = self._write(method, prefix, prefix.scene, name)
            if draft is not None:
                found.append(draft)
                if name is not None and record.result is not None:
                    prefix.scene.results[name] = record.result
        return found

    def _weight(self, method: Method, changer_weight: int) -> float:
        """Return the weight of a method in a prefix: higher if it changes the receiver, lower if it often waits."""
        record = self.knowledge.of(method.name)
        worth = changer_weight if record.changes_state else 1
        return worth * (1 + record.succeeded) / (1 + record.succeeded + 4 * record.blocked)

    def _usable_alone(self, method: Method) -> bool:
        record = self.knowledge.of(method.name)
        return not record.uncallable and not record.blocks and not (record.prepared and record.endless)

    def _confirmed(self, prefix: Prefix) -> Prefix:
        """Run the kept calls again until all of them return: a later one may have needed a call that was dropped."""
        while len(prefix.drafts) > 1:
            outcomes = self._outcomes(prefix.drafts, 0, learn=False)
            kept = that_worked(prefix.drafts, outcomes)
            if len(kept) == len(prefix.drafts):
                break
            prefix.keep(kept)
        return prefix

    def write(
        self, method: Method, prefix: Prefix, *, apart: bool = False, same: bool = False, handed: bool = False,
        generous: bool = False, result: str | None = None,
    ) -> Draft | None:  # fmt: skip
        """Return a call of the method on the object under test; calls that make its arguments join the prefix.

        With ``apart``, each parameter gets another value than the last parameter of its name; with ``same``, the same
        value; with ``handed``, what an earlier call has returned, if it fits. With ``generous``, all optional arguments
        are given. ``result`` is the variable that takes the result.

        The result is None if an argument has no value, and for methods of objects that another method returns.
        """
        if method.of:  # each thread has a separate such object, and this call may be used in several threads
            return None
        writer = self._writer
        writer.apart, writer.same, writer.handed, writer.generous = apart, same, handed, generous
        try:
            return self._write(method, prefix, prefix.scene, result, peers=False)
        finally:
            writer.apart = writer.same = writer.handed = writer.generous = False

    def tried(self, drafts: Sequence[Draft]) -> list[CallOutcome]:
        """Return the outcomes of calls that run one after another. They are not used as feedback."""
        return self._run(self._sequential(drafts))

    def _write(
        self, method: Method, prefix: Prefix, scene: Scene, result: str | None = None, *, peers: bool = True
    ) -> Draft | None:
        """Return a call; first add the calls that bind its arguments to the prefix."""
        waits = self.knowledge.of(method.name).blocked > 0
        if method.of and not self._hand_out(method.of, prefix, scene):
            return None
        draft = self._writer.write(method, scene, result=result, waits=waits, peers=peers)
        pending, scene.pending = scene.pending, []
        broken = [each for each in pending if not self._binds(prefix.drafts[0], each)]
        for each in broken:
            self._writer.unbindable.add(each.call.expression)
            scene.bound.pop(each.call.expression)
        prefix.drafts += [each for each in pending if each not in broken]
        lost = {each.call.result for each in broken}
        if draft is None or not lost & _values(draft):
            return draft
        draft.learn(misuse=True, succeeded=False)
        again = Scene(scene.results, scene.given, scene.bound, handed=scene.handed)
        return self._writer.write(method, again, result=result, waits=waits, peers=peers)

    def _hand_out(self, maker: str, prefix: Prefix, scene: Scene) -> bool:
        """Add a call to the prefix whose result is for the current thread only; return whether that worked.

        ``maker`` is the method to call. It does not work if the method returns the same object each time.
        """
        if maker in scene.handed:
            return True
        method = next((each for each in self.catalogue.methods if each.name == maker), None)
        name = prefix.free_name()
        draft = None if method is None else self._write(method, prefix, scene, name, peers=False)
        if draft is None:
            return False
        others = [each.call.result for each in prefix.drafts if each.call.method == maker and each.call.result]
        # These raise IndexError if the new object is one of the earlier ones: True is index 1 of a list of one.
        apart = [Draft(Call(ARGUMENT, f"[None][{name} is {other}]")) for other in others]
        outcomes = self._run(self._sequential([*prefix.drafts, draft, *apart]))
        whole = len(outcomes) == len(prefix.drafts) + 1 + len(apart)
        if not whole or any(each.status != "ok" for each in outcomes[len(prefix.drafts) :]):
            return False
        prefix.drafts.append(draft)
        scene.handed[maker] = name
        return True

    def _binds(self, constructor: Draft, draft: Draft) -> bool:
        """Return whether the expression that makes an argument can be evaluated without an error."""
        text = draft.call.expression
        if text not in self._bindable:
            outcomes = self._run(self._sequential([constructor, draft]))
            self._bindable[text] = len(outcomes) == 2 and outcomes[1].status == "ok"
        return self._bindable[text]

    def _suffix(self, prefix: Prefix, pattern: Sequence[Method], scene: Scene) -> tuple[list[Draft], bool] | None:
        """Return calls for one thread, and whether they block when they run alone; None if a method is uncallable."""
        scene.handed = {}
        written = [self._ready.get(method.name) or self._write(method, prefix, scene) for method in pattern]
        drafts = [draft for draft in written if draft is not None]
        if len(drafts) < len(pattern):
            return None
        may_raise = [self._random.random() < _LET_RAISE for _ in pattern]
        waits = False
        for _ in range(_ROUNDS):
            start = len(prefix.drafts)
            outcomes = self._outcomes([*prefix.drafts, *drafts], start)[start:]
            waits = any(outcome.status == "blocked" for outcome in outcomes)
            bad = [
                index
                for index, (outcome, tolerated) in enumerate(zip(outcomes, may_raise, strict=False))
                if (outcome.status == "blocked" or outcome.misuse or (outcome.status == "raised" and not tolerated))
                and pattern[index].parameters  # a call without arguments would be the same again
            ]
            if not bad:
                break
            for index in bad:
                # No peers here: the prefix has prepared the object under test, not other instances.
                self._writer.present = _put_in(prefix) if outcomes[index].absent else frozenset()
                again = self._as_asked(prefix, drafts[index])
                if again is None:
                    again = self._write(self.catalogue.method(pattern[index].name), prefix, scene, peers=False)
                self._writer.present = frozenset()
                drafts[index] = again if again is not None else drafts[index]
        return None if any(self.knowledge.of(method.name).uncallable for method in pattern) else (drafts, waits)

    def _as_asked(self, prefix: Prefix, draft: Draft) -> Draft | None:
        """Return a variant of the call that does not raise, made as its errors say; None if none was found.

        It is tried only while no call of the method has returned, and for a limited number of calls.
        """
        name = draft.call.method
        if self.knowledge.of(name).succeeded or self._asked.get(name, 0) >= _MOST_ASKED:
            return None

        def attempt(each: Draft) -> CallOutcome | None:
            self._asked[name] = self._asked.get(name, 0) + 1
            drafts = [*prefix.drafts, each]
            outcomes = self._run(self._sequential(drafts))
            return outcomes[-1] if len(outcomes) == len(drafts) else None

        return without_blame(draft, attempt)

    def _outcomes(self, drafts: Sequence[Draft], known: int, *, learn: bool = True) -> list[CallOutcome]:
        """Run the calls, and use the outcomes as feedback except those of the first ``known`` ones, used before."""
        outcomes = self._run(self._sequential(drafts))
        built = self._constructors.get(drafts[0].call.source)
        given = {text for draft in drafts for text in draft.arguments} if learn else set()
        for draft, outcome in list(zip(drafts, outcomes, strict=False))[known:] if learn else ():
            if draft.call.method in (ARGUMENT, PAUSE):
                continue
            if outcome.status == "raised" and not self.knowledge.of(draft.call.method).succeeded:
                self._blame(draft, drafts[0], outcome)
            if outcome.misuse and built is not None and built.doubtful and len(self._constructors) > 1:
                self._judge(built, outcome)  # the object may be at fault, so do not blame the method or its arguments
                continue
            self.knowledge.learn(draft.call.method, outcome)
            if outcome.made and outcome.made not in given:
                self.knowledge.of(draft.call.method).makes_names = True
            draft.learn(misuse=outcome.misuse, succeeded=outcome.status == "ok")
            if outcome.status == "raised" and not self.knowledge.of(draft.call.method).succeeded:
                draft.refuse(absent=outcome.absent)
            if outcome.status == "raised" and (allowed := listed_values(outcome)):
                draft.offer(allowed, outcome.message)
            if built is not None:
                self._judge(built, outcome)
                if outcome.status == "ok":
                    self.returned(drafts[0], draft.call.method)
                    self.worked.setdefault(draft.call.method, draft)
                self._reveal(draft.call.method, outcome)
        return outcomes

    def _blame(self, draft: Draft, constructor: Draft, outcome: CallOutcome) -> None:
        """Add values for the argument that an error blames: one of the call, else one of the constructor call.

        The constructor call is blamed only after several calls: other objects may work, or other methods of this one.
        """
        wrong, part, fitting = asked_for(outcome.message)
        if not (fitting or part) or draft.blame(wrong, part, fitting, message=outcome.message):
            return
        if wrong and self.knowledge.of(draft.call.method).called >= _USELESS_AFTER:
            constructor.blame(wrong, part, fitting, first=False)

    def _reveal(self, name: str, outcome: CallOutcome) -> None:
        names = missing_arguments(name, outcome)
        for method in self.catalogue.methods:
            if names and method.name == name and "{args}" in method.form:
                self.catalogue.add_parameters(method, names)

    def returned(self, constructor: Draft, name: str) -> None:
        """Record that a method has returned on the object of this constructor call."""
        built = self._constructors.get(constructor.call.source)
        if built is not None and name not in built.methods:
            built.methods.append(name)

    def _judge(self, built: _Built, outcome: CallOutcome) -> None:
        before = built.broken
        built.succeeded += outcome.status == "ok"
        built.misused += outcome.misuse
        built.raised += outcome.status == "raised" and not outcome.misuse
        if built.broken and not before:
            built.draft.learn(misuse=True, succeeded=False)


def _naming(itself: Method) -> Prefix:
    return Prefix([Draft(Call(itself.name, itself.form, result=RECEIVER))])


def _recipe_call(recipe: Recipe) -> Call:
    return Call("recipe", recipe.text.replace("{", "{{").replace("}", "}}"), result=RECEIVER)


def _renamed(known: Test, prefix: Prefix) -> list[Draft]:
    """Return the prefix calls of a test after the first, with variables renamed that the prefix uses already."""
    taken = {draft.call.result for draft in prefix.drafts}
    names: dict[str, str] = {}
    for call in known.prefix[1:]:
        if call.result is not None:
            free = (f"{call.result[0]}{number}" for number in itertools.count(1))
            names[call.result] = next(each for each in free if each not in taken)
            taken.add(names[call.result])

    def again(text: str) -> str:
        return text if is_literal(text) else re.sub(r"\b[ar]\d+\b", lambda found: names.get(found[0], found[0]), text)

    drafts = []
    for call in known.prefix[1:]:
        args, kwargs = tuple(map(again, call.args)), tuple((name, again(text)) for name, text in call.kwargs)
        form = again(call.form) if call.method == ARGUMENT else call.form
        result = names.get(call.result or "")
        drafts.append(Draft(replace(call, form=form, args=args, kwargs=kwargs, result=result), known.imports))
    return drafts


def _values(draft: Draft) -> set[str | None]:
    return {draft.call.receiver, *draft.call.args, *(value for _, value in draft.call.kwargs)}


def _put_in(prefix: Prefix) -> frozenset[str]:
    """Return the arguments of the calls of a prefix, and the constants inside those that are literals.

    The constants of the constructor call are included.
    """
    given = {text for draft in prefix.drafts for text in _values(draft) if text}
    given |= {text for text, name in prefix.scene.bound.items() if name in given}
    plain = [*filter(is_literal, given), prefix.drafts[0].call.expression]
    return frozenset().union(given, *map(_constants_in, plain))


@functools.lru_cache(maxsize=8192)
def _constants_in(text: str) -> frozenset[str]:
    """Return the constants in an expression, as text."""
    nodes = ast.walk(ast.parse(text, mode="eval"))
    return frozenset(repr(node.value) for node in nodes if isinstance(node, ast.Constant))
