"""The actions that a file with findings may cause without ``--trust``: an untrusted file is data, not a program.

Tests consist of calls, so such a file contains expressions. The expressions that plait writes call the subject with
values. Everything beyond that needs ``--trust``: other imports, `eval`, internal attributes of the interpreter, an
invariant that is not in the project's settings, a release that would have to be installed, and a cluster named by the
settings.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from plait.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from plait.model.test import Test


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CALLABLES = "plait.generate.callables"  # the part of plait that generated tests use
_REACHING = _words("""
    antigravity asyncio atexit builtins cProfile code codeop ctypes dbm faulthandler fcntl ftplib gc http
    imaplib imp importlib inspect linecache marshal mmap multiprocessing nt nntplib os pdb pickle pkgutil
    platform poplib posix profile pty pwd resource runpy select selectors shelve shutil signal site smtplib
    socket socketserver sqlite3 ssl subprocess sys sysconfig syslog telnetlib tempfile termios trace traceback
    tty turtle urllib venv webbrowser winreg wsgiref xmlrpc zipimport _thread _posixsubprocess _ctypes _socket
    _io _winapi _imp
""")
"""Modules of the standard library that do more than compute."""
_BUILTINS = _words("""
    __build_class__ __import__ __loader__ __spec__ breakpoint compile copyright credits delattr eval exec exit
    getattr globals help input license locals open quit setattr vars
""")
_INNER = _words("""
    __bases__ __base__ __builtins__ __class__ __closure__ __code__ __defaults__ __delattr__ __dict__ __func__
    __getattr__ __getattribute__ __getstate__ __globals__ __init_subclass__ __kwdefaults__ __loader__ __module__
    __mro__ __new__ __reduce__ __reduce_ex__ __self__ __setattr__ __setstate__ __spec__ __subclasshook__
    __subclasses__ __traceback__ __wrapped__ cr_frame f_back f_builtins f_globals f_locals gi_code gi_frame mro
    tb_frame
""")
_ELSEWHERE = _words("""
    builtins ctypes importlib os posix shutil socket subprocess sys
""")
"""Modules that are also attributes of other modules, such as ``logging.os``."""
_STATEMENTS = (ast.Expr, ast.With, ast.For, ast.Assign, ast.AugAssign, ast.Delete, ast.Pass, ast.Break)


def ask_for_trust(act: str, source: str) -> None:
    """Raise `UsageError`: the file asks for something that needs ``--trust``."""
    raise UsageError(f"{source} would have plait {act}: add --trust if you trust whoever wrote it")


def is_untrusted_release(label: str, cache: Path) -> bool:
    """Return whether a version is a release that is not installed yet."""
    if not label.strip().startswith("pypi:"):
        return False
    from plait.subject.versions.release import Release  # noqa: PLC0415 - as rare as it is slow to import

    return not Release.parse(label.strip().removeprefix("pypi:")).folder(cache).is_dir()


def trust_setting(key: str, value: Any, file: str) -> None:
    """Refuse a setting that would install something or connect to another host."""
    from plait.commands.releases import cache_root  # noqa: PLC0415 - hardly ever needed

    if key == "cluster":
        ask_for_trust(f"send the code to the cluster at {value}", file)
    if isinstance(value, str) and is_untrusted_release(value, cache_root()):
        ask_for_trust(f"install {value.removeprefix('pypi:')}", file)


# -- tests ----------------------------------------------------------------------------------------------------------


def beyond_data(test: Test, probes: Iterable[str], own: Iterable[str]) -> str | None:
    """Return the first line of a test or its probes that is more than calls with values; None if there is none.

    ``own`` are modules that may be imported: the subject's package, the user's hook.
    """
    known = {*own, _CALLABLES}
    for line in test.imports:
        if not all(_is_harmless(name, known) or _is_foreign(name) for name in _imported(line) or ["os"]):
            return line
    for text in (*(call.source for call in (*test.prefix, *test.calls)), *probes):
        if not _is_call_with_values(text):
            return text
    return None


def foreign_imports(test: Test, own: Iterable[str]) -> tuple[str, ...]:
    """Return the modules of other packages that a test imports; harmless only if the subject has imported them, too."""
    known = {*own, _CALLABLES}
    names = {name for line in test.imports for name in _imported(line) or ()}
    return tuple(sorted(name for name in names if not _is_harmless(name, known)))


def _imported(line: str) -> list[str] | None:
    """Return the modules of an import line; None for anything else."""
    try:
        body = ast.parse(line).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for node in body:
        if not isinstance(node, ast.Import | ast.ImportFrom) or (isinstance(node, ast.ImportFrom) and node.level):
            return None
        if isinstance(node, ast.ImportFrom) and any(alias.name in _ELSEWHERE | {"*"} for alias in node.names):
            return None
    return list(_modules(body))


def _modules(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def _is_harmless(name: str, known: set[str]) -> bool:
    top = name.partition(".")[0]
    return name in known or top in known or (top in sys.stdlib_module_names and top not in _REACHING)


def _is_foreign(name: str) -> bool:
    """Return whether a module belongs to a package that is neither plait nor the standard library."""
    top = name.partition(".")[0]
    return bool(top) and top != "plait" and top not in sys.stdlib_module_names


def _is_call_with_values(text: str) -> bool:
    try:
        tree = ast.parse(text.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not isinstance(node, _STATEMENTS):
            return False
        if isinstance(node, ast.Name) and node.id in _BUILTINS:
            return False
        if isinstance(node, ast.Attribute) and node.attr in _INNER | _ELSEWHERE:
            return False
        if isinstance(node, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr):
            return False
    return True
