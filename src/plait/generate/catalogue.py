"""The catalogue of a subject: constructors, methods and a pool of values for each parameter.

Generators write calls from it. It is plain data: it is made in the process that imports the subject, and sent to the
one that generates tests.
"""

from __future__ import annotations

import difflib
import inspect
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from plait.errors import UsageError
from plait.generate.values.candidates import Candidates
from plait.generate.values.duck import uses_of
from plait.generate.values.mining import Mined, mine_examples, mine_source, mine_tests
from plait.generate.values.names import (
    PARTNER,
    SPARE,
    by_name,
    role,
)
from plait.generate.values.recipes import Recipe, examples_for, recipes_for
from plait.generate.values.value import Pool, Scores
from plait.generate.values.wider import wider
from plait.model.test import Call
from plait.subject.contract import Contract
from plait.subject.interface.members import Method, Parameter
from plait.subject.interface.publishing import completed_late

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plait.generate.values.value import Value
    from plait.model.test import Test
    from plait.subject.interface.members import Interface


_POOL_SIZE = 5


@dataclass(slots=True)
class Catalogue:
    """The calls that tests may contain, with values for their arguments.

    ``built`` has constructor calls found in the project's tests, ``recipes`` whole expressions from there and from
    documentation. ``own`` has values that make other instances of the class. ``timed`` says that the subject reads
    a clock. ``itself`` stands for the class, in tests that begin without an instance. ``uses`` has the attributes
    that each method uses. ``published`` has what to look at in the results of methods that complete them late.
    ``prepared`` has, for methods that seldom return, calls that end with one that does.
    """

    subject: str
    imports: tuple[str, ...]
    constructors: tuple[Method, ...]
    methods: tuple[Method, ...]
    pools: dict[tuple[str, str], Pool]
    own: tuple[Value, ...] = ()
    built: tuple[Call, ...] = ()
    recipes: tuple[Recipe, ...] = ()
    not_parallel: tuple[tuple[str, str], ...] = ()
    timed: bool = False
    itself: Method | None = None
    uses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    published: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    prepared: Mapping[str, Test] = field(default_factory=dict)

    def pool(self, method: Method, parameter: str) -> Pool:
        """Return the pool of values for one parameter."""
        return self.pools[method.name, parameter]

    def method(self, name: str) -> Method:
        """Return the method of that name, with the parameters known so far (`add_parameters`)."""
        return next(each for each in self.methods if each.name == name)

    def objects(self) -> frozenset[str]:
        """Return the values that need an import: some of them may not exist in another version of the code."""
        values = [*self.own, *(value for pool in self.pools.values() for value in pool.values if value.imports)]
        return frozenset(value.text for value in values) | {each.text for each in self.recipes}

    def keep_objects(self, known: frozenset[str]) -> None:
        """Remove the objects (see `objects`) that are not ``known``, unless a parameter would have no value left."""
        self.own = tuple(value for value in self.own if value.text in known)
        self.recipes = tuple(each for each in self.recipes if each.text in known)
        for pool in self.pools.values():
            fitting = tuple(value for value in pool.values if not value.imports or value.text in known)
            if fitting or pool.spare:
                pool.values = fitting

    def add_parameters(self, method: Method, names: Sequence[str]) -> None:
        """Add parameters to a method that its signature hides, but an error message has revealed.

        They come before the other parameters of the signature, mostly ``*args``, and after those added before.
        """
        new = [name for name in names if (method.name, name) not in self.pools]
        for name in new:
            self.pools[method.name, name] = Pool(
                tuple(by_name(name)) or SPARE, Scores(), role(name), True, (*SPARE, PARTNER)
            )
        known = sum(each.kind == "positional-only" and each.required for each in method.parameters)
        added = [Parameter(name, "positional-only") for name in new]
        changed = replace(method, parameters=(*method.parameters[:known], *added, *method.parameters[known:]))
        self.methods = tuple(changed if each.name == method.name else each for each in self.methods)


