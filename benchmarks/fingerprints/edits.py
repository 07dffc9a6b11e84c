"""Edits that leave a defect where it is: each takes the source of a module and returns another one."""

import ast
import functools
import re
from collections.abc import Callable

_IMPORTS = "import threading\n"
EDITS: dict[str, Callable[[str], str]] = {}


def _edit(change: Callable[[str], str]) -> Callable[[str], str]:
    EDITS[change.__name__] = change
    return change


def _methods(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield from (each for each in node.body if isinstance(each, ast.FunctionDef))


def _edit_of_tree(change: Callable[[ast.Module], None]) -> Callable[[str], str]:
    @functools.wraps(change)
    def edited(source: str) -> str:
        tree = ast.parse(source)
        change(tree)
        return ast.unparse(ast.fix_missing_locations(tree)) + "\n"

    return _edit(edited)


@_edit
def blank_lines_above(source):
    return "\n" * 12 + source


@_edit
def comments_before_functions(source):
    return re.sub(r"^( *)(def )", r"\1# what it does\n\1# and why\n\1\2", source, flags=re.MULTILINE)


@_edit
def class_docstrings(source):
    return re.sub(r"^(class \w+.*:)\n", r'\1\n    """Keeps something."""\n\n', source, flags=re.MULTILINE)


@_edit
def another_class_above(source):
    return source.replace(_IMPORTS, f"{_IMPORTS}\n\nclass Before:\n    def get(self):\n        return 1\n", 1)


@_edit
def another_class_below(source):
    return f"{source}\n\nclass Behind:\n    def get(self):\n        return 1\n"


@_edit
def more_imports(source):
    return source.replace(_IMPORTS, f"import math\nimport os\n{_IMPORTS}", 1)


@_edit
def four_becomes_two(source):
    return re.sub(r"^( +)", lambda found: " " * (len(found[1]) // 2), source, flags=re.MULTILINE)


@_edit
def wide_spaces(source):
    return "".join(f"{line}  # as it was\n" if line.strip() else "\n" for line in source.splitlines())


@_edit
def printed_anew(source):
    return ast.unparse(ast.parse(source)) + "\n"


@_edit_of_tree
def methods_reversed(tree):
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            node.body.reverse()


@_edit_of_tree
def methods_sorted(tree):
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            node.body.sort(key=lambda each: getattr(each, "name", ""))


@_edit_of_tree
def classes_reversed(tree):
    first = next(number for number, node in enumerate(tree.body) if isinstance(node, ast.ClassDef))
    tree.body[first:] = reversed(tree.body[first:])


@_edit_of_tree
def method_docstrings(tree):
    for method in _methods(tree):
        method.body.insert(0, ast.Expr(ast.Constant("Do it.")))


@_edit_of_tree
def a_statement_first(tree):
    for method in _methods(tree):
        method.body.insert(0, ast.parse("unused = 1").body[0])


@_edit_of_tree
def nothing_between(tree):
    for method in _methods(tree):
        method.body[:] = [part for each in method.body for part in (ast.Pass(), each)]


@_edit_of_tree
def another_method(tree):
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            node.body.append(ast.parse("def about(self):\n    return 'it'").body[0])


@_edit_of_tree
def another_attribute(tree):
    for method in _methods(tree):
        if method.name == "__init__":
            method.body.insert(0, ast.parse("self.colour = 'red'").body[0])


@_edit_of_tree
def annotations(tree):
    for method in _methods(tree):
        method.returns = ast.Constant("object")


class _Renaming(ast.NodeTransformer):
    def __init__(self, names):
        self._names = names

    def visit_Name(self, node):
        node.id = self._names.get(node.id, node.id)
        return node

    def visit_arg(self, node):
        node.arg = self._names.get(node.arg, node.arg)
        return node


def _locals(method):
    return {node.id for node in ast.walk(method) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


@_edit_of_tree
def locals_renamed(tree):
    for method in _methods(tree):
        _Renaming({name: f"{name}_now" for name in _locals(method)}).visit(method)


@_edit_of_tree
def parameters_renamed(tree):
    for method in _methods(tree):
        names = [each.arg for each in method.args.args[1:]]
        _Renaming({name: f"{name}_given" for name in names}).visit(method)


@_edit_of_tree
def self_renamed(tree):
    for method in _methods(tree):
        _Renaming({"self": "this"}).visit(method)
