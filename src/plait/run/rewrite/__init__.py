"""Hooks at every access: the syntax tree of a module under test, rewritten in guard style.

A hook gets the object that is about to be accessed and returns it (or the key, or the last argument), and the access
itself stays inline: ``self.x`` becomes ``_p_r(self, 'x', 7).x``. Only function bodies change. What each hook is given
and must return is written down in `plait.run.hooks.noop`.

`scope` knows which variable a name means; `context` keeps the state of a rewriting and numbers the places; `calls`,
`expressions`, `stores`, `patterns` and `statements` each add their forms to it; `cache` compiles and remembers.
"""

from plait.run.rewrite.build import REFERENCES
from plait.run.rewrite.cache import compile_among, compile_module, rewriter_version
from plait.run.rewrite.module import rewrite

__all__ = ["REFERENCES", "compile_among", "compile_module", "rewrite", "rewriter_version"]
