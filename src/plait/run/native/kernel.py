"""The restrictions that the kernel enforces on a process with code under test, whatever objects that code can reach.

The layers, on Linux, from the outside in:

- **limits** on descriptors and on the size of files, and, in a user namespace, on threads (`setrlimit`); where memory
  runs out, the kernel ends this process first;
- **namespaces**, where the user may have some: a mount namespace in which everything but the process's own folder is
  read-only, with a shared memory (``/dev/shm``) of its own; a network namespace without any network; queues of its own;
- **capabilities** given up, where the user is root, and the right to gain any (``no_new_privs``);
- **Landlock**: writing below the process's own folder only, no device but the harmless ones (terminals have what is
  typed in them), no program is executed, no TCP, no signals to others, no look into other processes;
- **seccomp**: system calls that only reach outside are refused (`plait.run.native.seccomp`).

Each layer may be missing: an old kernel, a container that forbids it, another system. `confine` says which hold. They
cannot be taken back, and threads and processes that are started later have them too.

Nothing but the standard library, and nothing younger than Python 3.8: measuring processes get this file as text.
"""

# ruff: noqa: PTH112, PTH208 - also runs inside what is measured, where fewer imports are better

from __future__ import annotations

import ctypes
import os
import struct
import sys
from typing import TYPE_CHECKING, Any

from plait.run.native.seccomp import install_filter

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

LIMITS, NAMESPACES, CAPABILITIES, LANDLOCK, SECCOMP = "limits", "namespaces", "capabilities", "landlock", "seccomp"
LAYERS = (LIMITS, NAMESPACES, CAPABILITIES, LANDLOCK, SECCOMP)

_DESCRIPTORS = 4096
THREADS = 4000
"""Threads and processes that one confined process may have. Its parent ends it with half of them, and says so (see
`plait.run.native.process`): one that cannot start any more is of no use to plait either."""
PENDING = 1000
"""Signals and timers that wait to be delivered. The user has only so many for all of his processes."""
WATCHES = 32
"""Groups of watches on files (inotify), of which a user has 128 for all of his processes."""
DISK = 1 << 29
"""Bytes that a process may write: in its own folder if that can be limited, else to a single file."""

_CORE = 1 if sys.platform == "linux" else 0
"""The limit of core files. Linux gives a core to the program that `core_pattern` names even where no byte is allowed,
but for this number (see its ``do_coredump``)."""

_NOWHERE = ("/dev/null", "/dev/zero", "/dev/full")
_DEVICE_FOLDER = "dev"
_READABLE = (*_NOWHERE, "/dev/random", "/dev/urandom", "/dev/shm")  # noqa: S108
"""The files that can be read below `_DEVICE_FOLDER`: no terminals, disks, cameras, nor the kernel's log."""
_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - replaced by a private one, or not writable at all


class Confinement:
    """The result of `confine`: the layers ``in_force`` with what they cover, the ``missing`` ones with the reason."""

    def __init__(self) -> None:
        self.in_force: dict[str, str] = {}
        self.missing: dict[str, str] = {}

    def note(self, layer: str, trouble: str, covers: str = "") -> bool:
        """Record whether a layer is in force."""
        if trouble:
            self.missing[layer] = trouble
        else:
            self.in_force[layer] = covers
        return not trouble

    def as_json(self) -> dict[str, Any]:
        """Return plain data."""
        return {"in_force": self.in_force, "missing": self.missing}


def confine(
    folder: str, allow: Collection[str], *, disk: int | None = None, layers: Sequence[str] = LAYERS,
    also: Sequence[str] = (), trust: Sequence[str] = (),
) -> Confinement:  # fmt: skip
    """Confine this process to computing, and to what ``allow`` names; it can write files below ``folder`` only.

    ``disk`` makes the folder an empty one in memory, of so many bytes at most. Call it while there is a single thread.
    ``also`` are further folders to write to, where there is no mount namespace to keep them out; ``trust`` is for
    `filter_program`.
    """
    done = Confinement()
    if sys.platform != "linux":
        for layer in layers:
            done.note(layer, "no such thing on " + sys.platform)
        return done
    kernel = _Kernel()
    trust = [*trust]
    if LIMITS in layers:
        _die_first()
        done.note(LIMITS, _limit(allow), "descriptors, file size, no core files")
    threads = len(os.listdir("/proc/self/task")) > 1
    kernel.prctl(38, 1)  # PR_SET_NO_NEW_PRIVS: Landlock and seccomp want it of everybody but root
    if NAMESPACES in layers:
        covered = _Namespaces(kernel, folder, allow, disk)
        trouble = "the process has threads already" if threads else covered.enter()
        done.note(NAMESPACES, trouble, ", ".join(covered.made))
        trust += covered.enforced
        if covered.own_user and LIMITS in done.in_force and not _limit_threads():
            done.in_force[LIMITS] += ", threads"
    if CAPABILITIES in layers:
        done.note(CAPABILITIES, kernel.give_up_capabilities(allow))
    if LANDLOCK in layers:
        rules = _Landlock(kernel, allow)
        shared = [_SHARED_MEMORY] if "shared memory" in trust else []
        reach = ", this thread and those that it starts" if threads else ""
        held = done.note(LANDLOCK, rules.restrict([folder, *also, *shared]), "ABI " + str(rules.abi) + reach)
        trust += ["paths"] if held and rules.abi >= 3 and not threads else []
    if SECCOMP in layers:
        done.note(SECCOMP, install_filter(allow, trust))
    return done


