"""A pooling data source that leaves the registry of all data sources without the lock that entering it takes."""

from __future__ import annotations

from threading import RLock
from typing import ClassVar


class IllegalStateError(Exception):
    """A setting was made too late or twice: a legal outcome."""


class ConnectionPoolDataSource:
    """Where physical connections come from."""

    def __init__(self, url: str = "memory") -> None:
        self.url = url

    def get_pooled_connection(self, user: str | None) -> str:
        return f"{self.url}/{user}"


class InstanceRegistry:
    """All data sources of the process by their keys, which are numbers written as text."""

    _lock = RLock()
    instance_map: ClassVar[dict[str, object]] = {}

    @classmethod
    def register_new_instance(cls, source: object) -> str:
        with cls._lock:
            highest = 0
            for key in cls.instance_map:
                highest = max(highest, int(key))
            new_key = str(highest + 1)
            cls.instance_map[new_key] = source
            return new_key

    @classmethod
    def remove_instance(cls, key: str) -> None:
        cls.instance_map.pop(key, None)


class SharedPoolDataSource:
    """One pool of connections for all users."""

    def __init__(self) -> None:
        self.data_source: ConnectionPoolDataSource | None = None
        self.data_source_name: str | None = None
        self.instance_key: str | None = None
        self.get_connection_called = False
        self.jndi_environment: dict[str, str] = {}
        self.active: tuple[str, ...] = ()
        self.idle: tuple[str, ...] = ()

    def _assert_initialization_allowed(self) -> None:
        if self.get_connection_called:
            raise IllegalStateError("a connection was made already")

    def get_connection_pool_data_source(self) -> ConnectionPoolDataSource | None:
        return self.data_source

    def set_connection_pool_data_source(self, source: ConnectionPoolDataSource | None) -> None:
        self._assert_initialization_allowed()
        if self.data_source_name is not None:
            raise IllegalStateError("the data source name is set already")
        if self.data_source is not None:
            raise IllegalStateError("the data source is set already")
        self.data_source = source
        self.instance_key = InstanceRegistry.register_new_instance(self)

    def get_data_source_name(self) -> str | None:
        return self.data_source_name

    def set_data_source_name(self, name: str | None) -> None:
        self._assert_initialization_allowed()
        if self.data_source is not None:
            raise IllegalStateError("the data source is set already")
        if self.data_source_name is not None:
            raise IllegalStateError("the data source name is set already")
        self.data_source_name = name
        self.instance_key = InstanceRegistry.register_new_instance(self)

    def get_jndi_environment(self, key: str) -> str | None:
        return self.jndi_environment.get(key)

    def set_jndi_environment(self, key: str, value: str) -> None:
        self.jndi_environment[key] = value

    def get_reference(self) -> str:
        return f"SharedPoolDataSource/{self.instance_key}"

    def is_wrapper_for(self, kind: str) -> bool:
        return kind == "SharedPoolDataSource"

    def unwrap(self, kind: str) -> None:
        raise TypeError(f"wraps no {kind}")

    def _physical_connection(self, user: str | None) -> str:
        if self.data_source is None:
            raise IllegalStateError("no data source is set")
        self.get_connection_called = True
        return self.data_source.get_pooled_connection(user)

    def get_connection(self) -> str:
        return self.get_connection_for(None)

    def get_connection_for(self, user: str | None) -> str:
        if self.idle:
            connection, *rest = self.idle
            self.idle = tuple(rest)
        else:
            connection = self._physical_connection(user)
        self.active = (*self.active, connection)
        return connection

    def return_connection(self, connection: str) -> None:
        if connection not in self.active:
            raise IllegalStateError("not an active connection")
        position = self.active.index(connection)
        self.active = self.active[:position] + self.active[position + 1 :]
        self.idle = (*self.idle, connection)

    def get_num_active(self) -> int:
        return len(self.active)

    def get_num_idle(self) -> int:
        return len(self.idle)

    def close(self) -> None:
        """Close the pool and leave the registry."""
        self.active = ()
        self.idle = ()
        if self.instance_key is not None:
            InstanceRegistry.remove_instance(self.instance_key)

    def __repr__(self) -> str:
        return f"SharedPoolDataSource(key={self.instance_key}, name={self.data_source_name!r})"


# The settings of the data source: one independent field each, with a getter and a setter.
SETTINGS = {
    "default_auto_commit": True, "default_read_only": False, "default_transaction_isolation": -1, "description": "",
    "login_timeout": 0, "log_writer": "", "parent_logger": "", "test_on_borrow": False, "test_on_return": False,
    "test_while_idle": False, "time_between_eviction_runs_millis": -1, "num_tests_per_eviction_run": 3,
    "min_evictable_idle_time_millis": 1_800_000, "validation_query": "", "rollback_after_validation": False,
    "max_active": 8, "max_idle": 8, "max_wait": -1,
}  # fmt: skip


def attach_accessors(owner: type, field: str, default: object) -> None:
    """Give ``owner`` a plain field with its getter and setter."""

    def getter(self):
        return getattr(self, f"_{field}")

    def setter(self, value):
        setattr(self, f"_{field}", value)

    kind = type(default)
    getter.__annotations__ = {"return": kind}
    setter.__annotations__ = {"value": kind, "return": None}
    setattr(owner, f"_{field}", default)
    for name, function in ((f"{'is' if kind is bool else 'get'}_{field}", getter), (f"set_{field}", setter)):
        function.__name__ = name
        function.__qualname__ = f"{owner.__qualname__}.{name}"
        setattr(owner, name, function)


for setting, setting_default in SETTINGS.items():
    attach_accessors(SharedPoolDataSource, setting, setting_default)
