"""More acts, in the form of `hostile_acts`: on what a whole machine or user shares, and through corners of libraries.

What fails for want of a file system, a module or a newer Python counts as refused.
"""

_WITHOUT = "except OSError as error:\n    assert error.errno in (19, 22, 25, 95), error"
"""The errors of a kernel that was ready to do it, had the file, the device or the arguments made sense."""


def _control(number, what="file"):
    """Ask the file system to do something to what is open for reading only."""
    return f"import fcntl\ntry:\n    fcntl.ioctl(os.open({what}, os.O_RDONLY), {number}, bytes(256))\n{_WITHOUT}"


FILES = {
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
    # what there is only so much of
    "requests to disks reserved": "import ctypes\ncall('io_setup', 60_000, ctypes.byref(ctypes.c_ulong()))",
    "core to a program": (
        "import resource\nassert resource.getrlimit(resource.RLIMIT_CORE)[1] not in (0, 1)"
    ),
    "map of names by the interpreter": (
        "import sys, pathlib\nsys.activate_stack_trampoline('perf')\nsys.deactivate_stack_trampoline()\n"
        "assert pathlib.Path('/', 'tmp', f'perf-{os.getpid()}.map').exists()"
    ),
    # of another process
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
    "secrets of connections logged", "in a monitored event", *SHARED, *SOCKETS,
}) - {"sibling forked", "accesses of another forgotten", "name of another"}  # fmt: skip
"""What some kernels, file systems or versions of Python lack."""
