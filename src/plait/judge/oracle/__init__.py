"""The thread-safety oracle: whether whole calls in some order could have done what an execution did."""
