"""`plait fix`: the smallest change that is proven to remove a finding."""
