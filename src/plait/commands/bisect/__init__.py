"""`plait bisect`: the commit that brought a difference."""