def kernel_source() -> str:
    """Return the source of this file and of the one it needs, for an interpreter without plait: `confine` is in it."""
    import inspect  # noqa: PLC0415 - for parents, not for what is confined

    from plait.run.native import seccomp  # noqa: PLC0415

    start = "from __future__ import annotations\n"
    parts = [inspect.getsource(each).partition(start)[2] for each in (seccomp, sys.modules[__name__])]
    return start + "".join(parts).replace("from plait.run.native.seccomp import install_filter\n", "")


def conceal() -> None:
    """Keep other processes of the user from reading this one's memory and environment (``PR_SET_DUMPABLE``)."""
    if sys.platform == "linux":
        _Kernel().prctl(4, 0)


def die_with(parent: int) -> None:
    """Let the kernel end this process as soon as its parent, ``parent``, has ended (``PR_SET_PDEATHSIG``)."""
    if sys.platform == "linux":
        _Kernel().prctl(1, 9)
        if os.getppid() != parent:  # it has ended meanwhile
            os._exit(1)


def _die_first() -> None:
    """Let the kernel end this process before others when the machine's memory is used up."""
    try:
        file = os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        os.write(file, b"1000")
    except OSError:
        pass
    finally:
        os.close(file)


def forbid_cores() -> None:
    """Prevent a crash of this process from writing its memory to a file, or passing it to a program."""
    import resource  # noqa: PLC0415 - not on every system

    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    most = _CORE if hard == resource.RLIM_INFINITY else min(_CORE, hard)
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))


def _limit(allow: Collection[str]) -> str:
    import resource  # noqa: PLC0415 - not on every system

    # Who may run before all others (real time), may keep everybody else from running.
    wanted = [(resource.RLIMIT_NOFILE, _DESCRIPTORS), (resource.RLIMIT_RTPRIO, 0), (resource.RLIMIT_NICE, 0)]
    wanted.append((resource.RLIMIT_SIGPENDING, PENDING))
    if "write" not in allow:
        wanted.append((resource.RLIMIT_FSIZE, DISK))
    try:
        forbid_cores()
        for kind, most in wanted:
            soft, hard = ((most if each == resource.RLIM_INFINITY else each) for each in resource.getrlimit(kind))
            least = min(soft, hard, most)
            resource.setrlimit(kind, (least, least))
    except (ValueError, OSError) as error:
        return str(error)
    return ""


def _limit_threads() -> str:
    """Limit threads and processes. Elsewhere all processes of the user would count, and root is never refused any."""
    import resource  # noqa: PLC0415 - not on every system

    try:
        resource.setrlimit(resource.RLIMIT_NPROC, (THREADS, THREADS))
    except (ValueError, OSError) as error:
        return str(error)
    return ""


