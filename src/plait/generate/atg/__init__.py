"""Diversity-driven generation with active testing (S-, D- and SD-ATG)."""
