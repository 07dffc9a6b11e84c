"""`plait audit`: every public class and function of a package."""
