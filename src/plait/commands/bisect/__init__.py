"""`plait bisect`: finds the commit that introduced a difference."""
