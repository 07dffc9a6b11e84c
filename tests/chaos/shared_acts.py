"""More acts, in the form of `hostile_acts`: on what a whole machine or user shares, and through corners of libraries.

What fails for want of a file system, a module or a newer Python counts as refused.
"""

_WITHOUT = "except OSError as error:\n    assert error.errno in (14, 19, 22, 25, 65, 93, 94, 95, 97), error"
"""The errors of a kernel that was ready to do it, had the file, the device or the arguments made sense."""


def _control(number, what="file"):
    """Ask the file system to do something to what is open for reading only."""
    return f"import fcntl\ntry:\n    fcntl.ioctl(os.open({what}, os.O_RDONLY), {number}, bytes(256))\n{_WITHOUT}"


def _asked_of_a_socket(number):
    """Ask a socket for something that the kernel loads a module for."""
    return f"import fcntl, socket\ns = socket.socket()\ntry:\n    fcntl.ioctl(s, {number}, bytes(64))\n{_WITHOUT}"


FILES = {
    "climbed to": "open('../' * 60 + new[1:], 'w').close()",
    "from the root folder": "os.chdir('/')\nopen(new[1:], 'w').close()",
    "by the path of an open folder": "open(f'/proc/self/fd/{os.open(here, os.O_RDONLY)}/new', 'w').close()",
    "removed below a path descriptor": "os.remove('file', dir_fd=os.open(here, os.O_PATH))",
    "made below a path descriptor": "os.mkdir('new', dir_fd=os.open(here, os.O_PATH))",
    "folder put in its place": "os.remove(file)\nos.mkdir('mine')\nos.replace('mine', here)",
    "name in bytes": "os.mkdir(os.fsencode(new))",
    "name that is no text": "os.close(os.open(os.fsencode(here) + b'/\\xff', os.O_CREAT | os.O_WRONLY))",
    "linked by a path": "import pathlib\npathlib.Path(new).hardlink_to(file)",
    "attribute removed": "os.setxattr(file, 'user.a', b'x')\nos.removexattr(file, 'user.a')",
    "mapped for writing": (
        "import mmap\nm = mmap.mmap(os.open(file, os.O_RDONLY), 8, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)\n"
        "m[0] = 120"
    ),
    "socket below an open folder": (
        "import socket\nf = os.open(here, os.O_RDONLY)\nsocket.socket(socket.AF_UNIX).bind(f'/proc/self/fd/{f}/new')"
    ),
    "temporary folder of sqlite": (
        "import sqlite3\nc = sqlite3.connect('mine.db')\nc.execute(f\"pragma temp_store_directory = '{here}'\")\n"
        "c.execute('pragma temp_store = 1')\nc.execute('pragma cache_size = 1')\nc.execute('create temp table t (x)')\n"
        "c.executemany('insert into t values (?)', [('x' * 9000,)] * 2000)"
    ),
    "moved by a thread into it": (
        "import threading, shutil\nopen('mine', 'w').close()\n"
        "t = threading.Thread(target=shutil.move, args=('mine', here))\nt.start()\nt.join()"
    ),
    "kept by a context": (
        "import contextvars\nc = contextvars.copy_context()\nc.run(os.mkfifo, new)"
    ),
    "in a comparison while sorting": (
        "class K:\n    def __lt__(self, other):\n        os.mkfifo(new)\n        return True\nsorted([K(), K()])"
    ),
    "in a hook of imports": (
        "import sys, types\nm = types.ModuleType('m')\nm.__getattr__ = lambda name: os.mkfifo(new)\nm.x"
    ),
    "in the folder itself": "os.chdir(here)\nopen('new', 'w').close()",
    "in the folder by its descriptor": "os.fchdir(os.open(here, os.O_RDONLY))\nos.mkfifo('new')",
    "opened by somebody else": "open('mine', 'w', opener=lambda _, flags: os.open(new, flags))",
    "edited in place": "import fileinput\nfor line in fileinput.input(file, inplace=True):\n    print('other')",
    "archive made": "import shutil\nopen('mine', 'w').close()\nshutil.make_archive(new, 'zip', '.')",
    "compressed": "import gzip\ngzip.open(new, 'wb').close()",
    "tree copied": "import shutil\nos.mkdir('mine')\nshutil.copytree('mine', new)",
    "secrets of connections logged": (
        "import ssl\nssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).keylog_filename = new"
    ),
    "sqlite address spelt out": (
        "import sqlite3\naddress = 'file:' + new.replace('/', '%2F')\n"
        "sqlite3.connect(address, uri=True).execute('create table t (x)')"
    ),
    "sqlite address with two modes": (
        "import sqlite3\nsqlite3.connect(f'file:{new}?mode=ro&mode=rwc', uri=True).execute('create table t (x)')"
    ),
    "sqlite address of a host": (
        "import sqlite3\nsqlite3.connect(f'file://localhost{new}', uri=True).execute('create table t (x)')"
    ),
    "mailbox made": "import mailbox\nmailbox.Maildir(new)",
    "pickled": "import pickle\npickle.dump(1, open(new, 'wb'))",
    "unpacked": (
        "import zipfile\nwith zipfile.ZipFile('a.zip', 'w') as z:\n    z.writestr('new', 'x')\n"
        "zipfile.ZipFile('a.zip').extractall(here)"
    ),
    "by the standard output": "os.dup2(os.open(here, os.O_RDONLY), 1)\nos.mkfifo('new', dir_fd=1)",
    "in a weak reference": (
        "import weakref\nclass D:\n    pass\nd = D()\nr = weakref.ref(d, lambda _: os.mkfifo(new))\ndel d"
    ),
    "in a generator that is closed": (
        "def g():\n    try:\n        yield\n    finally:\n        os.mkfifo(new)\ni = g()\nnext(i)\ndel i"
    ),
    "in a breakpoint": (
        "import sys\nold = sys.breakpointhook\nsys.breakpointhook = lambda: os.mkfifo(new)\n"
        "try:\n    breakpoint()\nfinally:\n    sys.breakpointhook = old"
    ),
    "in a monitored event": (
        "import sys\nm = sys.monitoring\nm.use_tool_id(5, 'x')\n"
        "def event(*_):\n    m.set_events(5, 0)\n    os.mkfifo(new)\n"
        "m.register_callback(5, m.events.PY_START, event)\nm.set_events(5, m.events.PY_START)\n"
        "try:\n    (lambda: 0)()\nfinally:\n    m.set_events(5, 0)\n    m.free_tool_id(5)"
    ),
}  # fmt: skip

