"""The one cache of a project (`.plait/`): its database, its keys, and what commands keep in it."""
