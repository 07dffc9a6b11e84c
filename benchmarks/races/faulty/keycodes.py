"""Named key codes: the list of names is made by walking over a table that others extend."""

_codes = {"KEY_UP": 259, "KEY_DOWN": 258}


def define(name: str, code: int) -> None:
    _codes[f"KEY_{name.upper()}"] = code


def names() -> dict:
    return {code: name for name, code in _codes.items() if name.startswith("KEY_")}


def lookup(code: int) -> str:
    return names().get(code, "unknown")
