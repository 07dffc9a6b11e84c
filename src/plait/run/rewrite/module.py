"""A module's source, rewritten."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plait.run.rewrite.context import SiteTable
from plait.run.rewrite.scope import Survey
from plait.run.rewrite.statements import Statements

if TYPE_CHECKING:
    from plait.model.site import Site


def rewrite(source: str | bytes, module: str, filename: str) -> tuple[ast.Module, list[Site]]:
    """The syntax tree of a module with a hook at every access, and the places of these hooks.

    The tree is ready to compile. It behaves like the original if its globals hold hooks that return what
    `plait.run.noop` says, and `plait.run.rewrite.REFERENCES`.
    """
    tree = ast.parse(source, filename)
    survey = Survey(tree)
    table = SiteTable(module, filename)
    statements = Statements(table, survey.scopes, survey.module)
    tree.body = statements.block(tree.body)
    return tree, table.sites
