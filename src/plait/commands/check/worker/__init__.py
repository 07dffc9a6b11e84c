"""The part of `plait check` that runs in worker processes."""
