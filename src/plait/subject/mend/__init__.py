"""Changes to source text that may remove a concurrency fault: made from text and a finding, proven elsewhere."""
