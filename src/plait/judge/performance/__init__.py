"""Which of two versions is faster."""
