"""The rules of the house that a machine can check."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import plait.api

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "plait"
ROOMS = (
    "model", "subject", "generate", "run", "observe", "explore", "judge", "report", "workers", "store", "commands",
)  # fmt: skip
ORDER = (
    "errors", "model", "subject", "generate", "config", "run", "observe", "explore", "judge", "report", "scenario",
    "reproduce", "api", "workers", "store", "pytest_plugin", "commands", "cli", "__main__",
)  # fmt: skip
"""The packages with the modules beside them: each imports from those to its left."""
MUTUAL = {
    "errors": {"model"},  # what an error says of a test
    "commands": {"cli"},  # completion is made of the tables of the command line
}
LIMIT = 700  # one concept per file; beyond this, say why it cannot be split
CRUMB = 40  # lines
LONG = {
    "src/plait/run/engine.py": "the scheduler: its loop, its decisions and its points share every variable",
    "src/plait/run/hooks/access.py": "one function per form of access, all of them in the hot path",
}
TOP = frozenset({
    ".ci", ".gitignore", ".pre-commit-hooks.yaml", "CHANGELOG.md", "LICENSE", "Makefile", "README.md", "action",
    "action.yml", "benchmarks", "changes", "docs", "mkdocs.yml", "pyproject.toml", "src", "tests", "tools",
})  # fmt: skip
FRAGMENT = re.compile(r"^\d+\.(feature|change|fix|docs)\.md$")


def _tracked():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def _imports(tree):
    """Modules named by import statements, those for type checkers included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _room(module):
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[0] == "plait" and parts[1] in ORDER else None


def _wrong_imports(room, tree):
    """Imports that point to a room on the right."""
    allowed = {*ORDER[: ORDER.index(room) + 1], *MUTUAL.get(room, ())}
    return sorted({module for module in _imports(tree) if _room(module) and _room(module) not in allowed})


def _files(room):
    module = SOURCE / f"{room}.py"
    return [module] if module.is_file() else sorted((SOURCE / room).rglob("*.py"))


