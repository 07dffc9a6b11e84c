"""What lies below a folder of a project, however deep its folders lie in each other.

The walks of the standard library follow folders by recursion in some versions of Python: a thousand folders, one in the
other, would end the command. Nothing but the quickest modules may be imported here (see `plait.store.receipt`).
"""

from __future__ import annotations

import contextlib
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def files_below(
    folder: str | os.PathLike[str], endings: str | tuple[str, ...],
    leave_out: Callable[[os.DirEntry[str]], bool] = lambda _: False,
) -> list[str]:  # fmt: skip
    """Return the files below a folder whose names end so, part by part in order.

    Links to folders are not followed, nor are folders that are to be left out.
    """
    found, waiting = [], [os.fspath(folder)]
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if not leave_out(entry):
                        waiting.append(entry.path)
                elif entry.name.endswith(endings):
                    found.append(entry.path)
    return sorted(found, key=lambda path: path.split(os.sep))  # noqa: PTH206 - see above
