"""`plait explore`: the schedules of an existing test."""
