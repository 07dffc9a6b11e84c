"""Waits for sockets, pipes and selectors as scheduling points.

A virtual thread that waited for one in C would stop all others. So it stands at a point instead, and is enabled as soon
as there is something for it. To send, to close and to shut down are points as well, and enable the threads that they
wake. An event loop in one thread that other threads wake is therefore explored like any other wait, as long as all ends
are in this process.

Someone outside of the process, or a thread that is not controlled, may answer as well. No schedule decides such a wait:
if nothing happens for long, the execution is left (`Engine.leave`). The caller of `virtual_waits` says whether to
expect it.

All these operations share one location. So two operations on different sockets count as dependent, which costs
schedules and loses none.
"""

from __future__ import annotations

import contextlib
import io
import os
import select
import selectors
import socket
import stat
import struct
import sys
import threading
from contextlib import ExitStack, contextmanager
from time import perf_counter
from time import sleep as real_sleep
from typing import TYPE_CHECKING, Any

from plait.run.asked import IDENTITY
from plait.run.c_classes import exchanged
from plait.run.endings import Killed
from plait.run.engine import ENGINE, access, blocking
from plait.run.fibers import OURS
from plait.run.foreign_time import asks_in_virtual_time
from plait.run.kept import kernel_text, numbers_in
from plait.run.operations import READ, TAKE, WRITE
from plait.run.primitives.site import place_of_primitive
from plait.run.quiet import quiet_block
from plait.run.vthread import BLOCKED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from plait.run.vthread import VThread

OUTSIDE = "it waits for something outside of its own threads"
GRACE = 0.005  # seconds that a packet may take from one socket of the process to another
PATIENCE = 60.0  # seconds that an answer from outside may take, at most
_WRAPPERS = ("selectors", "socket")  # modules that wait on behalf of their callers
_LOOPBACK = ("127.", "::1")
_TCP = ("/proc/net/tcp", "/proc/net/tcp6")
_DONT_WAIT, _WAIT_ALL, _PEEK = (getattr(socket, f"MSG_{name}", 0) for name in ("DONTWAIT", "WAITALL", "PEEK"))
_DESCRIPTORS = "/proc/self/fd"
_EVENTS = 0  # the kind of file that an eventfd is


