"""Smaller tests and schedules with fewer preemptions that still show a finding."""
