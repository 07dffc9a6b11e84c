"""Prefixes and suffixes on the zoo."""

from random import Random

import pytest
import zoo
from sequential import Runner

from plait.errors import UsageError
from plait.generate.catalogue import Hints
from plait.generate.sequence import Sequences
from plait.model.entering import is_paired
from plait.model.test import Test


def sequences_of(catalogue, runner=None, seed=0):
    return Sequences(catalogue, runner or Runner(), Random(seed))


def patterns(catalogue, *names):
    return [[catalogue.method(name) for name in each] for each in names]


def test_prefix_of_no_calls_is_the_constructor(catalogue_of):
    sequences = sequences_of(catalogue_of(zoo.Cache))
    prefix = sequences.prefix(0)
    assert [draft.call.method for draft in prefix.drafts] == ["Cache"]
    assert prefix.drafts[0].call.source.startswith("x = Cache(")


@pytest.mark.parametrize("cls", zoo.ALL, ids=lambda cls: cls.__name__)
def test_prefixes_never_raise(cls, catalogue_of):
    sequences = sequences_of(catalogue_of(cls))
    lengths = []
    for _ in range(30):
        test = sequences.test(sequences.prefix(5), ())
        outcomes = Runner()(test)
        assert len(outcomes) == len(test.prefix)
        assert {each.status for each in outcomes} == {"ok"}, test.as_lines()
        lengths.append(sum(call.method not in {cls.__name__, "argument"} for call in test.prefix))
    assert max(lengths) == 5
    assert sum(lengths) > 45


def test_an_unknown_partner_is_stood_in_for(catalogue_of):
    sequences = sequences_of(catalogue_of(zoo.Caller))
    call = [[sequences.catalogue.method("call")]] * 2
    made = [sequences.compose(0, call) for _ in range(20)]
    assert any("Standin('" in each.prefix[-1].source for each in made if each is not None)


def test_constructor_arguments_that_fail_are_given_up(catalogue_of):
    with pytest.raises(UsageError) as caught:
        sequences_of(catalogue_of(zoo.Picky)).prefix(0)
    message = str(caught.value)
    assert "zoo:Picky" in message
    assert "open_session" in message
    assert "factories" in message
    assert "\n" not in message


def test_constructor_that_fails_now_and_then(catalogue_of):
    sequences = sequences_of(catalogue_of(zoo.Singleton))
    for _ in range(20):
        prefix = sequences.prefix(5)
        assert prefix.drafts[0].call.method == "Singleton"


def test_factory_from_hints_builds_what_the_signature_cannot(catalogue_of):
    hints = Hints(imports=("from unittest.mock import Mock",), factories=("Picky(Mock())",))
    sequences = sequences_of(catalogue_of(zoo.Picky, hints=hints))
    assert sequences.test(sequences.prefix(0), ()).prefix[0].source == "x = Picky(Mock())"


def test_unannotated_callables_are_learned(catalogue_of):
    catalogue = catalogue_of(zoo.Emitter)
    pool = catalogue.pools["on", "listener"]
    sequences = sequences_of(catalogue)
    for _ in range(15):
        sequences.prefix(5)
    assert pool.proven("callable")
    assert sequences.knowledge.of("on").changes_state


def test_objects_keep_their_identity(catalogue_of):
    """Removing needs the very object that was added: it must come from a variable, never from a second constructor."""
    sequences = sequences_of(catalogue_of(zoo.Registry))
    catalogue = sequences.catalogue
    for _ in range(25):
        sequences.compose(5, patterns(catalogue, ["add", "remove"], ["remove", "add"]))
    assert sequences.knowledge.of("add").succeeded > 0
    assert sequences.knowledge.of("remove").succeeded > 0


def test_hidden_parameters_are_revealed(catalogue_of):
    sequences = sequences_of(catalogue_of(zoo.Hidden))
    for _ in range(15):
        sequences.prefix(5)
    assert [each.name for each in sequences.catalogue.method("store").parameters] == ["key", "value", "args"]
    assert sequences.knowledge.of("store").succeeded > 0