SHARED = {
    # what a file system does on request, through a descriptor for reading
    "file sealed for good": _control("0x40806685"),
    "folder encrypted": _control("0x800C6613", "here"),
    "subvolume made": _control("0x5000940E", "here"),
    "attributes of another system": _control("0x40047211"),
    "file of another file system moved": _control("0x4004F501"),
    "subvolume of a newer system": _control("0x4020BC10", "here"),
    "layout of a file": _control("0x40289702"),
    "copy by an order": _control("0x40186F04"),
    "snapshot of a system": _control("0x40106E80"),
    "integrity of a file": _control("0xCF04"),
    "life of a file foretold": (
        "import fcntl, struct\nfcntl.fcntl(os.open(file, os.O_RDONLY), 1036, struct.pack('Q', 5))"
    ),
    "file system written out": "try:\n    call('syncfs', -1)\nexcept OSError as error:\n    assert error.errno == 9",
    "another profile of security": (
        "try:\n    call('lsm_set_self_attr', 100, bytes(64), 64, 0)\n" + _WITHOUT
    ),
    # what there is only so much of
    "timers of the user used up": (
        "import ctypes\nfor _ in range(5000):\n    call('timer_create', 1, None, ctypes.byref(ctypes.c_int()))"
    ),
    "watches of the user used up": "for _ in range(60):\n    call('inotify_init1', 0)",
    "pages of memory locked": (
        "import ctypes, mmap\nm = mmap.mmap(-1, 1 << 28)\n"
        "call('mlock', ctypes.addressof(ctypes.c_char.from_buffer(m)), 1 << 28)"
    ),
    "deadline of its own": (
        "import struct\n"
        "call('sched_setattr', 0, struct.pack('IIQiIQQQ', 48, 6, 0, 0, 0, 10**7, 3 * 10**7, 3 * 10**7), 0)\n"
        "os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))"
    ),
    "first at the disk": "call('ioprio_set', 1, 0, 1 << 13)",
    "requests to disks reserved": "import ctypes\ncall('io_setup', 60_000, ctypes.byref(ctypes.c_ulong()))",
    "core to a program": (
        "import resource\nassert resource.getrlimit(resource.RLIMIT_CORE)[1] not in (0, 1)"
    ),
    "map of names by the interpreter": (
        "import sys, pathlib\nsys.activate_stack_trampoline('perf')\nsys.deactivate_stack_trampoline()\n"
        "assert pathlib.Path('/', 'tmp', f'perf-{os.getpid()}.map').exists()"
    ),
    # of another process
    "network of another by descriptor": "import fcntl\nfcntl.ioctl(os.pidfd_open(victim), 0xFF04)",
    "descriptors of another counted": "os.listdir(f'/proc/{victim}/fdinfo')",
    "pages of another counted": "assert open(f'/proc/{victim}/smaps_rollup').read()",
    "code run in another": "import sys\nopen('x.py', 'w').close()\nsys.remote_exec(victim, os.path.abspath('x.py'))",
    "group of another slowed": "call('openat', -100, f'/proc/{victim}/autogroup', os.O_WRONLY)",
    "accesses of another forgotten": "call('openat', -100, f'/proc/{victim}/clear_refs', os.O_WRONLY)",
    "counts of a disk of another": "assert open(f'/proc/{victim}/io').read()",
    "name of another": "call('openat', -100, f'/proc/{victim}/comm', os.O_WRONLY)",
    "sibling forked": "call('clone', 0x8000 | 17, 0, 0, 0, 0) or os._exit(0)",
    "spawned without waiting": "os.spawnlp(os.P_NOWAIT, 'true', 'true')",
    "several programs at once": "import subprocess\nfor _ in range(3):\n    subprocess.Popen(['true'])",
}  # fmt: skip

