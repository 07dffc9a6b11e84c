"""What can be called on a subject, found out without calling it."""
