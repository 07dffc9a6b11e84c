"""`plait check`: thread-safety violations of a class."""
