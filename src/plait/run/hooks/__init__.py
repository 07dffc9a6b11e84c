"""The hooks that rewritten code calls before each access to something that threads can share."""
