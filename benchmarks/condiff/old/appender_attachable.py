"""C4: the list of appenders of a logger (Log4J 1.2.17, AppenderAttachableImpl, bug 54325).

The list is None or a vector whose every call holds the vector's own lock. As in the original, the readers hold no
lock over their sequence of vector calls, in neither version: only `remove_all_appenders` differs. So a reader that
overlaps it can fail in both versions. By what the calls give, only pairs of writers tell the versions apart:
`remove_all_appenders` with itself, with `remove_appender` and with `remove_appender_named`. The state at the exit of
a call also tells the other pairs apart: only the faulty version lets a call look into a half-removed list and return.

Holding the vector's lock in the readers of both versions would make their failures reveal the fault too, but it would
give the class a structure it never had.

One deviation: the correct version looks whether there is a list before it locks it, and again inside; the original
fails on a fresh object even when one thread is alone.
"""

import threading


class Appender:
    """Where log events go; closed once it is removed with all others."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.closed = False
        self.events: list[str] = []

    def do_append(self, event: str) -> None:
        """Take an event."""
        self.events.append(event)

    def close(self) -> None:
        """Give up what the appender holds."""
        self.closed = True


class SyncVector:
    """A growing array whose every call holds the vector's lock."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.data: list[Appender | None] = []
        self.count = 0

    def size(self) -> int:
        """How many elements there are."""
        with self.lock:
            return self.count

    def element_at(self, index: int) -> Appender:
        """The element, or IndexError."""
        with self.lock:
            if index < 0 or index >= self.count:
                raise IndexError(f"{index} is not below {self.count}")
            return self.data[index]

    def contains(self, element: Appender) -> bool:
        """Whether the element is in the vector."""
        with self.lock:
            return self.index_of(element) >= 0

    def index_of(self, element: Appender) -> int:
        """The first position of the element, or -1."""
        with self.lock:
            for index in range(self.count):
                if self.data[index] is element:
                    return index
            return -1

    def add_element(self, element: Appender) -> None:
        """Append an element."""
        with self.lock:
            count = self.count
            if count == len(self.data):
                self.data.append(element)
            else:
                self.data[count] = element
            self.count = count + 1

    def remove_element_at(self, index: int) -> None:
        """Remove the element at a position, or IndexError."""
        with self.lock:
            count = self.count
            if index < 0 or index >= count:
                raise IndexError(f"{index} is not below {count}")
            for position in range(index, count - 1):
                self.data[position] = self.data[position + 1]
            self.data[count - 1] = None
            self.count = count - 1

    def remove_element(self, element: Appender) -> bool:
        """Remove the first occurrence of the element; whether there was one."""
        with self.lock:
            index = self.index_of(element)
            if index < 0:
                return False
            self.remove_element_at(index)
            return True

    def remove_all_elements(self) -> None:
        """Empty the vector."""
        with self.lock:
            for index in range(self.count):
                self.data[index] = None
            self.count = 0


class AppenderAttachable:
    """Appenders that can be attached, found and removed."""

    def __init__(self) -> None:
        self.appender_list: SyncVector | None = None

    def add_appender(self, appender: Appender | None) -> None:
        """Attach an appender, unless it is None or attached already."""
        if appender is None:
            return
        if self.appender_list is None:
            self.appender_list = SyncVector()
        if not self.appender_list.contains(appender):
            self.appender_list.add_element(appender)

    def append_loop_on_appenders(self, event: str) -> int:
        """Give the event to every appender; how many there were."""
        size = 0
        if self.appender_list is not None:
            size = self.appender_list.size()
            for index in range(size):
                appender = self.appender_list.element_at(index)
                appender.do_append(event)
        return size

    def get_all_appenders(self) -> list[Appender] | None:
        """The attached appenders, or None."""
        if self.appender_list is None:
            return None
        found = []
        for index in range(self.appender_list.size()):
            found.append(self.appender_list.element_at(index))
        return found

    def get_appender(self, name: str | None) -> Appender | None:
        """The attached appender of that name, or None."""
        if self.appender_list is None or name is None:
            return None
        size = self.appender_list.size()
        for index in range(size):
            appender = self.appender_list.element_at(index)
            if appender.name == name:
                return appender
        return None

    def is_attached(self, appender: Appender | None) -> bool:
        """Whether the appender is attached."""
        if self.appender_list is None or appender is None:
            return False
        size = self.appender_list.size()
        for index in range(size):
            if self.appender_list.element_at(index) is appender:
                return True
        return False

    def remove_all_appenders(self) -> None:
        """Close and remove every appender."""
        vector = self.appender_list
        if vector is None:
            return
        with vector.lock:
            if self.appender_list is not None:
                size = self.appender_list.size()
                for index in range(size):
                    appender = self.appender_list.element_at(index)
                    appender.close()
                self.appender_list.remove_all_elements()
                self.appender_list = None

    def remove_appender(self, appender: Appender | None) -> None:
        """Remove one appender, if it is attached."""
        if appender is None or self.appender_list is None:
            return
        self.appender_list.remove_element(appender)

    def remove_appender_named(self, name: str | None) -> None:
        """Remove the first appender of that name, if there is one."""
        if name is None or self.appender_list is None:
            return
        size = self.appender_list.size()
        for index in range(size):
            if self.appender_list.element_at(index).name == name:
                self.appender_list.remove_element_at(index)
                break
