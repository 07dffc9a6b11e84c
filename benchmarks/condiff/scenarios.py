"""ConDiff's 24 scenarios, made from the six pairs of versions (section V-B of the paper, Figure 4).

Scenario B changes the faulty method alone. BR25, BR50 and BR100 also edit other public methods of the new version in
ways that change no behaviour, until that share of all public methods differs from the old version:

- a method wholly under the lock loses its decorator, and its body moves into a `with self._lock:`;
- any other method gets an unused local as its first statement.

`refactorings` makes larger changes of the same kind, on which a comparison of versions has nothing to report.
"""

import ast
import copy
import math
import random
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
SHARES = {"B": 0.0, "BR25": 0.25, "BR50": 0.5, "BR100": 1.0}
LOCKING_DECORATOR = "synchronized"


@dataclass(frozen=True)
class Subject:
    """One of the six pairs: its number in the paper, where it is, and the method that is faulty in the new version."""

    number: str
    module: str
    class_name: str
    faulty: str

    def source(self, version: str) -> str:
        """The text of the module in the folder `old` or `new`."""
        return (HERE / version / f"{self.module}.py").read_text(encoding="utf-8")


SUBJECTS = (
    Subject("C1", "as_map", "AsMap", "entry_set"),
    Subject("C2", "buffered_input_stream", "BufferedInputStream", "close"),
    Subject("C3", "int_range", "IntRange", "hash_code"),
    Subject("C4", "appender_attachable", "AppenderAttachable", "remove_all_appenders"),
    Subject("C5", "logger", "Logger", "set_filter"),
    Subject("C6", "object_pool", "ObjectPool", "to_string"),
)


def subject(name: str) -> Subject:
    """The subject of that number (`C1`) or module (`as_map`)."""
    for candidate in SUBJECTS:
        if name in {candidate.number, candidate.module}:
            return candidate
    known = ", ".join(f"{known.number} or {known.module}" for known in SUBJECTS)
    raise ValueError(f"no subject {name!r}; there are {known}")


def public_methods(source: str, class_name: str) -> dict[str, ast.FunctionDef]:
    """The public methods of a class, with those it inherits from classes of the same module, by name."""
    classes = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)}
    methods: dict[str, ast.FunctionDef] = {}
    waiting = [class_name]
    while waiting:
        node = classes[waiting.pop(0)]
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef) and not statement.name.startswith("_"):
                methods.setdefault(statement.name, statement)
        waiting.extend(base.id for base in node.bases if isinstance(base, ast.Name) and base.id in classes)
    return methods


def changed_methods(old: str, new: str, class_name: str) -> set[str]:
    """The public methods whose text differs between two versions of a module, comments and layout apart."""
    before, after = public_methods(old, class_name), public_methods(new, class_name)
    same = {name for name in before.keys() & after.keys() if ast.dump(before[name]) == ast.dump(after[name])}
    return (before.keys() | after.keys()) - same


def scenario_source(chosen: Subject, scenario: str, seed: int = 0) -> str:
    """The new version of a subject in a scenario. The methods of BR25 are among those of BR50 for the same seed."""
    old, new = chosen.source("old"), chosen.source("new")
    methods = public_methods(new, chosen.class_name)
    wanted = max(1, math.ceil(SHARES[scenario] * len(methods)))
    others = sorted(methods.keys() - {chosen.faulty})
    random.Random(f"{chosen.number} {seed}").shuffle(others)
    edited = sorted(others[: wanted - 1], key=lambda name: methods[name].lineno, reverse=True)
    lines = new.splitlines()
    for name in edited:  # from the bottom up, so that the line numbers above stay right
        _edit(lines, methods[name])
    changed = "\n".join(lines) + "\n"
    if len(changed_methods(old, changed, chosen.class_name)) != wanted:
        raise ValueError(f"{chosen.module} does not differ in {wanted} methods in scenario {scenario}")
    return changed


def make_scenario(name: str, scenario: str, target_folder: Path, seed: int = 0) -> tuple[Path, Path]:
    """Write both versions of a subject as `old/<module>.py` and `new/<module>.py`; the two files."""
    chosen = subject(name)
    sources = {"old": chosen.source("old"), "new": scenario_source(chosen, scenario, seed)}
    written = []
    for version, source in sources.items():
        folder = target_folder / version
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{chosen.module}.py"
        path.write_text(source, encoding="utf-8")
        written.append(path)
    return written[0], written[1]


