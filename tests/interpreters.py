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
    for version in VERSIONS:
        for candidate in candidates(version):
            found.setdefault(version, candidate)
    return found


def candidates(version):
    """Where an interpreter of this version may be; pyenv's folder may be another user's, whose environment this is."""
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    try:
        installed = sorted(map(str, versions.glob(f"{version.removesuffix('t')}.*/bin/python")))
    except PermissionError:
        installed = []
    found = [each for each in installed if ("t/bin" in each) is version.endswith("t")]
    on_path = shutil.which(f"python{version}")
    return found if on_path is None else [*found, on_path]
