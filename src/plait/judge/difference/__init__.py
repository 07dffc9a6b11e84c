"""Finds and explains behaviour that only one of two versions shows."""
