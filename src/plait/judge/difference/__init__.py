"""What only one of two versions can do."""
