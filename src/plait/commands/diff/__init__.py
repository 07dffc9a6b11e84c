"""`plait diff`: finds behaviour that only one of two versions of a class has."""
