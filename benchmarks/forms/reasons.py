"""Where a model and real threads are known to differ, and why. Whoever removes a difference removes its line."""

# Real threads tear the form, the model does not: a finding is missed there (docs/limits.md).
MISSED = {
    "exec code": "a code object has no text that could be rewritten: only text that is given to eval and exec is",
}

# The model tears the form, real threads never did in a million tries.
NEVER_SEEN = {
    "list choice": (
        "random.choice is Python code that is not rewritten: one step. A GIL build may switch anywhere inside of it;"
        " that nothing is left to do there behind its last read is not known"
    ),
}
