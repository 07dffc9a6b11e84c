"""One package per command. Modules named `worker` run in worker processes, everything else runs in this one."""
