"""Where the code under test comes from: the worktree, a git revision, a folder, a release."""
