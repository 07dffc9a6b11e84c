"""Virtual thread primitives, one file each: they behave as the interpreter's own, under the scheduler."""