def build_catalogue(
    owner: object, interface: Interface, *, hints: Hints | None = None, seed: int = 0, tests: Path | None = None,
    size: int = _POOL_SIZE,
) -> Catalogue:  # fmt: skip
    """Return the catalogue of a class or module.

    ``tests`` is the folder of the project's own tests, which are read but not run.
    """
    hints = hints or Hints()
    known = {each.name for each in interface.methods}
    for name in (*hints.exclude, *hints.only):
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            advice = f"did you mean {near[0]}?" if near else f"it has {', '.join(sorted(known))}"
            what = "exclude" if name in hints.exclude else "call"
            raise UsageError(f"{interface.subject} has no method {name} to {what}; {advice}")
    mined = _mine(owner, interface, tests)
    candidates = Candidates(owner, mined, hints, seed=seed, size=size)
    constructors = _factories(hints) or interface.constructors
    methods = tuple(each for each in interface.methods if not hints.leaves_out(each.name))
    pools: dict[tuple[str, str], Pool] = {}
    for method in [*constructors, *methods]:
        for position, parameter in enumerate(method.parameters):
            if (method.name, parameter.name) in pools:
                continue  # threads may call the class, too: then its constructor is also one of the methods
            values, anything = candidates.of(method, position, parameter)
            # Constructors get a stand-in only as a spare value: the object would mostly show what the stand-in does.
            last = () if method in constructors else (PARTNER,)
            spare = (*SPARE, PARTNER) if anything else ()
            fitting = tuple(values) or last
            # If the user states values, there are no others; if the type is known, only others of the same kinds.
            further = () if hints.states(method.name, parameter.name) else (
                *candidates.instead(method, parameter), *wider(None if anything else {each.kind for each in fitting})
            )  # fmt: skip
            pools[method.name, parameter.name] = Pool(
                fitting, Scores(), role(parameter.name), anything, spare, further=further
            )
    built = () if hints.factories else tuple(_seen(call, constructors[0]) for call in mined.built)
    written = (
        (*candidates.completed(), *recipes_for(owner, tests), *candidates.handed_out(), *candidates.filled())
        if isinstance(owner, type) and not hints.factories
        else ()
    )
    uses = {name: tuple(sorted(used)) for name, used in uses_of(owner).items()}
    return Catalogue(
        interface.subject, (*interface.imports, *hints.imports), constructors, methods, pools,
        tuple(candidates.own()), built, written, _apart(hints, methods), mined.timed,
        None if hints.factories else interface.itself, uses, completed_late(owner, methods),
    )  # fmt: skip


def _apart(hints: Hints, methods: tuple[Method, ...]) -> tuple[tuple[str, str], ...]:
    """Return the pairs of methods that tests must not run concurrently: by the hints, or by the contract."""
    unpromised = hints.contract.apart(each.name for each in methods) if hints.contract else ()
    return tuple(dict.fromkeys((*hints.not_parallel, *unpromised)))


def _factories(hints: Hints) -> tuple[Method, ...]:
    return tuple(
        Method(f"factory {index}", text.replace("{", "{{").replace("}", "}}"), "factory")
        for index, text in enumerate(hints.factories)
    )


def _seen(arguments: tuple[tuple[str, ...], tuple[tuple[str, str], ...]], constructor: Method) -> Call:
    positional, named = arguments
    return Call(constructor.name, constructor.form, args=positional, kwargs=named, result="x")


def _mine(owner: object, interface: Interface, tests: Path | None) -> Mined:
    mined = Mined()
    classes = [each for each in owner.__mro__ if each is not object] if isinstance(owner, type) else [owner]
    for file in dict.fromkeys(_file(each) for each in classes):
        if file is not None:
            try:
                mine_source(Path(file).read_text(encoding="utf-8"), mined)
            except (OSError, UnicodeDecodeError):
                continue
    if isinstance(owner, type):
        mine_examples(examples_for(owner), {each.name for each in interface.methods}, mined)
    if tests is not None and tests.is_dir():
        mine_tests(tests, interface.subject.replace(":", ".").rpartition(".")[2], mined)
    return mined


def _file(owner: object) -> str | None:
    try:
        found = inspect.getsourcefile(owner)  # type: ignore[arg-type]  # anything else is what the except is for
    except TypeError:
        return None
    return found


# -- hints -------------------------------------------------------------------------------------------------------------
# Facts about a subject that a user may state because its code does not show them.


@dataclass(frozen=True, slots=True)
class Hints:
    """The user's settings for one subject.

    ``factories`` are expressions that build the receiver; they replace the constructors. ``values`` maps a parameter
    (``"key"``), or that of one method (``"put.key"``), to expressions, which replace all other values. Tests do not
    call methods in ``exclude``, nor methods that are not in ``only`` if that is not empty. ``not_parallel`` has pairs
    of methods that tests do not run concurrently. If there is a ``contract``, tests run only methods concurrently that
    it promises to be safe.
    """

    imports: tuple[str, ...] = ()
    factories: tuple[str, ...] = ()
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    not_parallel: tuple[tuple[str, str], ...] = ()
    only: tuple[str, ...] = ()
    contract: Contract = field(default_factory=Contract)

    def states(self, method: str, parameter: str) -> bool:
        """Return whether the user has given values for a parameter."""
        return bool(self.values.get(f"{method}.{parameter}") or self.values.get(parameter))

    def leaves_out(self, method: str) -> bool:
        """Return whether tests must not call the method."""
        return method in self.exclude or (bool(self.only) and method not in self.only)
