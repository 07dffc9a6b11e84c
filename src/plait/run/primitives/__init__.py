"""The mirror of the interpreter's thread primitives, one file each."""