def test_hopeless_methods_are_given_up(catalogue_of):
    sequences = sequences_of(catalogue_of(zoo.Hidden))
    for _ in range(40):
        sequences.prefix(5)
    assert sequences.knowledge.of("never").uncallable
    assert sequences.knowledge.of("absent").uncallable
    assert not sequences.knowledge.of("fine").uncallable
    assert sequences.compose(0, patterns(sequences.catalogue, ["never"], ["fine"])) is None


def test_waiting_method_is_paired_only_with_what_can_wake_it(catalogue_of):
    sequences = sequences_of(catalogue_of(zoo.Mailbox), Runner(patience=0.05))
    catalogue = sequences.catalogue
    assert sequences.compose(0, patterns(catalogue, ["receive"], ["receive"])) is None
    assert sequences.knowledge.of("receive").blocked > 0
    test = sequences.compose(0, patterns(catalogue, ["receive"], ["send"]))
    assert [[call.method for call in suffix] for suffix in test.suffixes] == [["receive"], ["send"]]


def test_tests_are_complete_programs(catalogue_of):
    sequences = sequences_of(catalogue_of(zoo.Limiter))
    catalogue = sequences.catalogue
    for _ in range(20):
        test = sequences.compose(5, patterns(catalogue, ["hit", "merge"], ["switch", "hit"]))
        assert Test.from_json(test.as_json()) == test
        scope = {}
        exec("\n".join(test.imports), scope)
        for call in test.prefix:
            exec(call.source, scope)
        for call in test.calls:
            exec(call.source, dict(scope))


def test_threads_meet_on_the_same_key(catalogue_of):
    sequences = sequences_of(catalogue_of(zoo.Cache))
    catalogue = sequences.catalogue
    met = 0
    for _ in range(60):
        test = sequences.compose(5, patterns(catalogue, ["put"], ["get"]))
        met += test.suffixes[0][0].args[0] == test.suffixes[1][0].args[0]
    # Three keys chosen independently would meet in about 37 % of 60 tests, 22 in the mean.
    assert met >= 36


class Routes:
    """Has the same names under `path` and under parameters that say nothing."""

    def __init__(self):
        self.known = {}

    def add(self, path: str):
        self.known[path] = len(self.known)

    def rename(self, old: str, new: str):
        if old in self.known:
            self.known[new] = self.known.pop(old)


def test_what_one_parameter_names_is_given_to_others_that_may_mean_it(catalogue_of):
    renamed = 0
    for seed in range(4):
        sequences = sequences_of(catalogue_of(Routes), seed=seed)
        for _ in range(40):
            prefix = sequences.test(sequences.prefix(5), ()).prefix
            calls = [call for call in prefix if call.method in {"add", "rename"}]
            added = {call.args[0] for call in calls if call.method == "add"}
            renamed += any(call.method == "rename" and call.args[0] in added for call in calls)
    assert renamed >= 20, renamed  # of 160; none without


class Tickets:
    def __init__(self):
        self.known = {}

    def book(self, name: str) -> str:
        ticket = f"{name} {len(self.known)}"
        self.known[ticket] = name
        return ticket

    def cancel(self, ticket: str) -> str:
        return self.known.pop(ticket)


def test_a_name_that_a_call_has_made_is_given_to_others(catalogue_of):
    cancelled = 0
    for seed in range(4):
        sequences = sequences_of(catalogue_of(Tickets), seed=seed)
        for _ in range(20):
            prefix = sequences.test(sequences.prefix(5), ()).prefix
            cancelled += sum(call.method == "cancel" for call in prefix)
    assert cancelled >= 20, cancelled  # none returns without


class Room:
    """Leaving it without having entered it makes the count wrong."""

    def __init__(self):
        self.inside = 0

    def __enter__(self):
        self.inside += 1

    def __exit__(self, *_why):
        self.inside -= 1


def test_who_leaves_has_entered(catalogue_of):
    sequences = sequences_of(catalogue_of(Room))
    made = [sequences.compose(4, patterns(sequences.catalogue, ["__exit__", "with"], ["__exit__"])) for _ in range(20)]
    assert all(is_paired(test) for test in made)
    for test in made:
        assert [outcome.status for outcome in Runner()(test)] == ["ok"] * len(test.prefix)
