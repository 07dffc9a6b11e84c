"""``plait`` and ``python -m plait``: a process of its own for a command."""

from __future__ import annotations

import gc
import os
import sys

if __name__ == "__main__" and not sys.flags.safe_path and not __file__.startswith(sys.path[0] + os.sep):
    # `python -m` puts the current folder first. That is the project's, and whatever plait imports would be looked for
    # there: not all of it is imported yet.
    del sys.path[0]

from plait.store import receipt

_TASKS = "plait.commands.check.worker.tasks"
_AHEAD = {"check": (_TASKS,), "diff": ("plait.commands.diff.worker",), "review": (_TASKS,), "audit": (_TASKS,)}
"""What the workers of a command import: they do while the command itself imports."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def run_process() -> NoReturn:
    """Run the command, then end the process.

    A command that has little to do mostly imports: what was answered before is answered without
    (`plait.store.receipt`), and to look for garbage meanwhile, where there is none, and once more on the way out
    would take a sixth of its time.
    """
    gc.set_threshold(20_000)
    code = receipt.answer(sys.argv[1:])
    if code is None:
        words = sys.argv[1:]
        if words and words[0] in _AHEAD and not any(each in ("-h", "--help", "--cluster") for each in words):
            from plait.workers.forkserver import start_ahead  # noqa: PLC0415 - see above

            start_ahead(_AHEAD[words[0]])
        from plait.cli.main import main  # noqa: PLC0415

        code = main()
    gc.freeze()
    sys.exit(code)


if __name__ == "__main__":
    run_process()
