"""The whole grammar of the running interpreter: no kind of node is passed over without a decision."""

import ast
import sys

import pytest
from test_rewrite import Items, Named, plain, traced

from plait.observe.places import PLACES
from plait.run.hooks.noop import HOOKS
from plait.run.importing.importer import Importer
from plait.run.importing.world import World
from plait.run.rewrite import expressions, statements
from plait.run.rewrite.scope import NameSurvey

# Nodes whose parts are rewritten one by one: the node itself touches nothing that threads share.
PARTS_ONLY = {
    "Await", "JoinedStr", "List", "Set", "Slice", "TemplateStr", "Tuple", "Yield", "YieldFrom",
}  # fmt: skip
# Statements that touch nothing, or whose parts are evaluated in a scope of their own, and lazily.
QUIET = {"Break", "Global", "Nonlocal", "Pass", "TypeAlias"}
OWN_METHOD = {"AsyncFunctionDef", "ClassDef", "FunctionDef"}  # in `Statements._statement`
LEAVES = {"Constant"}
PARTS = {  # of the nodes above, never met by themselves
    "ExceptHandler", "alias", "arg", "arguments", "comprehension", "keyword", "match_case", "withitem",
}  # fmt: skip
PATTERNS = {
    "MatchAs", "MatchClass", "MatchMapping", "MatchOr", "MatchSequence", "MatchSingleton", "MatchStar", "MatchValue",
}  # fmt: skip
TYPE_PARAMETERS = {"ParamSpec", "TypeVar", "TypeVarTuple"}  # evaluated lazily
ROOTS = {"Expression", "FunctionType", "Interactive", "Module", "TypeIgnore"}


def kinds(base):
    """The names of the node classes of a category that the parser can make."""
    made = {each.__name__ for each in base.__subclasses__() if each.__module__ in ("ast", "_ast")}
    old = {"ExtSlice", "Index", "Suite", "Num", "Str", "Bytes", "NameConstant", "Ellipsis"}  # kept for old programs
    return made - old


def test_every_expression_is_decided_on():
    decided = {each.__name__ for each in expressions._FORMS} | PARTS_ONLY | LEAVES
    assert kinds(ast.expr) - decided == set()


def test_every_statement_is_decided_on():
    decided = {each.__name__ for each in statements._FORMS} | QUIET | OWN_METHOD
    assert kinds(ast.stmt) - decided == set()


def test_every_other_node_is_known():
    assert kinds(ast.pattern) == PATTERNS
    assert kinds(getattr(ast, "type_param", ast.pattern)) <= TYPE_PARAMETERS | PATTERNS
    assert kinds(ast.mod) | kinds(ast.type_ignore) <= ROOTS
    categories = {"boolop", "cmpop", "excepthandler", "expr", "expr_context", "mod", "operator", "pattern", "stmt",
                  "type_ignore", "type_param", "unaryop", "slice"}  # fmt: skip
    assert kinds(ast.AST) - PARTS - categories == set()
    assert kinds(ast.excepthandler) == {"ExceptHandler"}


FIELDS = {  # of the nodes whose rewriting names its fields; another one may hold an expression that nobody looks at
    "Assign": "targets value type_comment", "AugAssign": "target op value",
    "AnnAssign": "target annotation value simple",
    "Assert": "test msg", "Attribute": "value attr ctx", "BinOp": "left op right", "BoolOp": "op values",
    "Call": "func args keywords", "ClassDef": "name bases keywords body decorator_list type_params",
    "Compare": "left ops comparators", "Delete": "targets", "Dict": "keys values", "DictComp": "key value generators",
    "ExceptHandler": "type name body", "Expr": "value", "For": "target iter body orelse type_comment",
    "FormattedValue": "value conversion format_spec",
    "FunctionDef": "name args body decorator_list returns type_comment type_params", "GeneratorExp": "elt generators",
    "If": "test body orelse", "IfExp": "test body orelse", "Import": "names is_lazy",
    "ImportFrom": "module names level is_lazy", "Interpolation": "value str conversion format_spec",
    "Lambda": "args body", "ListComp": "elt generators", "Match": "subject cases",
    "MatchClass": "cls patterns kwd_attrs kwd_patterns", "NamedExpr": "target value", "Raise": "exc cause",
    "Return": "value", "SetComp": "elt generators", "Slice": "lower upper step", "Starred": "value ctx",
    "Subscript": "value slice ctx", "Try": "body handlers orelse finalbody",
    "TryStar": "body handlers orelse finalbody",
    "UnaryOp": "op operand", "While": "test body orelse", "With": "items body type_comment", "alias": "name asname",
    "arg": "arg annotation type_comment",
    "arguments": "posonlyargs args vararg kwonlyargs kw_defaults kwarg defaults",
    "comprehension": "target iter ifs is_async", "keyword": "arg value", "match_case": "pattern guard body",
    "withitem": "context_expr optional_vars",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(name for name in FIELDS if hasattr(ast, name)))
def test_no_node_has_a_field_that_nobody_knows(name):
    assert set(getattr(ast, name)._fields) <= set(FIELDS[name].split())


