"""A whole package as source text: its modules, its public names, and what in it threads may share."""
