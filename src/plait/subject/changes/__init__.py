"""What differs between two versions: methods, statements, locks, impacted code points."""
