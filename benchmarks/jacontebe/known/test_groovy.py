"""The tests that are known to show the faults of Groovy."""

from crew import raised, together
from groovy import AntBuilder, NodeCache, RootLoader, ScriptLoader, ScriptServlet


def test_groovy_3495():
    loader = RootLoader()
    assert together(loader.load, loader.load, loader.load) == ["class Bindable"] * 3


def test_groovy_4292():
    cache = NodeCache()
    cache.put(0, "a")
    cache.put(2, "b")
    together(lambda: cache.put(4, "c"), lambda: cache.put(6, "d"))
    assert [cache.get(key) for key in (0, 2, 4, 6)] == ["a", "b", "c", "d"]


def test_groovy_4736():
    loader = ScriptLoader()
    together(loader.parse, loader.create)


def test_groovy_6068():
    builder = AntBuilder()
    together(lambda: builder.perform("a"), lambda: builder.perform("b"))
    assert builder.stream() == "stdin"


def test_groovy_6456():
    servlet = ScriptServlet()
    results = together(lambda: servlet.script_uri("xa"), lambda: servlet.script_uri("y"))
    assert not raised(results)
    assert results == ["xb", "y"]