class _Kernel:
    """System calls that Python has no function for. Each returns what went wrong, as text."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)

    def call(self, number: int, *arguments: Any) -> int:
        """Make a system call whose number is the same on all machines; negative: the error."""
        given = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
        result = int(self._libc.syscall(ctypes.c_long(number), *given))
        return result if result >= 0 else -ctypes.get_errno()

    def prctl(self, what: int, value: int) -> str:
        nothing = ctypes.c_ulong(0)
        return self._said(self._libc.prctl(what, ctypes.c_ulong(value), nothing, nothing, nothing))

    def unshare(self, flags: int) -> str:
        return self._said(self._libc.unshare(flags))

    def mount(self, source: str, target: str, kind: str, flags: int, options: str = "") -> str:
        texts = [each.encode() for each in (source, target, kind, options)]
        return self._said(self._libc.mount(texts[0], texts[1], texts[2], ctypes.c_ulong(flags), texts[3]))

    def set_writable(self, target: str, *, writable: bool, below: bool) -> str:
        """Make a mount, and those ``below`` it, writable or read-only (``mount_setattr``, Linux 5.12)."""
        attributes = struct.pack("=QQQQ", 0 if writable else 1, 1 if writable else 0, 0, 0)
        done = self.call(442, -100, target.encode(), 0x8000 if below else 0, attributes, len(attributes))
        return "" if done == 0 else "mount_setattr: " + os.strerror(-done)

    def give_up_capabilities(self, allow: Collection[str]) -> str:
        """Keep only the capabilities for files, which other layers restrict, and those that ``allow`` needs."""
        kept = {0, 1, 2, 3, 4}  # CHOWN, DAC_OVERRIDE, DAC_READ_SEARCH, FOWNER, FSETID
        kept |= {10, 11, 13} if "network" in allow else set()  # NET_BIND_SERVICE, NET_BROADCAST, NET_RAW
        kept |= {5, 6, 7} if "subprocess" in allow else set()  # KILL, SETGID, SETUID
        kept |= {27} if "write" in allow else set()  # MKNOD
        mask = sum(1 << each for each in kept)
        head = struct.pack("=Ii", 0x20080522, 0)
        found = ctypes.create_string_buffer(24)
        if self._libc.capget(head, found):
            return "capget: " + os.strerror(ctypes.get_errno())
        low, high = struct.unpack("=IIIIII", found.raw)[1::3]
        left = (low | high << 32) & mask
        halves = (left & 0xFFFFFFFF, left >> 32)
        sets = struct.pack("=IIIIII", halves[0], halves[0], 0, halves[1], halves[1], 0)
        self.prctl(47, 4)  # PR_CAP_AMBIENT_CLEAR_ALL
        return self._said(self._libc.capset(head, sets))

    @staticmethod
    def _said(result: int) -> str:
        return "" if result == 0 else os.strerror(ctypes.get_errno())


_NEW_MOUNTS, _NEW_QUEUES, _NEW_USERS, _NEW_NETWORK = 0x20000, 0x8000000, 0x10000000, 0x40000000
_PRIVATE, _BIND, _NO_DEVICES = 0x4000 | 0x40000, 0x1000, 0x2 | 0x4  # MS_REC|MS_PRIVATE, MS_BIND, MS_NOSUID|MS_NODEV


class _Namespaces:
    """The namespaces of one process: what was ``made``, and what is ``enforced`` by path since."""

    def __init__(self, kernel: _Kernel, folder: str, allow: Collection[str], disk: int | None) -> None:
        self.made: list[str] = []
        self.enforced: list[str] = []
        self.own_user = False
        self._kernel = kernel
        self._folder = folder
        self._disk = disk
        self._mounts = 0 if "write" in allow else _NEW_MOUNTS | _NEW_QUEUES
        self._network = 0 if "network" in allow else _NEW_NETWORK

    def enter(self) -> str:
        """Enter the namespaces; return the reason if that is not possible."""
        wanted = self._mounts | self._network
        if not wanted:
            return ""
        trouble = self._kernel.unshare(wanted)
        if trouble:
            # An ordinary user needs a user namespace around the others. On some systems it can be entered but gives no
            # rights, and it cannot be left again. So a child process tries it first.
            if not _in_child(lambda: not (self._become_user(wanted & _NEW_MOUNTS) or self._remount())):
                return trouble
            trouble = self._become_user(wanted)
            if trouble:
                return trouble
            self.own_user = True
            self._limit_watches()
        self.made += ["network"] if self._network else []
        if self._mounts:
            self.made.append("queues")
            self.enforced.append("queues")
            if not self._remount():
                self.made.append("mounts")
                self.enforced.append("attributes")
                self._make_shared_memory()
        return ""

    def _become_user(self, flags: int) -> str:
        """Enter a user namespace that maps this user and group only."""
        user, group = os.geteuid(), os.getegid()
        trouble = self._kernel.unshare(_NEW_USERS | flags)
        if trouble:
            return trouble
        try:
            own = {"setgroups": "deny", "uid_map": f"{user} {user} 1", "gid_map": f"{group} {group} 1"}
            for name, text in own.items():
                file = os.open("/proc/self/" + name, os.O_WRONLY | os.O_CLOEXEC)
                try:
                    os.write(file, text.encode())
                finally:
                    os.close(file)
        except OSError as error:
            return str(error.strerror)
        return ""

    def _limit_watches(self) -> None:
        """Limit them for the processes of this user namespace; there is no such limit for one process."""
        try:
            file = os.open("/proc/sys/user/max_inotify_instances", os.O_WRONLY | os.O_CLOEXEC)
        except OSError:  # older kernels have no such limit
            return
        try:
            os.write(file, str(WATCHES).encode())
            self.made.append("watches")
            self.enforced.append("watches")
        except OSError:
            pass
        finally:
            os.close(file)

    def _remount(self) -> str:
        """Make everything read-only but the process's own folder."""
        if not self._mounts:
            return ""
        trouble = self._kernel.mount("", "/", "", _PRIVATE)
        trouble = trouble or self._kernel.set_writable("/", writable=False, below=True)
        return trouble or self._make_own_folder()

    def _make_own_folder(self) -> str:
        """Make the process's own folder writable again: mount a new one in memory, or the same one again."""
        kernel, folder = self._kernel, self._folder
        if self._disk is not None:
            options = "size=" + str(self._disk) + ",nr_inodes=100000,mode=700"
            trouble = kernel.mount("plait", folder, "tmpfs", _NO_DEVICES, options)
        else:
            trouble = kernel.mount(folder, folder, "", _BIND) or kernel.set_writable(folder, writable=True, below=False)
        if not trouble:
            os.chdir(folder)
        return trouble

    def _make_shared_memory(self) -> None:
        if os.path.isdir(_SHARED_MEMORY) and not self._kernel.mount(
            "plait", _SHARED_MEMORY, "tmpfs", _NO_DEVICES, "size=64m,mode=1777"
        ):
            self.made.append("shared memory")
            self.enforced.append("shared memory")


