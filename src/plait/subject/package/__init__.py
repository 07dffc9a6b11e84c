"""A whole package as source text: its modules, its public names, and the state that its threads may share."""
