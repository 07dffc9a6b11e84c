"""A registry of checks in class attributes; what other packages bring along is loaded once, says a flag."""


class CheckRegistry:
    _checks = {}
    _loaded = False

    @classmethod
    def register(cls, name: str, weight: int = 1) -> None:
        if name in cls._checks:
            raise ValueError(f"{name} is registered already")
        cls._checks[name] = weight

    @classmethod
    def load_entry_points(cls) -> int:
        if cls._loaded:
            return 0
        for name in ("links", "titles"):
            cls.register(f"plugin:{name}")
        cls._loaded = True
        return 2

    @classmethod
    def names(cls) -> list:
        return sorted(cls._checks)
