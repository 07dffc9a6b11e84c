"""`plait review`: every class that a change touches."""
