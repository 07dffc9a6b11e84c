"""`make demo` shows what it says, in seconds."""

import subprocess
import sys
from pathlib import Path

DEMO = Path(__file__).parent.parent.parent / "benchmarks" / "demo.py"


def test_the_demo_tells_the_two_versions_apart():
    done = subprocess.run([sys.executable, DEMO], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    before, after = done.stdout.split("After the change:")
    assert "Pass." in before
    assert "the balance is -8" in after
    assert "27 if self.balance >= amount:" in after
    assert "Can happen today" in after
    assert done.stderr == ""
