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
    """``o.name`` is about to be read (also by a class pattern of ``match``): ``o``."""
    return o


def write(o: Any, name: str, site: int) -> Any:
    """``o.name`` is about to be stored; the value has been evaluated: ``o``."""
    return o


def delete(o: Any, name: str, site: int) -> Any:
    """``o.name`` is about to be deleted: ``o``."""
    return o


def read_key(c: Any, key: Any, site: int) -> Any:
    """``c[key]`` is about to be read; a slice is a `slice`: ``key``."""
    return key


def write_key(c: Any, key: Any, site: int) -> Any:
    """``c[key]`` is about to be stored; the value has been evaluated: ``key``."""
    return key


def delete_key(c: Any, key: Any, site: int) -> Any:
    """``c[key]`` is about to be deleted: ``key``."""
    return key


def call(o: Any, name: str, site: int, *args: Any) -> Any:
    """``o.name(*args)`` is about to be called, perhaps with keywords; the method has been looked up: the last argument.

    ``o`` may be a module, a class or a `super` object (whose ``__self__`` is the receiver).
    """
    return args[-1]


def walker(func: Any, site: int, *args: Any) -> Any:
    """Return the last argument, for a built-in whose arguments were announced."""
    return args[-1]


def whole_both(left: Any, right: Any, site: int) -> Any:
    """Return ``right``: both values are about to be read as a whole, by one operation."""
    return right


def call_without(o: Any, name: str, site: int) -> Any:
    """``o.name()`` or ``o.name(*unknown)`` is about to be looked up and called: ``o``."""
    return o


def call_keyword(o: Any, name: str, site: int, value: Any) -> Any:
    """Return the argument that is evaluated last (after ``**``: the mapping), where not all are at hand."""
    return value


def call_function(f: Any, site: int, *args: Any) -> Any:
    """``f(*args)`` is about to be called, perhaps with keywords: the last argument."""
    return args[-1]


def call_function_without(f: Any, site: int) -> Any:
    """``f()`` or ``f(*unknown)`` is about to be called: ``f``."""
    return f


def call_function_keyword(f: Any, site: int, value: Any) -> Any:
    """Return the argument that is evaluated last, where not all are at hand."""
    return value


def whole(o: Any, site: int) -> Any:
    """Return ``o``, all of which is about to be looked at (truth, length, unpacking, operators, formatting...)."""
    return o


def unpacked(o: Any, site: int) -> Any:
    """Return ``o``, which is about to be unpacked to several targets."""
    return o


def whole_write(o: Any, site: int) -> Any:
    """Return ``o``, which is about to be changed as a whole (a heap, an in-place operator)."""
    return o


def size(o: Any, site: int) -> Any:
    """Return ``o``, whose truth or length is about to be asked for."""
    return o


def store_slice(value: Any, c: Any, key: Any, site: int) -> None:
    """Stand for ``c[key] = value`` itself, where the key is a slice."""
    c[key] = value


def in_place(operand: Any, left: Any, site: int) -> Any:
    """``left`` is about to be changed in place by an operator: the operand."""
    return operand


def callee(f: Any, site: int) -> Any:
    """``f`` is about to be called; its arguments have not been evaluated: what is called instead."""
    return f


def method(o: Any, name: str, site: int) -> Any:
    """``o.name`` is about to be called; the arguments have not been evaluated: what is called instead."""
    return getattr(o, name)


def get_field(o: Any, name: Any, site: int, last: Any) -> Any:
    """``getattr`` or ``hasattr`` is about to be called; ``name`` may be anything: ``last``."""
    return last


def set_field(o: Any, name: Any, site: int, last: Any) -> Any:
    """``setattr`` is about to be called: ``last``."""
    return last


def delete_field(o: Any, name: Any, site: int, last: Any) -> Any:
    """``delattr`` is about to be called: ``last``."""
    return last


def member(c: Any, key: Any, site: int, single: bool = False) -> Any:
    """``key in c`` or ``key not in c`` is about to be asked: ``c``, or what answers for it if nobody else uses it."""
    return c


def iterate(iterable: Any, site: int) -> Any:
    """Return what gives the same elements as the iterable that a loop is about to walk."""
    return iterable


def read_global(module: str, name: str, site: int) -> bool:
    """Return a global that functions assign is about to be read: True."""
    return True


def write_global(module: str, name: str, site: int) -> bool:
    """Do nothing before a function stores or deletes a global; the value does not matter."""
    return True


def cell() -> object:
    """Return a function with a variable that nested functions assign was entered: a new identity for that variable."""
    return object()


def read_cell(token: object, name: str, site: int) -> bool:
    """Return a closure variable that nested functions assign is about to be read: True."""
    return True


def write_cell(token: object, name: str, site: int) -> bool:
    """Do nothing before a closure variable is stored or deleted; the value does not matter."""
    return True


def mark() -> None:
    """Do nothing where a function is entered or a loop's body ends (lambdas rely on it)."""


def element(value: Any) -> Any:
    """Return the iterable that a comprehension is entered with, or the element that it has made."""
    return value


def match(subject: Any, names: tuple[str, ...], site: int) -> Any:
    """Patterns are about to look into the subject, at these attributes and at its elements: the subject."""
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
    """``f`` is given to C code that will call it: what does the same when it is called."""
    return f


def own_names(names: Any) -> Any:
    """``names`` is what ``locals()``, ``vars()`` or ``dir()`` says: the same without names that begin with ``_p_``."""
    if isinstance(names, list):
        return [name for name in names if not str(name).startswith("_p_")]
    for name in [name for name in names if name.startswith("_p_")]:
        del names[name]
    return names


def module_names(names: Any) -> Any:
    """``names`` is what ``globals()`` says: the same."""
    return names


def execute(f: Any, site: int, source: Any, *spaces: Any) -> Any:
    """Stand for a call of ``eval`` or ``exec`` itself."""
    return f(text_code(f, source, sys._getframe(1).f_code.co_flags), *spaces)


def text_code(f: Any, source: Any, flags: int) -> Any:
    """Return the code that ``eval`` or ``exec`` makes of a text; other sources as they are.

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
