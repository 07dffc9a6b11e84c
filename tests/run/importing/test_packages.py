"""The code of ten real packages runs rewritten, outside and inside executions, and behaves as before."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from plait.errors import UsageError
from plait.subject.versions.release import Release

HERE = Path(__file__).parent
RELEASES = {
    "zict": "3.0.0", "boltons": "24.0.0", "watchdog": "6.0.0", "kombu": "5.4.2", "cachelib": "0.13.0",
    "readerwriterlock": "1.0.9", "pyee": "12.0.0", "limits": "3.13.0", "blinker": "1.8.2", "sortedcontainers": "2.4.0",
}  # fmt: skip
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "plait" / "releases"


def run(name, mode, folders, tmp_path):
    done = subprocess.run(
        [sys.executable, HERE / "package_smoke.py", name, mode, *folders, tmp_path / "code"],
        capture_output=True, text=True, timeout=240, env={**os.environ, "PYTHONHASHSEED": "0"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
@pytest.mark.parametrize("name", RELEASES)
def test_a_real_package_behaves_as_before(name, tmp_path):
    try:
        folders = Release.parse(f"{name}=={RELEASES[name]}").fetch(CACHE)
    except UsageError as error:
        pytest.skip(f"the package index does not give {name}: {error}")
    expected = run(name, "plain", folders, tmp_path)
    assert run(name, "rewritten", folders, tmp_path) == expected
    assert run(name, "explored", folders, tmp_path) == expected
