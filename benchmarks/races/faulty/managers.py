"""A metaclass that keeps one instance per class, in a table that is asked and then filled."""


class Singleton(type):
    _instances = {}

    def __call__(cls, *args, **kwargs):
        if cls not in cls._instances:
            cls._instances[cls] = super().__call__(*args, **kwargs)
        return cls._instances[cls]


class Manager(metaclass=Singleton):
    def __init__(self):
        self.units = {}

    def set_unit(self, name: str, factor: int) -> None:
        self.units[name] = factor

    def unit(self, name: str) -> int:
        return self.units.get(name, 1)
