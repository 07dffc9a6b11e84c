"""``plait`` and ``python -m plait``: a process of its own for a command."""

from __future__ import annotations

import gc
import sys

from plait.store import receipt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def run_process() -> NoReturn:
    """The command, to its end and the process's.

    A command that has little to do mostly imports: what was answered before is answered without
    (`plait.store.receipt`), and to look for garbage meanwhile, where there is none, and once more on the way out
    would take a sixth of its time.
    """
    gc.set_threshold(20_000)
    code = receipt.answer(sys.argv[1:])
    if code is None:
        from plait.cli.main import main  # noqa: PLC0415 - see above

        code = main()
    gc.freeze()
    sys.exit(code)


if __name__ == "__main__":
    run_process()
