"""Tests written by hand: run one, search its schedules, give the verdict."""
