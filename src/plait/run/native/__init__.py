"""Runs on real OS threads: measurements, uncontrolled tests, helper processes, and what the kernel enforces on them."""
