"""A module that takes back what would end its process with plait's, and whose import does not end."""

import contextlib
import fcntl

for descriptor in range(3, 64):
    with contextlib.suppress(OSError):
        fcntl.fcntl(descriptor, fcntl.F_SETFL, 0)
while True:
    pass


class Immortal:
    def stay(self):
        pass
