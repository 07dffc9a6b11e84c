"""Decides which of two versions is faster."""