def _edit(lines: list[str], method: ast.FunctionDef) -> None:
    """Apply the one of the two neutral edits that fits the method."""
    body = method.body[1:] if ast.get_docstring(method) is not None else method.body
    first = body[0].lineno - 1
    indent = " " * body[0].col_offset
    decorator = next(
        (one for one in method.decorator_list if isinstance(one, ast.Name) and one.id == LOCKING_DECORATOR), None
    )
    if decorator is None:
        lines.insert(first, f"{indent}unused = 0")
        return
    inside_text = {
        line
        for node in ast.walk(method)
        if isinstance(node, ast.Constant | ast.JoinedStr)
        for line in range(node.lineno, node.end_lineno or node.lineno)
    }
    for line in range(first, method.end_lineno or first + 1):
        if lines[line] and line not in inside_text:
            lines[line] = f"    {lines[line]}"
    lines.insert(first, f"{indent}with self._lock:")
    del lines[decorator.lineno - 1]


def refactorings(source: str) -> dict[str, str]:
    """The module after each of four refactorings that change no behaviour, by the name of the refactoring."""
    return {
        "reformatted": ast.unparse(ast.parse(source)),
        "locals renamed": _rewritten(source, _LocalRenamer()),
        "private methods extracted": _rewritten(source, _MethodExtractor()),
        "locks released in finally": _rewritten(source, _WithUnfolder()),
    }


def _rewritten(source: str, transformer: ast.NodeTransformer) -> str:
    return ast.unparse(ast.fix_missing_locations(transformer.visit(ast.parse(source))))


class _LocalRenamer(ast.NodeTransformer):
    """Gives the local variables of functions new names.

    Parameters keep theirs, for callers may use them. Names that an inner scope binds too are left alone.
    """

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        own, inner, fixed = set(), set(), set()
        _collect(node, own, inner, fixed)
        parameters = {argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)}
        renamed = own - inner - fixed - parameters
        for child in ast.walk(node):
            if isinstance(child, ast.Name) and child.id in renamed:
                child.id = f"local_{child.id}"
        self.generic_visit(node)
        return node


def _collect(function: ast.AST, own: set[str], inner: set[str], fixed: set[str], nested: bool = False) -> None:
    """Sort the names bound in a function: its own variables, those of inner scopes, those not bound by a Name node."""
    for child in ast.iter_child_nodes(function):
        scope = isinstance(
            child,
            ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
            | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp,
        )  # fmt: skip
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            (inner if nested else own).add(child.id)
        elif isinstance(child, ast.arg) and nested:
            inner.add(child.arg)
        elif isinstance(child, ast.Global | ast.Nonlocal):
            fixed.update(child.names)
        elif isinstance(
            child,
            ast.ExceptHandler | ast.MatchAs | ast.MatchStar | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
        ):
            fixed.add(child.name or "")
        elif isinstance(child, ast.alias):
            fixed.add((child.asname or child.name).partition(".")[0])
        _collect(child, own, inner, fixed, nested or scope)


class _MethodExtractor(ast.NodeTransformer):
    """Moves the body of every public method into a private one, which the public one calls under its decorators."""

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        body: list[ast.stmt] = []
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef) and _extractable(statement):
                body.extend(_extracted(node.name, statement))
            else:
                body.append(statement)
        node.body = body
        return node


def _extractable(method: ast.FunctionDef) -> bool:
    plain = not (method.args.vararg or method.args.kwarg or method.args.kwonlyargs or method.args.posonlyargs)
    bound = bool(method.args.args) and method.args.args[0].arg == "self"
    depends_on_its_place = any(
        isinstance(node, ast.Yield | ast.YieldFrom) or (isinstance(node, ast.Name) and node.id == "super")
        for node in ast.walk(method)
    )
    return plain and bound and not method.name.startswith("_") and not depends_on_its_place


def _extracted(class_name: str, method: ast.FunctionDef) -> list[ast.FunctionDef]:
    """The public method and the private one; the class's name keeps overridden methods apart."""
    inner = copy.deepcopy(method)
    inner.name = f"_{class_name.lower()}_{method.name}"
    inner.decorator_list = []
    arguments = ", ".join(argument.arg for argument in method.args.args[1:])
    method.body = ast.parse(f"return self.{inner.name}({arguments})").body
    return [method, inner]


class _WithUnfolder(ast.NodeTransformer):
    """Writes `with lock:` as acquire, try, finally release."""

    def __init__(self) -> None:
        self.unfolded = 0

    def visit_With(self, node: ast.With) -> ast.With | list[ast.stmt]:
        self.generic_visit(node)
        item = node.items[0]
        if len(node.items) > 1 or item.optional_vars is not None or not _names_a_lock(item.context_expr):
            return node
        self.unfolded += 1
        held = f"held_{self.unfolded}"
        prologue = ast.parse(f"{held} = {ast.unparse(item.context_expr)}\n{held}.acquire()").body
        epilogue = ast.parse(f"{held}.release()").body
        return [*prologue, ast.Try(body=node.body, handlers=[], orelse=[], finalbody=epilogue)]


def _names_a_lock(expression: ast.expr) -> bool:
    return isinstance(expression, ast.Attribute) and expression.attr.endswith("lock")
