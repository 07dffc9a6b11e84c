"""Processes that run code under test: `pool` is the parent's side, `boot` the worker's."""
