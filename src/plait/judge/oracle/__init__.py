"""Thread safety: whether whole calls in some order could have done what was seen."""
