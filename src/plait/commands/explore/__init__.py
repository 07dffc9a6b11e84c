"""`plait explore`: explores the schedules of an existing test."""