class Ports:
    """The threads that wait for sockets and pipes, with what they wait for; one object per process, like the engine."""

    def __init__(self) -> None:
        self._waiting: list[tuple[VThread, Callable[[], bool]]] = []
        self.outsiders: Callable[[], bool] = bool
        self.asleep = False  # who is asked whether it can go on waits in the system already
        self.foreign = False  # a connection leads out of the process
        self.connected = False  # there are connections at all: an older thread of the process may serve them

    def wait(self, ready: Callable[[], bool], timeout: float | None, *, on: object = None) -> bool:
        """Return when it is the thread's turn and ``ready`` holds; False if the time is over first.

        ``on`` is what a report names, if the thread waits for no socket or pipe.
        """
        thread = ENGINE.current
        if thread is None:
            return self._wait_quietly(ENGINE.thread, ready, timeout, on)
        return self._wait_by(thread, ready, timeout, on)

    def _wait_by(self, thread: VThread, ready: Callable[[], bool], timeout: float | None, on: object) -> bool:
        e = ENGINE
        loc, site = e.heap.loc_of(self, "data"), place_of_primitive()
        thread.may_switch = True
        if timeout is not None and (timeout <= 0 or e.time.may_end_early(thread)):
            access(thread, loc, READ, site)
            thread.may_switch = True
            if ready():
                return True
            e.time.tick(thread, timeout, site)
            return False
        end = None if timeout is None else e.time.now + timeout
        entry = thread, ready
        self._waiting.append(entry)
        thread.blocked_on, thread.deadline = on or self, end
        try:
            blocking(thread, loc, TAKE, site, ready())
            while not thread.timed_out and not ready():
                thread.deadline = end
                e.block(thread, loc, TAKE, site)
        finally:
            thread.blocked_on = thread.deadline = None
            self._waiting.remove(entry)
        thread.may_switch = True
        if thread.timed_out:
            thread.timed_out = False
            return self._can_wake(ready)
        return True

    def _wait_quietly(self, thread: VThread, ready: Callable[[], bool], timeout: float | None, on: object) -> bool:
        while not ready():
            if timeout is not None and timeout <= 0:
                return False
            if thread.dying:
                raise Killed
            if timeout is not None:
                thread.deadline = ENGINE.time.now + timeout
            entry = thread, ready
            self._waiting.append(entry)
            try:
                began = quiet_block(ENGINE, thread)
            finally:
                self._waiting.remove(entry)
                left, thread.deadline = ENGINE.time.left(thread), None
            if began:
                return self._wait_by(thread, ready, left, on)
            if thread.timed_out:
                thread.timed_out = False
                return self._can_wake(ready)
        return True

    def _can_wake(self, ready: Callable[[], bool]) -> bool:
        """Return whether a thread that waits in the system is woken; to close what it waits for wakes nobody there."""
        self.asleep = True
        try:
            return ready()
        except (OSError, ValueError):  # closed: who asks for it anew is told so
            return False
        finally:
            self.asleep = False

    def act(self) -> None:
        """Pass a point before an operation that other threads may wait for."""
        thread = ENGINE.current
        if thread is not None:
            thread.may_switch = True
            access(thread, ENGINE.heap.loc_of(self, "data"), WRITE, place_of_primitive())
            thread.may_switch = True

    def settle(self) -> bool:
        """Enable the waiting threads that can continue now, and disable the others; return whether any can."""
        found = False
        for thread, ready in self._waiting:
            if self._can_wake(ready) if thread.state == BLOCKED else ready():
                ENGINE.enable(thread)
                found = True
            elif thread is not ENGINE.current and not thread.timed_out:
                ENGINE.disable(thread)
        return found

    def forget(self) -> None:
        """Forget threads that were left where they stood."""
        self._waiting.clear()

    def look_again(self) -> bool:
        """Return, when all threads wait, whether one can continue after all: C code and other threads act unseen."""
        if not self._waiting:
            return False
        if self.settle():
            return True
        if not (self.foreign or self.outsiders() or (self.connected and threads_outside())):
            if not self.connected:
                return False  # what is sent to a pipe or a pair of sockets has arrived at once
            real_sleep(GRACE)
            return self.settle()
        return self._wait_for_outsiders()

    def _wait_for_outsiders(self) -> bool:
        """Wait in real time, as long as the threads would wait; after that, leave the execution."""
        time = ENGINE.time
        ends = [thread.deadline for thread in time.sleepers() if thread.deadline is not None]
        patience = min([PATIENCE, *(end - time.now for end in ends)])
        began = perf_counter()
        while perf_counter() - began < patience:
            real_sleep(GRACE)
            if self.settle():
                return True
        if not ends:
            ENGINE.leave(OUTSIDE)
        return False


PORTS = Ports()


def threads_outside() -> bool:
    """Return whether the process has threads that are not under control, besides plait's own."""
    return bool(_uncontrolled())


def later_threads_outside() -> Callable[[], bool]:
    """Return a function that says whether threads that are not under control were started since this call.

    Older threads (of a test runner, a debugger, a library's pool) do not have the other end of a pipe that a test makes
    for itself. They may serve a connection; `Ports.look_again` takes care of that.
    """
    older = _uncontrolled()
    return lambda: not _uncontrolled() <= older


def _uncontrolled() -> set[threading.Thread]:
    return {
        thread
        for thread in threading.enumerate()
        if thread.ident not in OURS
        and not thread.name.startswith("plait ")
        and type(thread) is not threading._DummyThread
    }


@contextmanager
def virtual_waits(outsiders: Callable[[], bool]) -> Iterator[None]:
    """Turn waits for sockets, pipes and selectors into scheduling points until the block ends.

    When all threads wait, ``outsiders`` says whether anything but the threads under control may answer.
    """
    before = PORTS.outsiders, ENGINE.time.before_passing
    PORTS.outsiders, ENGINE.time.before_passing = outsiders, PORTS.look_again
    PORTS.foreign = PORTS.connected = False
    PORTS.forget()
    with ExitStack() as stack:
        for owner, name, new in _replacements():
            stack.enter_context(exchanged(owner, name, new))
        try:
            yield
        finally:
            PORTS.outsiders, ENGINE.time.before_passing = before


