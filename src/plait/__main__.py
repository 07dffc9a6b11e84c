"""``plait`` and ``python -m plait``: a process of its own for a command."""

import gc
import sys
from typing import NoReturn

from plait.cli import main


def run() -> NoReturn:
    """The command, to its end and the process's."""
    code = main()
    gc.freeze()  # to look for garbage once more, on the way out, takes a tenth of a command that has little to do
    sys.exit(code)


if __name__ == "__main__":
    run()
