"""plait: is this class safe and fast when many threads use it?"""

__version__ = "0.1.0"
