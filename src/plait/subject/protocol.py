"""How the special methods of Python are written as calls that a reader would write."""

from __future__ import annotations

FORMS = {
    "__len__": "len({receiver})",
    "__bool__": "bool({receiver})",
    "__contains__": "{0} in {receiver}",
    "__getitem__": "{receiver}[{0}]",
    "__setitem__": "{receiver}[{0}] = {1}",
    "__delitem__": "del {receiver}[{0}]",
    "__iter__": "list({receiver})",
    "__reversed__": "list(reversed({receiver}))",
    "__next__": "next({receiver}, None)",
    "__call__": "{receiver}({args})",
    "__enter__": "{receiver}.__enter__()",
    "__exit__": "{receiver}.__exit__(None, None, None)",
    "__getattr__": "getattr({receiver}, {0})",
    "__setattr__": "setattr({receiver}, {0}, {1})",
    "__delattr__": "delattr({receiver}, {0})",
    "__get__": "{receiver}.__get__({args})",
    "__set__": "{receiver}.__set__({args})",
    "__delete__": "{receiver}.__delete__({args})",
    # In place: an assignment would make the shared variable local to the thread that executes it.
    "__iadd__": "{receiver}.__iadd__({0})",
    "__isub__": "{receiver}.__isub__({0})",
    "__imul__": "{receiver}.__imul__({0})",
    "__ior__": "{receiver}.__ior__({0})",
    "__iand__": "{receiver}.__iand__({0})",
    "__ixor__": "{receiver}.__ixor__({0})",
    "__add__": "{receiver} + {0}",
    "__sub__": "{receiver} - {0}",
    "__mul__": "{receiver} * {0}",
    "__or__": "{receiver} | {0}",
    "__and__": "{receiver} & {0}",
    "__xor__": "{receiver} ^ {0}",
    "__int__": "int({receiver})",
    "__float__": "float({receiver})",
    "__index__": "{receiver}.__index__()",
    "__bytes__": "bytes({receiver})",
    "__eq__": "{receiver} == {0}",
    "__lt__": "{receiver} < {0}",
    "__le__": "{receiver} <= {0}",
    "__gt__": "{receiver} > {0}",
    "__ge__": "{receiver} >= {0}",
    "__hash__": "hash({receiver})",
    "__repr__": "repr({receiver})",
    "__str__": "str({receiver})",
}
"""Special method and the form of its call. What is not here (finalizers, pickling, copying) is never called."""

ARGUMENTS: dict[str, tuple[str, ...]] = {
    "__getattr__": ("attr",), "__setattr__": ("attr", "value"), "__delattr__": ("attr",),
    "__enter__": (), "__exit__": (), "__next__": (),
}  # fmt: skip
"""Parameters of the forms that do not follow the method's own signature."""

ORDER = frozenset({"__lt__", "__le__", "__gt__", "__ge__"})
"""Built-in classes define them all, mostly to refuse; only a Python definition says they mean something."""

PASSIVE = frozenset({"__eq__", "__hash__", "__repr__", "__str__", *ORDER})
"""Methods that nearly every class has: alone, they give two threads nothing to do."""
