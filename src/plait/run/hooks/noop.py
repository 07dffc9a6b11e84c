"""The hooks that rewritten code calls, in their trivial form: with them a rewritten module behaves like the original.

The functions are the specification of what each hook is given and must return. ``site`` is the number of a
`plait.model.site.Site`. Parameters are positional-only where keywords of the code under test are passed on. A hook that
the engine installs in place of one of these may switch threads and may raise, but must return the same thing.
"""

from __future__ import annotations
import __future__

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

FUTURE = 0
for _name in __future__.all_feature_names:
    FUTURE |= getattr(__future__, _name).compiler_flag


def read(o: Any, name: str, site: int) -> Any:
    """Precede a load of ``o.name`` (also by a class pattern of ``match``); return ``o``."""
    return o


def write(o: Any, name: str, site: int) -> Any:
    """Precede a store to ``o.name``, after the value has been evaluated; return ``o``."""
    return o


def delete(o: Any, name: str, site: int) -> Any:
    """Precede a deletion of ``o.name``; return ``o``."""
    return o


def read_key(c: Any, key: Any, site: int) -> Any:
    """Precede a load of ``c[key]``, where a slice is a `slice` object; return ``key``."""
    return key


def write_key(c: Any, key: Any, site: int) -> Any:
    """Precede a store to ``c[key]``, after the value has been evaluated; return ``key``."""
    return key


def delete_key(c: Any, key: Any, site: int) -> Any:
    """Precede a deletion of ``c[key]``; return ``key``."""
    return key


def call(o: Any, name: str, site: int, *args: Any) -> Any:
    """Precede a call of ``o.name(*args)``, perhaps with keywords, after the look-up; return the last argument.

    ``o`` may be a module, a class or a `super` object (whose ``__self__`` is the receiver).
    """
    return args[-1]


def walker(func: Any, site: int, *args: Any) -> Any:
    """Precede a call of a built-in whose arguments have been announced; return the last argument."""
    return args[-1]


def whole_both(left: Any, right: Any, site: int) -> Any:
    """Precede an operation that reads two values as a whole; return ``right``."""
    return right


def call_without(o: Any, name: str, site: int) -> Any:
    """Precede the look-up and the call of ``o.name()`` or ``o.name(*unknown)``; return ``o``."""
    return o


def call_keyword(o: Any, name: str, site: int, value: Any) -> Any:
    """Precede a method call whose arguments are not all known; return the last one (after ``**``: the mapping)."""
    return value


def call_function(f: Any, site: int, *args: Any) -> Any:
    """Precede a call of ``f(*args)``, perhaps with keywords; return the last argument."""
    return args[-1]


def call_function_without(f: Any, site: int) -> Any:
    """Precede a call of ``f()`` or ``f(*unknown)``; return ``f``."""
    return f


def call_function_keyword(f: Any, site: int, value: Any) -> Any:
    """Precede a call whose arguments are not all known; return the last one."""
    return value


def whole(o: Any, site: int) -> Any:
    """Precede a read of the whole value (truth, length, unpacking, operators, formatting...); return ``o``."""
    return o


def unpacked(o: Any, site: int) -> Any:
    """Precede the unpacking of a value to several targets; return ``o``."""
    return o


def whole_write(o: Any, site: int) -> Any:
    """Precede a change of the whole value (a heap, an in-place operator); return ``o``."""
    return o


def size(o: Any, site: int) -> Any:
    """Precede a test of the truth or the length of a value; return ``o``."""
    return o


def store_slice(value: Any, c: Any, key: Any, site: int) -> None:
    """Stand for ``c[key] = value`` itself, where the key is a slice."""
    c[key] = value


def in_place(operand: Any, left: Any, site: int) -> Any:
    """Precede an operator that changes ``left`` in place; return the operand to use."""
    return operand


def callee(f: Any, site: int) -> Any:
    """Precede a call of ``f``, before its arguments are evaluated; return the object to call instead."""
    return f


def method(o: Any, name: str, site: int) -> Any:
    """Precede a call of ``o.name``, before its arguments are evaluated; return the object to call instead."""
    return getattr(o, name)


def get_field(o: Any, name: Any, site: int, last: Any) -> Any:
    """Precede a call of ``getattr`` or ``hasattr``, with any object as ``name``; return ``last``."""
    return last


def set_field(o: Any, name: Any, site: int, last: Any) -> Any:
    """Precede a call of ``setattr``; return ``last``."""
    return last


def delete_field(o: Any, name: Any, site: int, last: Any) -> Any:
    """Precede a call of ``delattr``; return ``last``."""
    return last


def member(c: Any, key: Any, site: int, single: bool = False) -> Any:
    """Precede ``key in c`` or ``key not in c``; return ``c``, or in a ``single`` test an object in its place."""
    return c


def iterate(iterable: Any, site: int) -> Any:
    """Precede a loop; return an iterable with the same elements."""
    return iterable


def read_global(module: str, name: str, site: int) -> bool:
    """Precede a load of a global that functions assign; return True."""
    return True


def write_global(module: str, name: str, site: int) -> bool:
    """Precede a function's store to, or deletion of, a global; the result does not matter."""
    return True


def cell() -> object:
    """Enter a function with variables that nested functions assign; return a new identity for these variables."""
    return object()


