"""A pytest session that the kernel confines.

``plait explore`` starts `COMMAND` with an order, which says what is allowed and where modules are found, and with the
arguments of pytest: the process is confined before anything of the project is imported. A session that somebody else
has started is confined when it comes to the modules of its tests.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from plait.run.importing.world import cache_folder
from plait.run.native.kernel import LANDLOCK, LAYERS, LIMITS, SECCOMP, confine, die_with
from plait.run.rewrite.keeper import start_keeper

# The option -P keeps the project's folder off the path until the process is confined.
COMMAND = ("-P", "-c", "from plait.workers.session import session_main; session_main()")


class ConfinementOrder(NamedTuple):
    """``folder`` is where the process may write, ``path`` where modules are found first.

    ``several``: pytest starts processes of its own, one per worker, which confine themselves. The process ends with
    its ``parent``.
    """

    folder: str
    allow: list[str]
    path: list[str]
    several: bool = False
    parent: int = 0

    def as_text(self) -> str:
        """Return the order of this process as one argument."""
        return json.dumps(self._replace(parent=os.getpid()))


class _Process:
    layers: dict[str, Any] | None = None
    folder: str | None = None


def layers_in_force() -> dict[str, Any] | None:
    """Return the layers that confine this process; None if confinement was not requested."""
    return _Process.layers


def confined_to() -> str | None:
    """Return the folder that this whole process is confined to; None if tests alone are, or nothing is."""
    return _Process.folder


def session_main() -> None:
    """Confine this process, then be pytest."""
    _, given, *arguments = sys.argv
    order = ConfinementOrder(*json.loads(given))
    die_with(order.parent)
    scratch = Path(order.folder) / "tmp"
    scratch.mkdir()
    os.environ["TMPDIR"] = tempfile.tempdir = str(scratch)
    project = os.getcwd()  # noqa: PTH109 - as Python writes it itself
    start_keeper(cache_folder())
    _Process.layers = confine(order.folder, [*order.allow, *(["subprocess"] if order.several else [])]).as_json()
    _Process.folder = None if order.several else order.folder
    os.chdir(project)
    sys.path[:0] = [project, *order.path]
    if order.path:
        inherited = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = os.pathsep.join([*order.path, *([inherited] if inherited else [])])
    import pytest  # noqa: PLC0415 - from here on others' code may run

    sys.exit(pytest.main(arguments))


def confine_session(folders: list[str], allow: frozenset[str], *, parent: int | None = None) -> None:
    """Do so in a session of pytest that somebody else has started, which writes reports and caches of its own.

    It ends with its ``parent``, if one is given. Its tests keep the user's view of files: there is no namespace, and
    attributes are left to the audit hook.
    """
    if _Process.layers is None:
        if parent is not None:
            die_with(parent)
        start_keeper(cache_folder())
        first, *others = [tempfile.gettempdir(), *folders]
        layers = [each for each in LAYERS if each in (LIMITS, LANDLOCK, SECCOMP)]
        _Process.layers = confine(first, allow, layers=layers, also=others, trust=("attributes", "queues")).as_json()
