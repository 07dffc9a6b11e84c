"""Numbers written in an alphabet that can be changed for everybody, and is read twice."""

_ALPHABET = "0123456789"


def set_alphabet(alphabet: str) -> None:
    global _ALPHABET
    letters = "".join(sorted(set(alphabet)))
    if len(letters) < 2:
        raise ValueError("an alphabet has two letters or more")
    _ALPHABET = letters


def get_alphabet() -> str:
    return _ALPHABET


def encode(number: int) -> str:
    number = abs(number) + 9
    text = ""
    while number:
        number, digit = divmod(number, len(_ALPHABET))
        text += _ALPHABET[digit]
    return text
