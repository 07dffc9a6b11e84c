"""Real OS threads: measuring, plain runs, helper processes."""
