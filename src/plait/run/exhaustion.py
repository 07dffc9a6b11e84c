"""Whether this process has used up the memory that it may have."""

from __future__ import annotations

import sys
from pathlib import Path

if sys.platform != "win32":
    import resource

MOST = 0.5  # of the limit: what did not fit any more may have been large


def memory_is_exhausted() -> bool:
    """Tells a `MemoryError` for want of memory from one for asking too much at once, while it is being handled."""
    if sys.platform != "linux":
        return False
    limit, _ = resource.getrlimit(resource.RLIMIT_DATA)
    if limit == resource.RLIM_INFINITY:
        return False
    status = Path("/proc/self/status").read_text("ascii", "replace")
    data = next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmData:")), 0)
    return data * 1024 > limit * MOST