def _replacements() -> Iterator[tuple[Any, str, Callable[..., Any]]]:
    for name in ("recv_into", "recvfrom", "recvfrom_into", "recvmsg", "recvmsg_into", "_accept"):
        if hasattr(socket.socket, name):
            yield socket.socket, name, _receiving(getattr(socket.socket, name))
    yield socket.socket, "recv", _recv
    yield socket.socket, "send", _send
    for name in ("sendto", "sendmsg"):
        if hasattr(socket.socket, name):
            yield socket.socket, name, _sending(getattr(socket.socket, name))
    yield socket.socket, "sendall", _sendall
    for name in ("connect", "connect_ex"):
        yield socket.socket, name, _connecting(getattr(socket.socket, name))
    for name in ("close", "shutdown"):
        yield socket.socket, name, _acting(getattr(socket.socket, name))
    yield os, "read", _reading(os.read)
    yield os, "write", _writing(os.write)
    if hasattr(os, "eventfd_read"):
        yield os, "eventfd_read", _reading(os.eventfd_read)
        yield os, "eventfd_write", _changing(os.eventfd_write)
    for name in ("readinto", "read", "readall"):
        yield io.FileIO, name, _reading_file(getattr(io.FileIO, name))
    yield io.FileIO, "write", _writing_file(io.FileIO.write)
    yield select, "select", _selecting(select.select)
    yield selectors.SelectSelector, "_select", staticmethod(_selecting(select.select))
    if hasattr(select, "poll"):
        kind: Any = type(select.poll())
        yield kind, "poll", _polling(kind.poll)
    if hasattr(select, "epoll"):
        yield select.epoll, "poll", _epolling(select.epoll.poll)


