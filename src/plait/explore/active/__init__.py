"""Active testing: make two chosen accesses race."""