def read_cell(token: object, name: str, site: int) -> bool:
    """Precede a load of a closure variable that nested functions assign; return True."""
    return True


def write_cell(token: object, name: str, site: int) -> bool:
    """Precede a store to, or a deletion of, a closure variable; the result does not matter."""
    return True


def mark() -> None:
    """Mark the entry of a function or the end of a loop's body; return None, on which lambdas rely."""


def element(value: Any) -> Any:
    """Mark the entry of a comprehension, by its iterable, or the end of a round, by its element; return the value."""
    return value


def match(subject: Any, names: tuple[str, ...], site: int) -> Any:
    """Precede patterns that read these attributes of the subject, and its elements; return the subject."""
    return subject


def perform_key(c: Any, key: Any, site: int) -> Any:
    """Stand for ``c[key]`` itself."""
    return c[key]


def perform_call(o: Any, name: str, site: int, /, *args: Any, **keywords: Any) -> Any:
    """Stand for ``o.name(*args, **keywords)`` itself."""
    return getattr(o, name)(*args, **keywords)


def perform_function(f: Any, site: int, /, *args: Any, **keywords: Any) -> Any:
    """Stand for ``f(*args, **keywords)`` itself; ``f`` may be a bound method that was just looked up."""
    return f(*args, **keywords)


def perform_member(key: Any, c: Any, site: int) -> bool:
    """Stand for ``key in c`` itself."""
    return key in c


def given(f: Any, site: int) -> Any:
    """Precede passing ``f`` to C code that will call it; return a callable that does the same."""
    return f


def own_names(names: Any) -> Any:
    """Return a result of ``locals()``, ``vars()`` or ``dir()`` without the names that begin with ``_p_``."""
    if isinstance(names, list):
        return [name for name in names if not str(name).startswith("_p_")]
    for name in [name for name in names if name.startswith("_p_")]:
        del names[name]
    return names


def module_names(names: Any) -> Any:
    """Return a result of ``globals()``."""
    return names


def execute(f: Any, site: int, source: Any, *spaces: Any) -> Any:
    """Stand for a call of ``eval`` or ``exec`` itself."""
    return f(text_code(f, source, sys._getframe(1).f_code.co_flags), *spaces)


def text_code(f: Any, source: Any, flags: int) -> Any:
    """Return the code object that ``eval`` or ``exec`` makes of a text; return other sources as they are.

    A text is compiled under the future statements of the module that runs it, not of the module that stands for that.
    """
    if not isinstance(source, str | bytes) or f not in (eval, exec):
        return source
    if f is exec:
        return compile(source, "<string>", "exec", flags & FUTURE, dont_inherit=True)
    stripped = source.lstrip(" \t") if isinstance(source, str) else source.lstrip(b" \t")
    return compile(stripped, "<string>", "eval", flags & FUTURE, dont_inherit=True)


HOOKS: dict[str, Callable[..., Any]] = {
    "_p_r": read,
    "_p_w": write,
    "_p_d": delete,
    "_p_rk": read_key,
    "_p_wk": write_key,
    "_p_dk": delete_key,
    "_p_c": call,
    "_p_c0": call_without,
    "_p_ck": call_keyword,
    "_p_f": call_function,
    "_p_l": walker,
    "_p_oo": whole_both,
    "_p_f0": call_function_without,
    "_p_fk": call_function_keyword,
    "_p_o": whole,
    "_p_un": unpacked,
    "_p_ow": whole_write,
    "_p_z": size,
    "_p_ia": in_place,
    "_p_ij": in_place,
    "_p_ir": in_place,
    "_p_ss": store_slice,
    "_p_nf": callee,
    "_p_nm": method,
    "_p_ga": get_field,
    "_p_sa": set_field,
    "_p_da": delete_field,
    "_p_in": member,
    "_p_it": iterate,
    "_p_rg": read_global,
    "_p_wg": write_global,
    "_p_cell": cell,
    "_p_rc": read_cell,
    "_p_wc": write_cell,
    "_p_m": mark,
    "_p_e": element,
    "_p_mt": match,
    "_p_wd": write,
    "_p_fn": given,
    "_p_lo": own_names,
    "_p_xe": execute,
    "_p_gl": module_names,
    "_p_xk": perform_key,
    "_p_xc": perform_call,
    "_p_xf": perform_function,
    "_p_xin": perform_member,
}

# Hooks that return the wrong thing, each to be put in place of its sound namesake: code that runs through it must fail.
BROKEN: dict[str, Callable[..., Any]] = {
    "_p_r": lambda _o, _name, _site: None,
    "_p_w": lambda _o, _name, _site: None,
    "_p_rk": lambda _c, _key, _site: object(),
    "_p_wk": lambda _c, _key, _site: object(),
    "_p_dk": lambda _c, _key, _site: object(),
    "_p_c": lambda _o, _name, _site, *_args: object(),
    "_p_c0": lambda _o, _name, _site: None,
    "_p_ck": lambda _o, _name, _site, _value: object(),
    "_p_f": lambda _f, _site, *_args: object(),
    "_p_f0": lambda _f, _site: None,
    "_p_fk": lambda _f, _site, _value: object(),
    "_p_o": lambda _o, _site: (),
    "_p_un": lambda _o, _site: (),
    "_p_in": lambda _c, _key, _site: (),
    "_p_it": lambda _iterable, _site: (),
}
