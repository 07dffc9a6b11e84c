"""Numbers written in an alphabet that can be changed for everybody, and is read once per number."""

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
    alphabet = _ALPHABET
    number = abs(number) + 9
    text = ""
    while number:
        number, digit = divmod(number, len(alphabet))
        text += alphabet[digit]
    return text
