"""`plait perf`: which of two versions is faster."""
