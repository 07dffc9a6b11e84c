"""Versions of the code under test: the worktree, a git revision, a folder, a release."""
