"""The public names: they stay from release to release, and `plait` re-exports them.

Everything else in this package is private, whatever its name: modules move and names change without notice. Also public
are the command line with its exit codes and result files, the options and markers of the pytest plugin, and two modules
that generated files import: `plait.reproduce`, and `plait.generate.callables` with the stand-ins.
"""

from plait.errors import PlaitBugError, UsageError
from plait.explore.active.force import Forced, force
from plait.generate.callables import Listener, Partner, Recorder, Standin, Thing, fresh, implemented
from plait.judge.handwritten.verdict import Verdict
from plait.scenario import InterleavingError, ReplayLostError, explore_threads, raise_for_failure

__all__ = [
    "Forced", "InterleavingError", "Listener", "Partner", "PlaitBugError", "Recorder", "ReplayLostError", "Standin",
    "Thing", "UsageError", "Verdict", "explore_threads", "force", "fresh", "implemented", "raise_for_failure",
]  # fmt: skip
