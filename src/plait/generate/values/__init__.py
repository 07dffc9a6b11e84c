"""Argument values, as source text."""
