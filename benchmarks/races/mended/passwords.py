"""Ranked words, loaded when the first password is judged: the dictionary is published when it is complete."""

import threading

_WORDS = {"common": ["password", "letmein", "qwerty"], "names": ["anna", "otto"]}
RANKED = None
_lock = threading.Lock()


def ranked_dictionaries():
    global RANKED
    with _lock:
        if RANKED is None:
            RANKED = {name: {word: rank for rank, word in enumerate(words, 1)} for name, words in _WORDS.items()}
        return RANKED


def rank(word: str) -> int:
    return min((ranks.get(word, 10_000) for ranks in ranked_dictionaries().values()), default=0)