def _here() -> bool:
    """Return whether the function that calls this was called in a virtual thread by code that uses virtual time."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__") in _WRAPPERS:
        frame = frame.f_back
    return frame is not None and asks_in_virtual_time(frame.f_globals)


if hasattr(select, "poll"):
    _READ, _WRITE = select.POLLIN, select.POLLOUT
    _POLL: Any = type(select.poll()).poll  # the real one
else:
    _READ, _WRITE = 1, 4
_SELECT = select.select


def _is_ready(number: int, event: int) -> bool:
    """Return whether a read or write of a descriptor would not wait (a closed one fails at once)."""
    if number < 0:
        return not PORTS.asleep
    if not hasattr(select, "poll"):
        return any(_SELECT([number] * (event == _READ), [number] * (event == _WRITE), (), 0))
    poll = select.poll()
    poll.register(number, event)
    found = _POLL(poll, 0)
    return bool(found) and not (PORTS.asleep and found[0][1] & select.POLLNVAL)


# -- sockets ----------------------------------------------------------------------------------------------------------


def _await(sock: socket.socket, event: int) -> None:
    """Wait as the socket would, and raise its time-out error when its time is over."""
    timeout = sock.gettimeout()
    number = sock.fileno()

    def ready() -> bool:
        return _is_ready(number, event) if sock.fileno() == number else not PORTS.asleep

    if not PORTS.wait(ready, timeout) and timeout:
        raise TimeoutError("timed out")


def _receiving(real: Callable[..., Any]) -> Callable[..., Any]:
    def receive(self: socket.socket, *args: Any, **named: Any) -> Any:
        if not _here():
            return real(self, *args, **named)
        return _received(self, real, *args, **named)

    return receive


def _received(sock: socket.socket, real: Callable[..., Any], *args: Any, **named: Any) -> Any:
    _await(sock, _READ)
    found = real(sock, *args, **named)
    if real.__name__ == "_accept":
        _note_peer(sock, found[1])
    PORTS.settle()  # what was full has room now, and what was read is no longer there for others
    return found


def _recv(self: socket.socket, size: int, flags: int = 0, /) -> bytes:
    """Wait for each part by itself, where the system would wait in C until all of them are there."""
    if not _here():
        return _RECV(self, size, flags)
    if not flags & _WAIT_ALL or flags & _PEEK:
        return _received(self, _RECV, size, flags)  # type: ignore[no-any-return]
    parts = bytearray()
    while len(parts) < size:
        part = _received(self, _RECV, size - len(parts), flags & ~_WAIT_ALL)
        parts += part
        if not part or self.gettimeout() == 0:
            break
    return bytes(parts)


_RECV = socket.socket.recv


def _sending(real: Callable[..., Any]) -> Callable[..., Any]:
    def send(self: socket.socket, *args: Any, **named: Any) -> Any:
        if not _here():
            return real(self, *args, **named)
        _await_room(self)
        done = real(self, *args, **named)
        PORTS.settle()
        return done

    return send


def _send(self: socket.socket, data: Any, flags: int = 0, /) -> int:
    """Send all parts of a message one by one, where the system would wait in C until there is room for all of it."""
    if not _here():
        return _SEND(self, data, flags)
    if self.gettimeout() is not None or self.type != socket.SOCK_STREAM:
        _await_room(self)
        sent = _SEND(self, data, flags)
        PORTS.settle()
        return sent
    return _send_parts(self, data, flags)


def _send_parts(sock: socket.socket, data: Any, flags: int) -> int:
    left = memoryview(data).cast("B")
    size = len(left)
    while len(left):
        _await_room(sock)
        sent = _SEND(sock, left, flags | _DONT_WAIT)
        left = left[sent:]
        PORTS.settle()
    return size


def _await_room(sock: socket.socket) -> None:
    if _is_ready(sock.fileno(), _WRITE):
        PORTS.act()
    else:
        _await(sock, _WRITE)


def _sendall(self: socket.socket, data: Any, flags: int = 0, /) -> None:
    if not _here():
        _SENDALL(self, data, flags)
        return
    _send_parts(self, data, flags)


_SENDALL, _SEND = socket.socket.sendall, socket.socket.send


def _connecting(real: Callable[..., Any]) -> Callable[..., Any]:
    def connect(self: socket.socket, address: Any, /) -> Any:
        if not _here():
            return real(self, address)
        PORTS.act()
        try:
            return real(self, address)
        finally:
            _note_peer(self, address)
            PORTS.settle()

    return connect


def _acting(real: Callable[..., Any]) -> Callable[..., Any]:
    def act(self: socket.socket, *args: Any) -> Any:
        if not _here():
            return real(self, *args)
        if self.fileno() >= 0:
            PORTS.act()
        try:
            return real(self, *args)
        finally:
            PORTS.settle()

    return act


def _note_peer(sock: socket.socket, address: Any) -> None:
    """Record a connection, and whether its other end is outside of this process."""
    if sock.family not in (socket.AF_INET, socket.AF_INET6) or sock.type != socket.SOCK_STREAM:
        return
    PORTS.connected = True
    host, port = str(address[0]), int(address[1])
    if not (host == "localhost" or host.startswith(_LOOPBACK)) or not _is_bound_here(port):
        PORTS.foreign = True


def _is_bound_here(port: int) -> bool:
    """Return whether a socket of this process has this port; False where the system does not say."""
    own = {about.st_ino for number in open_descriptors() if (about := _about(number)) is not None}
    wanted = struct.pack(">H", port).hex().upper()
    for table in _TCP:
        with contextlib.suppress(OSError):
            for words in map(str.split, kernel_text(table).splitlines()):
                if words[1].endswith(f":{wanted}") and int(words[9]) in own:
                    return True
    return False


def open_descriptors() -> list[int]:
    """Return the numbers of the descriptors that are open in this process; none where the system does not say."""
    return numbers_in(_DESCRIPTORS)


def _about(number: int) -> os.stat_result | None:
    try:
        return os.fstat(number)
    except OSError:
        return None


# -- pipes ------------------------------------------------------------------------------------------------------------


def _is_channel(number: int) -> bool:
    """Return whether a descriptor belongs to a pipe, a socket or an eventfd."""
    about = _about(number)
    return about is not None and stat.S_IFMT(about.st_mode) in (
        stat.S_IFIFO,
        stat.S_IFSOCK,
        0,
    )  # the last one: an eventfd


def _reading(real: Callable[..., Any]) -> Callable[..., Any]:
    def read(number: int, /, *size: int) -> Any:
        if not (_here() and _is_channel(number)):
            return real(number, *size)
        _await_content(number)
        found = real(number, *size)
        PORTS.settle()
        return found

    return read


def _await_content(number: int) -> None:
    if os.get_blocking(number):
        PORTS.wait(lambda: _is_ready(number, _READ), None)
    else:
        PORTS.act()


def _changing(real: Callable[..., Any]) -> Callable[..., Any]:
    def change(number: int, value: int, /) -> None:
        if not _here():
            real(number, value)
            return
        PORTS.act()
        real(number, value)
        PORTS.settle()

    return change


def _writing(real: Callable[..., int]) -> Callable[..., int]:
    def write(number: int, data: Any, /) -> int:
        if not (_here() and _is_channel(number)):
            return real(number, data)
        return _write_in_parts(number, data)

    return write


def _write_in_parts(number: int, data: Any) -> int:
    """Write as much as there is room for, again and again: to write all at once may wait in C."""
    if not os.get_blocking(number):
        PORTS.act()
        done = _WRITE_ALL(number, data)
        PORTS.settle()
        return done
    left = memoryview(data).cast("B")
    size = len(left)
    while True:
        if _is_ready(number, _WRITE):
            PORTS.act()
        else:
            PORTS.wait(lambda: _is_ready(number, _WRITE), None)
        left = left[_write_some(number, left) :]
        PORTS.settle()
        if not len(left):
            return size


_WRITE_ALL = os.write


def _write_some(number: int, data: memoryview) -> int:
    os.set_blocking(number, False)
    try:
        return _WRITE_ALL(number, data)
    except BlockingIOError:
        return 0
    finally:
        os.set_blocking(number, True)


def _reading_file(real: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of `io.FileIO`; buffers and text files call it while they hold a lock of their own in C."""

    def read(self: io.FileIO, *args: Any) -> Any:
        if _here() and not self.closed and _is_channel(self.fileno()):
            _need_os_threads()
            _await_content(self.fileno())
        return real(self, *args)

    return read


