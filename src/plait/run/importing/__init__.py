"""Import of code under test: rewritten, over mirrored modules, and with its state restored after each execution."""
