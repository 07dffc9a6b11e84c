"""The world and the subject of this process, made when first asked for.

Tasks call `world` and `subject`; both are cheap after the first call. A subject that cannot be imported gives the same
`UsageError`, one line, every time.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import re
import sys
import traceback
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import plait
from plait.errors import STOPPED, PlaitBugError, UsageError
from plait.model.foreign import class_name, exception_text, module_of, short_name

if TYPE_CHECKING:
    import types
    from collections.abc import Callable, Iterable, Mapping

    from plait.run.importing.world import World
    from plait.run.work_folder import WorkFolder
    from plait.subject.interface.members import Interface
    from plait.workers.blackbox import BlackBox
    from plait.workers.protocol import WorkerSpec

_PLAIT = str(Path(plait.__file__).resolve().parent)


class _State:
    spec: WorkerSpec | None = None
    world: World | None = None
    module: types.ModuleType | None = None
    subject: Any = None
    interface: Interface | None = None
    error: UsageError | None = None
    concerned: tuple[str, ...] = ()
    box: BlackBox | None = None
    inspect: Callable[[], None] | None = None
    folder: WorkFolder | None = None


_state = _State()


def use(
    spec: WorkerSpec,
    box: BlackBox | None = None,
    inspect: Callable[[], None] | None = None,
    folder: WorkFolder | None = None,
) -> None:
    """Say what this process is for, where it runs, and where notes go; nothing is loaded yet.

    ``inspect`` is called before a note replaces another one: it may end the process for what the last one had done.
    """
    _state.spec, _state.box, _state.inspect, _state.folder = spec, box, inspect, folder
    _state.world = _state.module = _state.subject = _state.error = None
    _state.interface = None


def spec() -> WorkerSpec:
    """Return what this process was started for."""
    if _state.spec is None:
        raise PlaitBugError("a task ran in a process that is no worker")
    return _state.spec


def note(content: Mapping[str, Any]) -> None:
    """Say, as plain data, what the code under test is about to do: the parent reads it if that kills this process."""
    if _state.inspect is not None:
        _state.inspect()
    if _state.box is not None:
        _state.box.note = content


def beat() -> None:
    """Give a sign of life, for work that takes long without running code under test."""
    if _state.box is not None:
        _state.box.tick()


def world() -> World:
    """Return the process's one world."""
    if _state.world is None:
        from plait.observe.places import PLACES  # noqa: PLC0415 - the engine is loaded when it is needed
        from plait.run.importing.world import World  # noqa: PLC0415

        _state.world = World(PLACES, cache=spec().cache, processes="subprocess" in spec().allow)
    return _state.world


def module() -> types.ModuleType:
    """Return the subject's module, rewritten unless the spec says otherwise."""
    subject()
    assert _state.module is not None
    return _state.module


def subject() -> Any:
    """Return the class (or the module) under test; executions start from the state it has now."""
    if _state.error is not None:
        raise UsageError(str(_state.error), about=_state.error.about)
    if _state.module is None:
        try:
            _load()
        except UsageError as error:
            _state.error, _state.module = error, None
            raise
    return _state.subject


def interface(name: str) -> Interface:
    """Return what can be called on the subject, which messages call ``name``."""
    from plait.subject.interface.discovery import discover  # noqa: PLC0415 - as above

    owner = subject()
    if _state.interface is None or _state.interface.subject != name:
        try:
            found = discover(owner, name=name)
        except UsageError:
            raise
        except Exception as error:
            if not _raised_outside(error):
                raise
            raise UsageError(_why_not_usable(name, "its methods cannot be looked up", error)) from None
        if spec().rewritten and owner is world().mirror.modules["queue"].SimpleQueue:
            note = f"{name} is C code: plait's own was tested in its place; --schedule native tests the real one"
            found = replace(found, notes=(*found.notes, note))
        _state.interface = found
    return _state.interface


def _load() -> None:
    from plait.run.importing.world import find_in  # noqa: PLC0415 - as above

    wanted = spec()
    if not wanted.module:
        raise PlaitBugError("a task asked for the subject of a worker that has none")
    try:
        loaded = _rewritten(wanted) if wanted.rewritten else _as_it_is(wanted)
    except BaseException as error:
        if type(error) is MemoryError:  # one of the code's own is no want of memory
            raise
        _state.concerned = _concerned(error)
        raise UsageError(_why_not_importable(wanted.module, error)) from None
    try:  # a module may have a `__getattr__`, and a class a metaclass
        if wanted.rewritten:
            world().mirror.examine(wanted.module, wanted.qualname)
        _state.subject = find_in(loaded, wanted.qualname) if wanted.qualname else loaded
        stands_in = wanted.rewritten and _stands_in(_state.subject)
    except UsageError:
        raise
    except BaseException as error:
        raise UsageError(_why_not_usable(str(wanted), "it cannot be looked up", error)) from None
    if stands_in:
        raise UsageError(f"{wanted} cannot be tested: plait's own stands in for it while threads are controlled")
    _state.module = loaded
    if wanted.rewritten:
        world().snapshot()
        _end_executions()