def _in_child(act: Any) -> bool:
    """Return whether a function succeeds when it is called in a child process."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if act() else 1)
        finally:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


_EXECUTE, _WRITE, _READ, _TRUNCATE, _IOCTL = 1 << 0, 1 << 1, 1 << 2, 1 << 14, 1 << 15
_MAKE_DEVICES = 1 << 6 | 1 << 11
_CHANGES = _WRITE | 0b1_1111_1111 << 4  # writing to files; removing and making everything that there is
_SINCE = ((2, 1 << 13), (3, _TRUNCATE), (5, _IOCTL))  # moving between folders, cutting files, ioctl of devices


def _top() -> list[str]:
    """Return the folders below the root, except the devices; nothing if the root cannot be listed."""
    try:
        return ["/" + name for name in os.listdir("/") if name != _DEVICE_FOLDER]
    except OSError:
        return []


class _Landlock:
    """A set of rules, and its installation. Everything that Landlock handles and no rule allows is forbidden."""

    def __init__(self, kernel: _Kernel, allow: Collection[str]) -> None:
        self._kernel = kernel
        self.abi = max(0, kernel.call(444, None, 0, 1))
        self._changes = 0
        if "write" not in allow:
            self._changes = _CHANGES | sum(right for since, right in _SINCE if self.abi >= since)
        self._places = _top() if "write" not in allow else []
        self._handled = self._changes | (0 if "subprocess" in allow else _EXECUTE) | (_READ if self._places else 0)
        self._network = 0 if "network" in allow or self.abi < 4 else 0b11  # binding and connecting, TCP
        self._scopes = 0
        if self.abi >= 6:  # abstract sockets, signals: only among processes that have these rules
            self._scopes = (0 if "network" in allow else 1) | (0 if "subprocess" in allow else 2)

    def restrict(self, folders: Sequence[str]) -> str:
        """Install the rules; return the reason if that is not possible."""
        if not self.abi:
            return "this kernel has none, or it is switched off"
        numbers = (self._handled, self._network, self._scopes)
        given = numbers[: 3 if self.abi >= 6 else 2 if self.abi >= 4 else 1]
        if not any(given):
            return "everything that it could forbid is allowed"
        packed = struct.pack("=" + "Q" * len(given), *given)
        rules = self._kernel.call(444, packed, len(packed), 0)
        if rules < 0:
            return os.strerror(-rules)
        try:
            if self._changes:
                for each in folders:
                    self._permit(rules, each, self._changes & ~_MAKE_DEVICES)
                for each in _NOWHERE:
                    self._permit(rules, each, self._changes & (_WRITE | _TRUNCATE | _IOCTL))
            for each in self._places and [*self._places, *_READABLE, *folders]:
                self._permit(rules, each, _READ)
            # Since ABI 7, the kernel logs refusals unless a flag says that they are expected.
            done = self._kernel.call(446, rules, 0b101 if self.abi >= 7 else 0)
        except OSError as error:
            return str(error)
        finally:
            os.close(rules)
        return "" if done == 0 else os.strerror(-done)

    def _permit(self, rules: int, path: str, rights: int) -> None:
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:  # it is not there, or not for this user: nothing to permit
            return
        try:
            done = self._kernel.call(445, rules, 1, struct.pack("=Qi", rights, place), 0)
        finally:
            os.close(place)
        if done < 0:
            raise OSError(-done, os.strerror(-done), path)