def since(*version):
    return pytest.mark.skipif(sys.version_info < version, reason=f"the grammar of {'.'.join(map(str, version))}")


NEWER = [
    pytest.param(
        "return t'{o.x} {o.y.x!r:>{k0}}'",
        ["r(o, 'x', read <o.x>)", "r(o, 'y', read <o.y>)", "r(y, 'x', read <o.y.x>)", "o(7, read <k0>)"],
        (3, 14), id="t-string",
    ),
    pytest.param(
        "try: return o.none.x\nexcept KeyError, AttributeError: return o.x",
        ["r(o, 'none', read <o.none>)", "r(o, 'x', read <o.x>)"], (3, 14), id="except without brackets",
    ),
    pytest.param(
        "try: return items[o.x + 9]\nexcept o.errors, ValueError: return 3",
        ["r(o, 'x', read <o.x>)", "rk(items, 10, read <items[o.x + 9]>)",
         "r(o, 'errors', read <o.errors>)"],
        (3, 14), id="exceptions that are accesses",
    ),
    pytest.param(
        "return [*each for each in [items, items]]",
        ["o(items, iterate <each>)", "o(items, iterate <each>)"], (3, 15), id="unpacking in a list comprehension",
    ),
    pytest.param(
        "return {*o.items for _ in 'ab'}",
        ["r(o, 'items', read <o.items>)", "o(items, iterate <o.items>)"] * 2, (3, 15),
        id="unpacking in a set comprehension",
    ),
    pytest.param(
        "return {**each for each in (o.d, {'z': 3})}",
        ["r(o, 'd', read <o.d>)", "o({'k': 1, 'n': 2}, iterate <each>)", "o({'z': 3}, iterate <each>)"], (3, 15),
        id="unpacking in a dict comprehension",
    ),
    pytest.param(
        "def inner[T: missing = also_missing](a: T | neither = o.x) -> not_there: return a\nreturn inner()",
        ["r(o, 'x', read <o.x>)", "f0(<function f.<locals>.inner>, call <inner()>)"], (3, 14),
        id="type parameters and lazy annotations",
    ),
    pytest.param(
        "type Alias[*Ts, **P] = missing\nclass Inner[T]:\n  x: unknown = o.x\nreturn Inner.x, o.x",
        ["r(<class 'probe.f.<locals>.Inner'>, 'x', read <Inner.x>)", "r(o, 'x', read <o.x>)"], (3, 14),
        id="type alias and generic class",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected", "version"), NEWER)
def test_newer_syntax(body, expected, version):
    if sys.version_info < version:
        pytest.skip(f"the grammar of {'.'.join(map(str, version))}")
    indented = "\n ".join(body.splitlines())
    source = f"def f(o, items, k0):\n {indented}\n"

    def arguments():
        o = Named("o", x=1, y=Named("y", x=5), d={"k": 1, "n": 2}, items=Items([3, 1, 2]), errors=IndexError)
        return o, o.items, 7

    value, events = traced(source, *arguments())
    assert repr(value) == repr(plain(source, *arguments()))
    assert [event for event in events if not event.startswith(("it(", "l("))] == expected


@since(3, 15)
def test_an_unpacked_generator_hands_on_one_by_one():
    source = "def f(o, items, k0):\n return list(*each for each in [items, items])\n"
    value, events = traced(source, None, Items([3, 1]), 0)
    assert value == [3, 1, 3, 1]
    assert events.count("it(items, iterate <each>)") == 2


def test_scopes_of_unpacking_comprehensions():
    if sys.version_info < (3, 15):
        pytest.skip("the grammar of 3.15")
    tree = ast.parse("def f():\n global g\n g = {**d for d in g}\n")
    assert NameSurvey(tree).module.shared == {"g"}


@since(3, 14)
@pytest.mark.filterwarnings("ignore:'return' in a 'finally' block:SyntaxWarning")
def test_what_the_compiler_warns_of_is_rewritten_all_the_same():
    source = "def f():\n try: 1/0\n finally: return 3\n"
    assert Importer(lambda *_: False, HOOKS, {}).load_source("probe", source).f() == 3


@since(3, 15)
def test_lazy_imports_are_done_before_the_first_execution(tmp_path):
    (tmp_path / "late_user.py").write_text(
        "lazy import threading\nlazy from late_part import Lock, box\nlazy import not_there_at_all\n"
        "def own(): return threading.Lock()\ndef f(): return Lock(), box.x, not_there_at_all\n"
    )
    (tmp_path / "late_part.py").write_text("lazy from threading import Lock\nlazy import late_box as box\n")
    (tmp_path / "late_box.py").write_text("x = 1\ndef g(): return x\n")
    world = World(PLACES, cache=tmp_path / "cache")
    module = world.load("late_user", roots=[tmp_path])
    threading = world.mirror.modules["threading"]
    assert vars(module)["threading"] is threading
    assert vars(module)["Lock"] is threading.Lock
    assert "_p_r" in vars(vars(module)["box"])
    assert type(module.own()) is threading.Lock
    with pytest.raises(ImportError, match="not_there_at_all"):
        module.f()
