"""What worker processes do for `plait check`."""
