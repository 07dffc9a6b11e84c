"""A metaclass that keeps the only instance in an attribute of the class."""


class SingleInstance(type):
    def __init__(cls, name, bases, members):
        cls._single = None
        super().__init__(name, bases, members)

    def __call__(cls, *args, **kwargs):
        if cls._single:
            return cls._single
        single = cls.__new__(cls)
        single.__init__(*args, **kwargs)
        cls._single = single
        return single


class Connections(metaclass=SingleInstance):
    def __init__(self):
        self._addresses = {"default": "localhost:1"}

    def add(self, alias: str, address: str) -> None:
        self._addresses[alias] = address

    def address(self, alias: str = "default") -> str:
        return self._addresses.get(alias, "")