SOCKETS = {
    "module by a pair of sockets": (
        f"import ctypes\ntry:\n    call('socketpair', 30, 2, 0, ctypes.create_string_buffer(8))\n{_WITHOUT}"
    ),
    "module of virtual networks": _asked_of_a_socket("0x8982"),
    "state of a network card": _asked_of_a_socket("0x8946"),
    "stream to a local server": (
        "import asyncio\nasync def run():\n    await asyncio.open_unix_connection(place)\nasyncio.run(run())"
    ),
    "datagrams of lighter kind": "import socket\nsocket.socket(2, 2, 136)",
    "associations": "import socket\nsocket.socket(2, 1, 132)",
    "pings": "import socket\nsocket.socket(2, 2, 1)",
    "several paths reserved": "import socket\nsocket.socket(2, 1, 262)",
    "sockets of a cluster": "import socket\nsocket.socket(30, 2)",
    "sockets of a radio": "import socket\nsocket.socket(31, 1, 3)",
    "page asked for": "import urllib.request\nurllib.request.urlopen(f'http://127.0.0.1:{port}/', timeout=1)",
    "mail sent": "import smtplib\nsmtplib.SMTP('127.0.0.1', port, timeout=1)",
    "log sent": (
        "import logging.handlers\nh = logging.handlers.DatagramHandler('127.0.0.1', port)\n"
        "h.handleError = lambda _: 1 / 0\nh.send(b'x')"
    ),
    "client of another process": "import multiprocessing.connection as m\nm.Client(('127.0.0.1', port))",
    "host that is asked": "import socket\nsocket.gethostbyaddr('127.0.0.1')",
}

VARYING = frozenset({
    "secrets of connections logged", "in a monitored event", "temporary folder of sqlite",
    "attribute removed", *SHARED, *SOCKETS,
}) - {"sibling forked", "accesses of another forgotten", "name of another"}  # fmt: skip
"""What some kernels, file systems or versions of Python lack."""
