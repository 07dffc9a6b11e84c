"""`plait replay`: a finding again, at once, step by step or in the debugger."""
