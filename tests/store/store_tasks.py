"""What workers do with a store."""

from pathlib import Path

from plait.store.database import Store


def look_up(folder, key):
    with Store(Path(folder), read_only=True) as store:
        return store.explored(key)


def write(folder):
    with Store(Path(folder), read_only=True) as store:
        store.remember("m:C", {"mine": {}})
        return ["nothing" if store.explored("mine") is None else "something"]
