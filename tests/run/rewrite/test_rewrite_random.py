"""Random programs over objects that log whatever is done to them: rewritten and original must do the same."""

import traceback

import pytest
from random_programs import Author, Exhausted, Point, Thing, World, show

from plait.run.hooks.noop import HOOKS
from plait.run.rewrite import REFERENCES, compile_module

FILE = "random_program.py"
CHUNK = 40


def _message(error):
    """The message, without the name of the function in it, which may be a hook that calls the real one."""
    return str(error).rpartition(" after *")[2]


def _behaviour(code, seed):
    world = World(seed)

    def tick():
        world.did("tick")

    def oops(error):
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILE]
        world.log.append((type(error).__name__, _message(error), lines))

    namespace = {
        "__name__": "random_program", "Thing": Thing, "Point": Point, "KEY": "x", "tick": tick, "oops": oops,
        "heappush": Thing(world), "heapq": Thing(world), "values": Thing(world), **REFERENCES, **HOOKS,
    }  # fmt: skip
    exec(code, namespace)
    try:
        outcome = show(namespace["Owner"].main(Thing(world), Point(world), Thing(world)))
    except (Exception, Exhausted) as error:
        frames = [
            (frame.name, frame.lineno) for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILE
        ]
        outcome = (type(error).__name__, _message(error), frames)
    return outcome, world.log, show(namespace.get("g1")), show(namespace.get("g2"))


def _program(seed):
    """The first program from this seed on that compiles: some random ones are no Python."""
    for attempt in range(100):
        source = Author(f"{seed}.{attempt}").program()
        try:
            return source, compile(source, FILE, "exec", dont_inherit=True)
        except SyntaxError:
            continue
    raise AssertionError(f"no program from seed {seed}")


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("chunk", range(10))
def test_random_programs_behave_as_before(chunk):
    operations = 0
    for seed in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        source, original = _program(seed)
        rewritten, sites = compile_module(source, "random_program", FILE, None)
        assert sites
        for run in range(3):
            expected = _behaviour(original, run)
            operations += len(expected[1])
            assert _behaviour(rewritten, run) == expected, f"seed {seed}\n{source}"
    assert operations > 10 * CHUNK


def test_the_comparison_sees_a_broken_hook():
    """Without this, a generator that writes only trivial programs would pass unnoticed."""
    seen = set()
    for seed in range(60):
        source, original = _program(seed)
        rewritten, _ = compile_module(source, "random_program", FILE, None)
        for hook in ("_p_r", "_p_rk", "_p_c", "_p_o", "_p_it", "_p_wg"):  # what the last one returns is ignored
            sound = HOOKS[hook]
            HOOKS[hook] = lambda *_args: 77
            try:
                if _behaviour(rewritten, 0) != _behaviour(original, 0):
                    seen.add(hook)
            finally:
                HOOKS[hook] = sound
    assert seen == {"_p_r", "_p_rk", "_p_c", "_p_o", "_p_it"}
