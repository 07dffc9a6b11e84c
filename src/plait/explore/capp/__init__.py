"""Change-aware preemption prioritisation (CAPP)."""
