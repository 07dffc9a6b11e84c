"""Tests written by hand: run one, search its schedules, say what came of it."""