def test_every_module_has_its_place():
    found = {path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert found - {"__init__"} == set(ORDER)
    assert [name for name in ORDER if name in ROOMS] == list(ROOMS)


@pytest.mark.parametrize("room", ORDER)
def test_rooms_import_leftwards_only(room):
    files = _files(room)
    assert files, f"the room {room} is gone"
    wrong = {
        str(file.relative_to(ROOT)): found
        for file in files
        if (found := _wrong_imports(room, ast.parse(file.read_text(encoding="utf-8"))))
    }
    assert wrong == {}


def test_the_check_sees_imports_to_the_right():
    source = "from plait.judge.words import x\nimport plait.model.test\ndef f():\n    from plait import report\n"
    tree = ast.parse(source)
    assert _wrong_imports("run", tree) == ["plait.judge.words", "plait.judge.words.x", "plait.report"]
    assert _wrong_imports("config", ast.parse("from plait.commands.budget import x")) != []


def _modules():
    """Every module of the package by its dotted name."""
    found = {}
    for file in SOURCE.rglob("*.py"):
        parts = ("plait", *file.relative_to(SOURCE).with_suffix("").parts)
        found[".".join(parts).removesuffix(".__init__")] = file
    return found


def _tree(file):
    return ast.parse(file.read_text(encoding="utf-8"))


def _names_defined_twice(sources):
    """Class names, and names of public functions, that more than one module defines; ``sources`` by module."""
    owners = {}
    for module, tree in sources.items():
        for node in tree.body:
            is_public = isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
            if isinstance(node, ast.ClassDef) or is_public:
                owners.setdefault(node.name, set()).add(module)
    return {name: sorted(modules) for name, modules in owners.items() if len(modules) > 1}


def test_a_name_means_one_thing():
    """A name that two modules define is read as the wrong one sooner or later."""
    modules = {name: _tree(file) for name, file in _modules().items()}
    # Rewritten code calls the hooks by name, and outside of an execution the trivial ones: the names are one interface.
    del modules["plait.run.hooks.noop"]
    assert _names_defined_twice(modules) == {}


def test_the_check_sees_names_defined_twice():
    text = "class A: ...\ndef f(): ...\ndef _g(): ..."
    one, two = ast.parse(text), ast.parse(text)
    assert _names_defined_twice({"m": one, "n": two}) == {"A": ["m", "n"], "f": ["m", "n"]}


REGISTERED = re.compile(r"^plait\.(run\.hooks|run\.primitives|commands)\.|\bpytest_")
"""Functions that a table, the command line or pytest calls by their names."""


def _functions_without_users(sources, words):
    """Public functions that no other file names; ``sources`` by module, ``words`` of every file by its module."""
    found = []
    for module, tree in sources.items():
        for node in tree.body:
            if not isinstance(node, ast.FunctionDef) or node.name.startswith("_") or node.decorator_list:
                continue
            if REGISTERED.search(f"{module}.{node.name}") or any(
                node.name in said for name, said in words.items() if name != module
            ):
                continue
            found.append(f"{module}.{node.name}")
    return found


def test_public_functions_have_users():
    """A name without an underscore promises that other files use it: one that none uses is private, or dead."""
    modules = _modules()
    words = {
        name: set(re.findall(r"\w+", file.read_text(encoding="utf-8"))) for name, file in modules.items()
    }  # fmt: skip
    others = [path for path in _tracked() if path.suffix in {".py", ".md", ".toml"} and not path.is_relative_to(SOURCE)]
    others.remove(Path(__file__).resolve())
    words |= {str(path): set(re.findall(r"\w+", path.read_text(encoding="utf-8"))) for path in others}
    unused = _functions_without_users({name: _tree(file) for name, file in modules.items()}, words)
    assert unused == ["plait.workers.session.session_main"]  # run by the command in the same file


def test_the_check_sees_functions_without_users():
    tree = ast.parse("def used(): ...\ndef unused(): ...\ndef _own(): ...")
    words = {"m": {"used", "unused", "_own"}, "n": {"used"}}
    assert _functions_without_users({"m": tree}, words) == ["m.unused"]


def test_no_crumbs():
    """A short module that only one other uses belongs into that one."""
    modules = _modules()
    users = {name: set() for name in modules}
    for name, file in modules.items():
        for imported in _imports(_tree(file)):
            if imported in users:
                users[imported].add(name)
    crumbs = [
        name
        for name, file in modules.items()
        if file.name not in {"__init__.py", "__main__.py", "api.py"}  # the last one is for users
        and len(file.read_text(encoding="utf-8").splitlines()) < CRUMB
        and len(users[name]) <= 1
    ]
    assert crumbs == []


def _starts_executions(tree):
    """Whether the engine's `execute` is called, under any of the names that code gives to an engine."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "execute"
        and ast.unparse(node.func.value).lower().endswith("engine")
        for node in ast.walk(tree)
    )


def test_one_runner():
    """Only `plait.explore.runner` starts executions: what they depend on is set, and put back, in one place."""
    callers = [name for name, file in _modules().items() if _starts_executions(_tree(file))]
    assert callers == ["plait.explore.runner"]


def test_the_check_sees_executions():
    assert _starts_executions(ast.parse("ENGINE.execute(prepare)"))
    assert _starts_executions(ast.parse("self.engine.execute(prepare)"))
    assert not _starts_executions(ast.parse("cursor.execute(text)"))


NO_ORDERS = {
    "A", "All", "An", "As", "At", "Each", "Every", "Everything", "For", "From", "How", "In", "It", "Nobody", "None",
    "Nothing", "One", "Plain", "The", "What", "When", "Where", "Whether", "Which", "Who", "Whoever", "With", "Without",
    "Bytes", "CMP", "First", "Instances", "Kind", "Last", "Lines", "Methods", "Names", "Probes", "Words",
}  # fmt: skip
"""Words that begin a description, not an order."""


def _descriptions(tree):
    """Functions whose docstring does not begin with an imperative verb, as far as a word shows it; no properties."""
    return [
        f"{node.name}: {text.partition(chr(10))[0]}"
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (text := ast.get_docstring(node)) is not None
        and not any(ast.unparse(each).endswith("property") for each in node.decorator_list)
        and (re.split(r"\W", text)[0] in NO_ORDERS or (text.startswith("Return ") and _returns_nothing(node)))
    ]


def _returns_nothing(node):
    return node.returns is not None and ast.unparse(node.returns).startswith(("None", "Iterator["))


def test_docstrings_say_what_a_function_does():
    found = {name: said for name, file in _modules().items() if (said := _descriptions(_tree(file)))}
    assert found == {}


def test_the_check_sees_descriptions():
    text = 'def f():\n    """Whether it is so."""\ndef g():\n    """Return it."""\n@property\ndef h():\n    """What."""'
    assert _descriptions(ast.parse(text)) == ["f: Whether it is so."]
    text = 'def f() -> None:\n    """Return it."""\ndef g() -> Iterator[int]:\n    """Yield them."""'
    assert _descriptions(ast.parse(text)) == ["f: Return it."]


def test_files_are_short():
    long = {
        str(file.relative_to(ROOT)): lines
        for file in SOURCE.rglob("*.py")
        if (lines := len(file.read_text(encoding="utf-8").splitlines())) > LIMIT
    }
    assert set(long) <= set(LONG), f"above {LIMIT} lines without a reason: {long}"


def test_every_exception_is_needed():
    for name in LONG:
        assert len((ROOT / name).read_text(encoding="utf-8").splitlines()) > LIMIT, f"{name} is short by now"


ABSOLUTE = re.compile(r"(?<![\w./!-])/(?:home|root|work|Users|tmp|opt|usr|var)/[\w.-]+")
ALLOWED = {
    "tests/test_house.py",  # the examples below
    "tools/matrix.py",  # paths inside of the root folder that it makes, where they are those of any Debian system
}


def _absolute(text):
    return ABSOLUTE.findall(text)


def test_no_absolute_paths():
    found = {}
    for file in _tracked():
        name = str(file.relative_to(ROOT))
        if name in ALLOWED or file.suffix not in {".py", ".md", ".toml", ".txt", ".yml", ".yaml", "", ".json"}:
            continue
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        hits = [f"{number}: {line.strip()}" for number, line in enumerate(lines, 1) if _absolute(line)]
        if hits:
            found[name] = hits
    assert found == {}


def test_the_check_sees_absolute_paths():
    assert _absolute("cache = '/home/somebody/x'")
    assert not _absolute("benchmarks/tmp/x and https://example.org/tmp/x, #!/usr/bin/env is one")


def test_nothing_strange_lies_at_the_top():
    """What a test or a tool has left there is soon committed by accident."""
    assert {path.relative_to(ROOT).parts[0] for path in _tracked()} <= TOP


def test_change_fragments_are_named_by_kind():
    fragments = sorted((ROOT / "changes").iterdir())
    assert fragments
    assert [file.name for file in fragments if not FRAGMENT.match(file.name)] == []
    for file in fragments:
        text = file.read_text(encoding="utf-8").strip()
        assert text, f"{file.name} says nothing"
        unfinished = [line for line in text.splitlines() if not line.endswith((".", ")", "`"))]
        assert unfinished == [], f"{file.name}: each line is one change, however long"


def test_the_changelog_has_every_change():
    """`make changelog` renders the fragments; what a release has taken over is in the file."""
    towncrier = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "9.9", "--date", "2030-01-01"]
    done = subprocess.run(towncrier, cwd=ROOT, capture_output=True, text=True, check=True)
    _, _, rendered = done.stdout.partition("## 9.9 (2030-01-01)")
    for file in (ROOT / "changes").iterdir():
        number = file.name.partition(".")[0]
        for line in file.read_text(encoding="utf-8").splitlines():
            assert f"- {line} (#{number})" in rendered
    assert "<!-- towncrier release notes start -->\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_limits_and_skipped_tests_belong_together():
    """Every limit has a skipped test, every skipped test of a limit is on the page."""
    page = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
    tree = ast.parse((ROOT / "tests" / "test_limits.py").read_text(encoding="utf-8"))
    tests = {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and any("mark.skip" in ast.unparse(each) for each in node.decorator_list)
    }
    named = set(re.findall(r"`(test_\w+)`", page))
    assert tests
    assert tests == named


def test_test_modules_have_names_of_their_own():
    """pytest imports them by their file's name alone: of two with one name, one would not run."""
    names = [path.name for path in _tracked() if path.is_relative_to(ROOT / "tests") and path.name.startswith("test_")]
    assert sorted(name for name in set(names) if names.count(name) > 1) == []


def test_the_public_names_are_documented():
    """`plait.api` says what may be imported, the page says what it is."""
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    documented = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert documented == set(plait.api.__all__)
    assert set(plait.__all__) - {"__version__"} <= documented
    for name in plait.__all__:
        assert getattr(plait, name) is (plait.__version__ if name == "__version__" else getattr(plait.api, name))


def test_pages_import_what_is_public():
    public = {"plait", "plait.api", "plait.reproduce", "plait.generate.callables"}
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    imported = set(re.findall(r"^\s*(?:from|import) (plait[\w.]*)", text, re.MULTILINE))
    assert "plait" in imported
    assert imported <= public


BESIDE = {
    "benchmarks": "mirrors the folder of that name",
    "chaos": "hostile code and killed processes, from the command line to the store",
    "fail": "programs whose folder is the verdict",
    "success": "programs whose folder is the verdict",
    "golden": "what people read",
    "schemas": "formats of others",
}


def _of_package(folder):
    """Whether a folder of tests has the path of a package of plait."""
    return folder == Path() or (SOURCE / folder / "__init__.py").is_file()


def test_tests_mirror_the_source():
    """The tests of a package are in the folder of its path: whoever changes one finds the other."""
    tests = [path.relative_to(ROOT / "tests") for path in _tracked() if path.match("tests/**/test_*.py")]
    folders = {path.parent for path in tests if path.parts[0] not in BESIDE}
    assert sorted(str(folder) for folder in folders if not _of_package(folder)) == []
    assert all((ROOT / "tests" / name).is_dir() for name in BESIDE)


def test_a_test_imports_what_its_folder_is_named_for():
    """A test that imports nothing of its package is about something else, unless it runs commands."""
    wrong, modules = {}, _modules().keys() - {"plait"}
    for path in _tracked():
        folder = path.relative_to(ROOT).parent
        if not path.match("tests/**/test_*.py") or folder.parts[1:2] == () or folder.parts[1] in BESIDE:
            continue
        package = ".".join(("plait", *folder.parts[1:]))
        imported = modules.intersection(_imports(_tree(path)))
        runs_commands = not imported or (folder.parts[1] == "commands" and "plait.cli.main" in imported)
        if not runs_commands and not any(f"{module}.".startswith(f"{package}.") for module in imported):
            wrong[str(path.relative_to(ROOT))] = sorted(imported)
    assert wrong == {}
