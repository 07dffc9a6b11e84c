"""`plait check`: finds thread-safety violations of a class."""
