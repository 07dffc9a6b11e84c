"""One package per command. What runs in this process stands beside `worker`, which runs in another one."""
