"""A pooling data source; it enters and leaves the registry of all data sources under one lock."""

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
        with cls._lock:
            cls.instance_map.pop(key, None)


class PerUserPoolDataSource:
    """A pool of connections for each user."""

    _lock = InstanceRegistry._lock  # the registry's: one call may touch several instances

    def __init__(self) -> None:
        self.data_source: ConnectionPoolDataSource | None = None
        self.data_source_name: str | None = None
        self.instance_key: str | None = None
        self.get_connection_called = False
        self.jndi_environment: dict[str, str] = {}
        self.per_user: dict[tuple[str, str], object] = {}
        self.active: dict[str | None, int] = {}
        self.idle: dict[str | None, int] = {}

    def _assert_initialization_allowed(self) -> None:
        if self.get_connection_called:
            raise IllegalStateError("a connection was made already")

    def get_connection_pool_data_source(self) -> ConnectionPoolDataSource | None:
        with self._lock:
            return self.data_source

    def set_connection_pool_data_source(self, source: ConnectionPoolDataSource | None) -> None:
        with self._lock:
            self._assert_initialization_allowed()
            if self.data_source_name is not None:
                raise IllegalStateError("the data source name is set already")
            if self.data_source is not None:
                raise IllegalStateError("the data source is set already")
            self.data_source = source
            self.instance_key = InstanceRegistry.register_new_instance(self)

    def get_data_source_name(self) -> str | None:
        with self._lock:
            return self.data_source_name

    def set_data_source_name(self, name: str | None) -> None:
        with self._lock:
            self._assert_initialization_allowed()
            if self.data_source is not None:
                raise IllegalStateError("the data source is set already")
            if self.data_source_name is not None:
                raise IllegalStateError("the data source name is set already")
            self.data_source_name = name
            self.instance_key = InstanceRegistry.register_new_instance(self)

    def get_jndi_environment(self, key: str) -> str | None:
        with self._lock:
            return self.jndi_environment.get(key)

    def set_jndi_environment(self, key: str, value: str) -> None:
        with self._lock:
            self.jndi_environment[key] = value

    def get_reference(self) -> str:
        with self._lock:
            return f"PerUserPoolDataSource/{self.instance_key}"

    def is_wrapper_for(self, kind: str) -> bool:
        with self._lock:
            return kind == "PerUserPoolDataSource"

    def unwrap(self, kind: str) -> None:
        with self._lock:
            raise TypeError(f"wraps no {kind}")

    def _physical_connection(self, user: str | None) -> str:
        if self.data_source is None:
            raise IllegalStateError("no data source is set")
        self.get_connection_called = True
        return self.data_source.get_pooled_connection(user)

    def get_connection(self) -> str:
        with self._lock:
            return self.get_connection_for(None)

    def get_connection_for(self, user: str | None) -> str:
        with self._lock:
            connection = self._physical_connection(user)
            self.active[user] = self.active.get(user, 0) + 1
            return connection

    def return_connection_of(self, user: str | None) -> None:
        with self._lock:
            if self.active.get(user, 0) == 0:
                raise IllegalStateError("the user has no active connection")
            self.active[user] = self.active[user] - 1
            self.idle[user] = self.idle.get(user, 0) + 1

    def get_num_active(self) -> int:
        with self._lock:
            return self.active.get(None, 0)

    def get_num_active_of(self, user: str | None) -> int:
        with self._lock:
            return self.active.get(user, 0)

    def get_num_idle(self) -> int:
        with self._lock:
            return self.idle.get(None, 0)

    def get_num_idle_of(self, user: str | None) -> int:
        with self._lock:
            return self.idle.get(user, 0)

    def get_per_user_default_auto_commit(self, user: str) -> bool | None:
        with self._lock:
            return self.per_user.get((user, "default_auto_commit"))

    def set_per_user_default_auto_commit(self, user: str, value: bool) -> None:
        with self._lock:
            self._assert_initialization_allowed()
            self.per_user[user, "default_auto_commit"] = value

    def get_per_user_default_read_only(self, user: str) -> bool | None:
        with self._lock:
            return self.per_user.get((user, "default_read_only"))

    def set_per_user_default_read_only(self, user: str, value: bool) -> None:
        with self._lock:
            self._assert_initialization_allowed()
            self.per_user[user, "default_read_only"] = value

    def get_per_user_default_transaction_isolation(self, user: str) -> int | None:
        with self._lock:
            return self.per_user.get((user, "default_transaction_isolation"))

    def set_per_user_default_transaction_isolation(self, user: str, value: int) -> None:
        with self._lock:
            self._assert_initialization_allowed()
            self.per_user[user, "default_transaction_isolation"] = value

    def get_per_user_max_active(self, user: str) -> int | None:
        with self._lock:
            return self.per_user.get((user, "max_active"))

    def set_per_user_max_active(self, user: str, value: int) -> None:
        with self._lock:
            self._assert_initialization_allowed()
            self.per_user[user, "max_active"] = value

    def get_per_user_max_idle(self, user: str) -> int | None:
        with self._lock:
            return self.per_user.get((user, "max_idle"))

    def set_per_user_max_idle(self, user: str, value: int) -> None:
        with self._lock:
            self._assert_initialization_allowed()
            self.per_user[user, "max_idle"] = value

    def get_per_user_max_wait(self, user: str) -> int | None:
        with self._lock:
            return self.per_user.get((user, "max_wait"))

    def set_per_user_max_wait(self, user: str, value: int) -> None:
        with self._lock:
            self._assert_initialization_allowed()
            self.per_user[user, "max_wait"] = value

    def close(self) -> None:
        """Close the pools and leave the registry."""
        with self._lock:
            self.active.clear()
            self.idle.clear()
            if self.instance_key is not None:
                InstanceRegistry.remove_instance(self.instance_key)

    def __repr__(self) -> str:
        with self._lock:
            return f"PerUserPoolDataSource(key={self.instance_key}, name={self.data_source_name!r})"


# The settings of the data source: one independent field each, with a getter and a setter.
SETTINGS = {
    "default_auto_commit": True, "default_read_only": False, "default_transaction_isolation": -1, "description": "",
    "login_timeout": 0, "log_writer": "", "parent_logger": "", "test_on_borrow": False, "test_on_return": False,
    "test_while_idle": False, "time_between_eviction_runs_millis": -1, "num_tests_per_eviction_run": 3,
    "min_evictable_idle_time_millis": 1_800_000, "validation_query": "", "rollback_after_validation": False,
    "default_max_active": 8, "default_max_idle": 8, "default_max_wait": -1,
}  # fmt: skip


def attach_accessors(owner: type, field: str, default: object) -> None:
    """Give ``owner`` a plain field with its getter and setter."""

    def getter(self):
        with self._lock:
            return getattr(self, f"_{field}")

    def setter(self, value):
        with self._lock:
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
    attach_accessors(PerUserPoolDataSource, setting, setting_default)
