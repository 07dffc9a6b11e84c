"""CPython's own tests on rewritten standard modules: they must notice nothing, and must notice a broken hook."""

import functools
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from interpreters import candidates
from plait.run.hooks.noop import BROKEN

SOURCES = Path(importlib.util.find_spec("plait").origin).parents[1]
HERE = "{}.{}".format(*sys.version_info)
VERSIONS = sorted({HERE, "3.11", "3.12", "3.13"})
LONG = bool(os.environ.get("PLAIT_LONG"))  # `make bench-suites`
HAS_ENGINE = importlib.util.find_spec("plait.run.hooks.access") is not None

# Imports the modules anew, rewritten with the hooks named (none: as they are), then the test module, and runs it.
PROGRAM = """
import importlib, io, json, re, sys, unittest
from pathlib import Path
hooks, modules, suite, cache, result, without = sys.argv[1:]
modules = modules.split(",")
sys.argv[1:] = []
from plait.run.hooks import noop
from plait.run.importing.importer import Importer
from plait.run.rewrite.cache import rewriter_version
import ast
rewriter_version(), ast.unparse(ast.Constant(0))  # what they import late must not meet a module that is half made
chosen = noop.HOOKS
if hooks == "engine":
    from plait.run.hooks.dynamic import HOOKS as chosen
elif hooks in noop.BROKEN:
    chosen = {**noop.HOOKS, hooks: noop.BROKEN[hooks]}
importer = Importer(lambda name, _origin: name in modules, chosen, {}, Path(cache))
if hooks != "none":
    importer.install()
for name in list(sys.modules):
    if any(name == module or name.startswith(module + ".") for module in modules):
        del sys.modules[name]
for module in modules:
    assert ("_p_m" in vars(importlib.import_module(module))) == (hooks != "none")
loaded = importlib.import_module(suite)
tests = unittest.defaultTestLoader.loadTestsFromModule(loaded)
def flat(suite):
    for each in suite:
        yield from flat(each) if isinstance(each, unittest.TestSuite) else [each]
if without:
    tests = unittest.TestSuite(each for each in flat(tests) if not re.search(without, each.id()))
found = unittest.TextTestRunner(stream=io.StringIO(), verbosity=0).run(tests)
Path(result).write_text(json.dumps({
    "run": found.testsRun,
    "skipped": len(found.skipped),
    "bad": sorted(f"{test}".split(chr(10))[0] for test, _ in found.errors + found.failures),
    "surprises": sorted(map(str, found.unexpectedSuccesses)),
    "sites": len(importer.sites),
    "uncontrolled": importer.uncontrolled,
}))
"""

# The modules to rewrite, and the test module to run.
QUICK = {
    "_collections_abc": "test.test_collections",
    "_weakrefset": "test.test_weakset",
    "abc": "test.test_abc",
    "bisect": "test.test_bisect",
    "cmd": "test.test_cmd",
    "collections": "test.test_ordered_dict",
    "configparser": "test.test_configparser",
    "contextlib": "test.test_contextlib",
    "copy,weakref": "test.test_copy",
    "csv": "test.test_csv",
    "dataclasses": "test.test_dataclasses",
    "fractions": "test.test_fractions",
    "functools": "test.test_functools",
    "graphlib": "test.test_graphlib",
    "heapq": "test.test_heapq",
    "html.parser": "test.test_htmlparser",
    "ipaddress": "test.test_ipaddress",
    "optparse": "test.test_optparse",
    "pprint": "test.test_pprint",
    "reprlib": "test.test_reprlib",
    "sched": "test.test_sched",
    "shlex": "test.test_shlex",
    "string": "test.test_string",
    "textwrap": "test.test_textwrap",
    "types": "test.test_types",
    "typing": "test.test_typing",
    "urllib.parse": "test.test_urlparse",
    "asyncio.locks,asyncio.queues": "test.test_asyncio.test_queues",
}
SLOW = {
    "argparse": "test.test_argparse",
    "asyncio.locks": "test.test_asyncio.test_locks",
    "calendar": "test.test_calendar",
    "difflib": "test.test_difflib",
    "enum": "test.test_enum",
    "json,json.decoder,json.encoder,json.scanner": "test.test_json",
    "queue": "test.test_queue",
    "random": "test.test_random",
    "statistics": "test.test_statistics",
    "weakref": "test.test_weakref",
}
REPEATING = {
    "test.test_queue": r"\.C\w+\.(test_basic|test_failing_queue)$",
    "test.test_statistics": r"test_float_sqrt_of_frac|test_inv_cdf",
    "test.test_weakref": r"test_threaded_",
}
"""Tests that run the same lines for seconds, a dozen times as many when these are rewritten, or that wait."""


