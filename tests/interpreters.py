"""The interpreters that are installed here, for tests that compare them."""

import os
import shutil
import sys
import sysconfig
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
WITH_GIL = ("3.11", "3.12", "3.13", "3.14", "3.15")
VERSIONS = (*WITH_GIL, "3.13t", "3.14t", "3.15t")


def interpreters():
    """The running interpreter, and others where they are installed; those without a GIL have a t at the end."""
    free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))  # whatever an extension module has switched on since
    found = {f"{sys.version_info.major}.{sys.version_info.minor}{'t' if free else ''}": sys.executable}
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in VERSIONS:
        number, free = version.removesuffix("t"), version.endswith("t")
        installed = [each for each in _matching(versions, f"{number}.*/bin/python") if ("t/bin" in str(each)) is free]
        for candidate in [*installed, shutil.which(f"python{version}")]:
            if candidate is not None:
                found.setdefault(version, str(candidate))
    return found


def _matching(folder, pattern):
    try:
        return sorted(folder.glob(pattern))
    except PermissionError:  # another user's, whose environment this one has
        return []
