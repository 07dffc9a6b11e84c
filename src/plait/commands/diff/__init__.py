"""`plait diff`: what only one of two versions can do."""