@functools.cache
def interpreter(version):
    """A Python of this version that has CPython's tests, or None."""
    probe = f"import sys, test.test_queue; assert sys.version.startswith('{version}.')"
    for candidate in [sys.executable] if version == HERE else candidates(version):
        if subprocess.run([candidate, "-c", probe], capture_output=True, check=False).returncode == 0:
            return candidate
    return None


def run(python, hooks, modules, suite, folder):
    """What the test module says, or why it could not be run."""
    result = folder / f"{hooks}.json"
    work = folder / hooks
    work.mkdir()
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST", "COV_"))
    }
    done = subprocess.run(
        [python, "-c", PROGRAM, hooks, modules, suite, str(folder.parent / "cache"), str(result),
         "" if LONG else REPEATING.get(suite, "")],
        cwd=work, env={**environment, "PYTHONPATH": str(SOURCES)}, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=300, check=False,
    )  # fmt: skip
    return json.loads(result.read_text()) if result.exists() else {"crash": done.stderr[-2000:]}


def cases(modules, versions):
    """Every module here; on each other version every third one, another third each, unless there is time for all."""
    return [
        pytest.param(version, module, suite, id=f"{version}-{module}")
        for turn, version in enumerate(versions)
        for number, (module, suite) in enumerate(modules.items())
        if LONG or version == HERE or number % 3 == turn % 3
    ]


def check(version, modules, suite, folder, *, sets=("noop", "engine")):
    """With every set of hooks the test module says what it says of the modules as they are."""
    python = interpreter(version)
    if python is None:
        pytest.skip(f"no Python {version} with CPython's tests here")
    original = run(python, "none", modules, suite, folder)
    for hooks in sets if HAS_ENGINE and version == HERE else ("noop",):
        rewritten = run(python, hooks, modules, suite, folder)
        assert rewritten.pop("sites", 0) > 0, (hooks, rewritten)
        assert {**rewritten, "sites": 0} == original, hooks
        assert rewritten["run"] > rewritten["skipped"], hooks
        assert rewritten["bad"] == [], hooks


@pytest.mark.parametrize(("version", "modules", "suite"), cases(QUICK, VERSIONS))
def test_rewritten_module_passes_its_own_tests(version, modules, suite, tmp_path):
    """With both sets of hooks for every third module, unless there is time for all: the quiet ones do less."""
    both = LONG or version != HERE or [*QUICK].index(modules) % 3 == 0
    check(version, modules, suite, tmp_path, sets=("noop", "engine") if both else ("engine",))


@pytest.mark.slow
@pytest.mark.parametrize(("version", "modules", "suite"), cases(SLOW if LONG else dict([*SLOW.items()][1::2]), [HERE]))
def test_rewritten_module_passes_its_own_slow_tests(version, modules, suite, tmp_path):
    """With the engine's hooks, which more can go wrong with; the others are the same for every module."""
    check(version, modules, suite, tmp_path, sets=("noop", "engine") if LONG else ("engine",))


@pytest.mark.parametrize("hook", BROKEN)
def test_a_broken_hook_is_noticed(hook, tmp_path):
    python = interpreter(HERE)
    if python is None:
        pytest.skip("no CPython tests here")
    found = run(python, hook, "configparser", "test.test_configparser", tmp_path)
    assert found.get("crash") or found["bad"], found


def test_there_are_enough_modules():
    assert len({re.sub(",.*", "", module) for module in {**QUICK, **SLOW}}) >= 15