def _writing_file(real: Callable[..., Any]) -> Callable[..., Any]:
    def write(self: io.FileIO, data: Any, /) -> Any:
        if not _here() or self.closed or not _is_channel(self.fileno()):
            return real(self, data)
        _need_os_threads()
        return _write_in_parts(self.fileno(), data)

    return write


def _need_os_threads() -> None:
    """Leave the execution where all virtual threads are one OS thread: each would be the owner of the file's lock."""
    if ENGINE.current is not None and not ENGINE.on_os_threads:
        ENGINE.leave(IDENTITY)


# -- selectors --------------------------------------------------------------------------------------------------------


def _selecting(real: Callable[..., Any]) -> Callable[..., Any]:
    def chosen(readers: Any, writers: Any, others: Any, timeout: float | None = None, /) -> Any:
        if not _here() or (timeout is not None and timeout < 0):  # the real one complains
            return real(readers, writers, others, timeout)
        readers, writers, others = list(readers), list(writers), list(others)
        if not PORTS.wait(lambda: any(real(readers, writers, others, 0)), timeout):
            return [], [], []
        return real(readers, writers, others, 0)

    return chosen


def _polling(real: Callable[..., Any]) -> Callable[..., Any]:
    def poll(self: Any, timeout: float | None = None, /) -> Any:
        if not _here():
            return real(self, timeout)
        seconds = None if timeout is None or timeout < 0 else timeout / 1000
        PORTS.wait(lambda: bool(real(self, 0)), seconds)
        return real(self, 0)

    return poll


def _epolling(real: Callable[..., Any]) -> Callable[..., Any]:
    def poll(self: Any, timeout: float | None = None, maxevents: int = -1) -> Any:
        if not _here():
            return real(self, timeout, maxevents)
        seconds = None if timeout is None or timeout < 0 else timeout
        number = self.fileno()
        PORTS.wait(lambda: _is_ready(number, _READ), seconds)  # polling the epoll object itself may consume events
        return real(self, 0, maxevents)

    return poll
