"""Mends: edits of source text that may remove a fault. They are made from a finding; `plait fix` proves them."""
