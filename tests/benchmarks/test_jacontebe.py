"""The ports of JaConTeBe: every fault has a class in both versions, and its test; only faulty ones are reported."""

import ast
import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIMITS = {"seconds": 5.0, "max_tests": 40, "seed": 0}


@pytest.fixture
def catalogue(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("benchmarks.jacontebe.catalogue")


def _defined(file):
    return {node.name: node for node in ast.parse(file.read_text(encoding="utf-8")).body if hasattr(node, "name")}


def test_every_fault_of_the_suite_has_a_port_or_a_reason(catalogue):
    names = [fault.name for fault in catalogue.FAULTS]
    assert len(names) == len(set(names)) == catalogue.TOTAL - len(catalogue.NOT_PORTABLE)
    assert not set(names) & set(catalogue.NOT_PORTABLE)
    assert set(catalogue.SERIAL) <= set(names)


def test_every_port_has_two_versions_that_differ_and_a_known_test(catalogue):
    for fault in catalogue.FAULTS:
        faulty, mended = (_defined(folder / f"{fault.module}.py") for folder in (catalogue.FAULTY, catalogue.MENDED))
        assert fault.cls in faulty
        assert faulty[fault.cls].body[0].value.value.startswith(f"{fault.name}:")
        assert {name: ast.dump(node) for name, node in faulty.items()} != {
            name: ast.dump(node) for name, node in mended.items()
        }
        assert fault.cls in mended
        file, _, name = fault.test.partition("::")
        assert name in _defined(catalogue.KNOWN / file)


@pytest.mark.parametrize("version", ["faulty", "mended"])
def test_every_port_works_with_one_thread(catalogue, version, monkeypatch):
    """Each class can be made with nothing but its name; the known tests do the rest."""
    monkeypatch.syspath_prepend(str(getattr(catalogue, version.upper())))
    for fault in catalogue.FAULTS:
        sys.modules.pop(fault.module, None)
        module = importlib.import_module(fault.module)
        made = getattr(module, fault.cls)()
        assert type(made).__name__ == fault.cls
        if fault.cls == "DispatchedAppender":
            made.close()
        monkeypatch.delitem(sys.modules, fault.module)


@pytest.mark.parametrize("name", ["DERBY-5561", "POOL-149", "GROOVY-4292"])
def test_a_fault_is_found_from_the_class_name_and_not_in_the_mended_class(catalogue, name):
    bench = importlib.import_module("benchmarks.jacontebe.bench")
    fault = next(each for each in catalogue.FAULTS if each.name == name)
    assert bench.said(fault, "check", "faulty", {**LIMITS, "max_tests": 200})["found"]
    assert bench.said(fault, "check", "mended", LIMITS)["verdict"] == "none"


def test_the_known_test_of_a_fault_fails_under_explore(catalogue):
    bench = importlib.import_module("benchmarks.jacontebe.bench")
    fault = next(each for each in catalogue.FAULTS if each.name == "LUCENE-1544")
    said = bench.said(fault, "explore", "faulty", LIMITS)
    assert (said["verdict"], said["kind"]) == ("failure", "deadlock")


def test_a_fault_that_has_no_port_is_refused_with_the_reason(catalogue):
    bench = importlib.import_module("benchmarks.jacontebe.bench")
    with pytest.raises(Exception, match="CPython excludes"):
        bench.run(subject="POOL-46", ask="check")
    with pytest.raises(Exception, match="there is no command 'perf' here"):
        bench.run(subject="POOL-120", ask="perf")