def _stands_in(subject: Any) -> bool:
    """Return whether a class or function is plait's own, in the place of one that could not be scheduled."""
    virtual, real = vars(world().mirror.modules["_thread"]), vars(sys.modules["_thread"])
    own = [each for name, each in virtual.items() if each is not real.get(name)]
    return str(module_of(subject)).startswith("plait.run.") or any(subject is each for each in own)


def try_imports(lines: Iterable[str]) -> None:
    """Run the import lines that all tests begin with; `UsageError` if they raise, although the module is there."""
    text = "\n".join(lines)
    try:
        exec(text, {})
    except BaseException as error:
        raise UsageError(_why_not_usable(str(spec()), f"`{text}` does not work", error)) from None


def _rewritten(wanted: WorkerSpec) -> types.ModuleType:
    return world().load(wanted.module, file=wanted.file, roots=wanted.roots, paths=wanted.paths)


def _as_it_is(wanted: WorkerSpec) -> types.ModuleType:
    from plait.run.importing.world import is_found_by_name  # noqa: PLC0415 - as above

    sys.path[:0] = [str(folder.resolve()) for folder in (*wanted.roots, *wanted.paths)]
    if wanted.file is None or is_found_by_name(wanted.module, wanted.file):
        return importlib.import_module(wanted.module)
    found = importlib.util.spec_from_file_location(wanted.module, wanted.file)
    assert found is not None
    assert found.loader is not None
    made = sys.modules[wanted.module] = importlib.util.module_from_spec(found)
    found.loader.exec_module(made)
    return made


def concerned() -> list[str]:
    """Return what the import error is about (`tasks.import_trouble`)."""
    return list(_state.concerned)


def _concerned(error: BaseException) -> tuple[str, ...]:
    """Return the module that an error names, and the files that it went through, from the inside out.

    It is nothing of the code's if plait has stopped what it did: older code would do it too.
    """
    if type(error) is PermissionError and STOPPED in str(error):
        return ()
    names = []
    with contextlib.suppress(Exception):  # the exception is the code's own and may misbehave
        if isinstance(error, ImportError) and isinstance(error.name, str):
            names.append(error.name)
        elif isinstance(error, AttributeError):
            names += re.findall(r"module '([\w.]+)' has no attribute", str(error))
    return (*names, *(frame.filename for frame in reversed(_frames(error))))


def _end_executions() -> None:
    """Behind each execution, beat (a task that makes progress has not stalled) and remove the files it has left."""
    from plait.run.engine import ENGINE  # noqa: PLC0415 - as above

    modules, box, folder = ENGINE.modules, _state.box, _state.folder
    if modules is None:
        return
    if box is not None:
        modules.behind.append(box.tick)
    if folder is not None:
        modules.behind.append(folder.remove_left)


def _why_not_importable(module: str, error: BaseException) -> str:
    """Return one line on an import that failed."""
    with contextlib.suppress(Exception):  # the exception is the code's own and may misbehave
        if isinstance(error, ModuleNotFoundError) and error.name is not None:
            if module == error.name or module.startswith(f"{error.name}."):
                return f"there is no module {error.name!r}; say with --path where {module} is imported from"
            return f"{module} cannot be imported: it needs {error.name!r}, which is not installed{_place(error)}"
        if isinstance(error, SyntaxError) and error.filename:
            python = ".".join(map(str, sys.version_info[:2]))
            return f"{module} cannot be read by Python {python}: {error.filename}:{error.lineno}: {error.msg}"
    return f"{module} cannot be imported: {_in_short(short_name(type(error)), error)}{_place(error)}"


def _why_not_usable(name: str, what: str, error: BaseException) -> str:
    """Return one line on a subject that was imported and cannot be tested."""
    return f"{name} cannot be tested: {what}: {_in_short(class_name(type(error)), error)}{_place(error)}"


def _in_short(kind: str, error: BaseException) -> str:
    """Return an exception on one line; names of classes may have more, too."""
    text = exception_text(error)
    return " ".join(f"{kind}: {text}".removesuffix(": ").split())[:200]


def _place(error: BaseException) -> str:
    """Return where the code under test was when it raised."""
    frames = [frame for frame in _frames(error) if not frame.filename.startswith((_PLAIT, "<frozen"))]
    return f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""


def _raised_outside(error: BaseException) -> bool:
    """Return whether it was not plait that raised."""
    return not any(frame.filename.startswith(_PLAIT) for frame in _frames(error)[-1:])


def _frames(error: BaseException) -> list[traceback.FrameSummary]:
    with contextlib.suppress(Exception):  # the exception is the code's own and may hide where it came from
        return list(traceback.extract_tb(error.__traceback__))
    return []
