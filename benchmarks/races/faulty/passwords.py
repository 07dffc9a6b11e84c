"""Ranked words, loaded when the first password is judged: the dictionary is visible while it is filled."""

_WORDS = {"common": ["password", "letmein", "qwerty"], "names": ["anna", "otto"]}
RANKED = None


def ranked_dictionaries():
    global RANKED
    if RANKED is None:
        RANKED = {}
        for name, words in _WORDS.items():
            RANKED[name] = {word: rank for rank, word in enumerate(words, 1)}
    return RANKED


def rank(word: str) -> int:
    return min((ranks.get(word, 10_000) for ranks in ranked_dictionaries().values()), default=0)
