"""Sessions by user, their boxes made on demand without a lock: `setdefault` decides who was first."""

from __future__ import annotations


class Box:
    """The messages of one user; appending is one step."""

    def __init__(self) -> None:
        self.messages: list[str] = []


class SessionStore:
    """Every user has one box."""

    def __init__(self) -> None:
        self._boxes: dict[str, Box] = {}
        self._tags: dict[str, list[str]] = {}
        self._first: dict[str, str] = {}

    def send(self, user: str, message: str) -> None:
        """Put a message into a user's box."""
        box = self._boxes.setdefault(user, Box())
        box.messages.append(message)

    def box(self, user: str) -> Box:
        """The user's box, always the same one."""
        return self._boxes.setdefault(user, Box())

    def tag(self, user: str, tag: str) -> None:
        """Remember a word about a user."""
        tags = self._tags.setdefault(user, [])
        tags.append(tag)

    def tags(self, user: str) -> int:
        """How many words there are about a user."""
        return len(self._tags.get(user, ()))

    def claim(self, resource: str, user: str) -> str:
        """Who came first for a resource, which is never changed again."""
        owner = self._first.setdefault(resource, user)
        return owner

    def messages(self, user: str) -> int:
        """How many messages a user has."""
        box = self._boxes.get(user)
        return 0 if box is None else len(box.messages)
