"""Services that are made when they are asked for the first time."""

from __future__ import annotations

import threading


class Service:
    """A named service that has to be started."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.started = False

    def start(self) -> None:
        """Ready for use."""
        self.started = True


class LazyRegistry:
    """Double-checked per name; reading takes no lock."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._services: dict[str, Service] = {}
        self._aliases: dict[str, list[str]] = {}
        self.made = 0

    def service(self, name: str) -> Service:
        """The service of that name, always the same one."""
        if name not in self._services:
            with self._lock:
                if name not in self._services:
                    service = Service(name)
                    service.start()
                    self._services[name] = service
                    self.made += 1
        return self._services[name]

    def is_started(self, name: str) -> bool:
        """Whether the service of that name is there and ready; KeyError if it was never asked for."""
        return self._services[name].started

    def aliases(self, name: str) -> tuple[str, ...]:
        """What else a service is called."""
        if name not in self._aliases:
            with self._lock:
                if name not in self._aliases:
                    self.made += 1
                    names = [name]
                    names.append(name.upper())
                    self._aliases[name] = names
        return tuple(self._aliases[name])
