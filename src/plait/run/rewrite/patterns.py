"""Rewriting of ``match``: the attributes that class patterns read."""

from __future__ import annotations

import ast

from plait.run.rewrite import build
from plait.run.rewrite.stores import Stores

# One positional sub-pattern of these matches the subject itself, without reading an attribute.
_SELF_MATCHING = frozenset({
    "bool", "bytearray", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple",
})  # fmt: skip


class Patterns(Stores):
    """Rewrites the heads of ``match`` statements.

    ``case C(x=0, y=v) if g`` becomes ``case C() as t if ...`` with the attributes read, one by one, and tested in the
    guard: all of them are read before the first is tested, a missing one makes the pattern fail, and names are bound
    when everything fits, as the language does it. Patterns that nest deeper are announced on the subject instead.
    """

    def cases(self, node: ast.Match) -> None:
        """Rewrite the subject, the patterns and the guards in place."""
        subject_text = ast.unparse(node.subject)
        nested: dict[str, None] = {}  # in order, each once
        announce = False
        for case in node.cases:
            conditions = [] if self.frame.bare else self._flat_class(case)
            if not conditions:
                announce = announce or any(map(self._looks_inside, ast.walk(case.pattern)))
                for part in ast.walk(case.pattern):
                    if isinstance(part, ast.MatchClass):
                        nested.update(dict.fromkeys(part.kwd_attrs))
            guard = [] if case.guard is None else [self.test(case.guard)]
            if conditions or guard:
                case.guard = build.both([*conditions, *guard], case.pattern)
        if announce and self.is_sharable(node.subject):
            site = self.site("match", node.subject, subject_text)
            names = build.constant(tuple(nested), node.subject)
            node.subject = build.call_node("_p_mt", [self.value(node.subject), names, site], node.subject)
        else:
            node.subject = self.value(node.subject)

    def _looks_inside(self, pattern: ast.AST) -> bool:
        match pattern:
            case ast.MatchSequence() | ast.MatchMapping():
                return True
            case ast.MatchClass(cls=ast.Name(id=name), patterns=[_], kwd_attrs=[]) if self.is_builtin(name):
                return name not in _SELF_MATCHING
            case ast.MatchClass(patterns=patterns, kwd_attrs=names):
                return bool(patterns or names)
        return False

    def _flat_class(self, case: ast.match_case) -> list[ast.expr]:
        """Return conditions for the guard that replace the attributes of a flat class pattern; none for others."""
        name: str | None = None
        match case.pattern:
            case ast.MatchClass(patterns=[], kwd_attrs=[_, *_]) as pattern:
                pass
            case ast.MatchAs(pattern=ast.MatchClass(patterns=[], kwd_attrs=[_, *_]) as pattern, name=name):
                pass
            case _:
                return []
        if not all(map(_is_flat, pattern.kwd_patterns)):
            return []
        subject = self.temporary()
        reads: list[ast.expr] = []
        tests: list[ast.expr] = []
        bindings: list[ast.expr] = []
        for attribute, part in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
            found = self.temporary()
            reads.append(self._read(subject, attribute, found, part))
            match part:
                case ast.MatchValue(value=value):
                    tests.append(build.compared(build.load_node(found, part), ast.Eq(), self.value(value), part))
                case ast.MatchSingleton(value=singleton):
                    same = build.constant(singleton, part)
                    tests.append(build.compared(build.load_node(found, part), ast.Is(), same, part))
                case ast.MatchAs(name=str(capture)):
                    bindings.append(self._bound(capture, found, part))
        if name is not None:
            bindings.append(self._bound(name, subject, pattern))
        pattern.kwd_attrs, pattern.kwd_patterns = [], []
        case.pattern = ast.copy_location(ast.MatchAs(pattern, subject), pattern)
        return [*reads, *tests, *bindings]

    def _read(self, subject: str, attribute: str, found: str, at: ast.pattern) -> ast.expr:
        name = build.constant(attribute, at)
        original = ast.copy_location(ast.Attribute(build.load_node(subject, at), attribute, ast.Load()), at)
        site = self.site("match", original, f"case {attribute}={ast.unparse(at)}")
        guarded = build.call_node("_p_r", [build.load_node(subject, at), name, site], at)
        value = build.call_node("_p_getattr", [guarded, name, build.load_node("_p_absent", at)], at)
        return build.compared(build.kept(found, value, at), ast.IsNot(), build.load_node("_p_absent", at), at)

    def _bound(self, name: str, value: str, at: ast.pattern) -> ast.expr:
        """Return an expression that binds a capture and is true."""
        loaded: ast.expr = build.load_node(value, at)
        hook = self.variable(name, "w", at)
        stored = loaded if hook is None else build.then(loaded, hook, at)
        return build.compared(build.kept(name, stored, at), ast.Is(), loaded, at)


def _is_flat(pattern: ast.pattern) -> bool:
    match pattern:
        case ast.MatchValue() | ast.MatchSingleton() | ast.MatchAs(pattern=None):
            return True
    return False
