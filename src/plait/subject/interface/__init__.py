"""The interface of a subject, found without calling any of it."""
