"""What rewritten code calls before it touches anything that threads can share."""
