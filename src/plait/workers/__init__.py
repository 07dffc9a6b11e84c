"""Processes that run code under test: the pool on this side, the set-up on the other one."""
