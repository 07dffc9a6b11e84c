"""`plait audit`: checks every public class and function of a package."""
