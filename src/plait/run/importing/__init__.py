"""How code under test is imported, mirrored, adopted and put back."""
