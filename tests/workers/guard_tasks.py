"""Forbidden acts, each as code under test might commit it."""

import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path


def write(path):
    Path(path).write_text("x")


def append(path):
    with open(path, "a") as file:
        file.write("x")


def os_open(path):
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT))


def remove(path):
    os.remove(path)


def rename(path):
    os.rename(path, "mine")


def rename_onto(path):
    Path("mine").write_text("x")
    os.replace("mine", path)


def mkdir(path):
    os.mkdir(path + ".d")


def rmtree(path):
    shutil.rmtree(os.path.dirname(path))


def copy(path):
    Path("mine").write_text("x")
    shutil.copy("mine", path)


def move(path):
    shutil.move(path, "mine")


def truncate(path):
    os.truncate(path, 0)


def chmod(path):
    os.chmod(path, 0)


def touch(path):
    os.utime(path)


def symlink(path):
    os.symlink("mine", path + ".link")


def through_symlink(path):
    os.symlink(path, "link")
    Path("link").write_text("x")


def through_hard_link(path):
    os.link(path, "link")
    Path("link").write_text("x")


def through_dots(path):
    Path(os.path.relpath(path)).write_text("x")


def elsewhere(path):
    os.chdir(os.path.dirname(path))
    Path(os.path.basename(path)).write_text("x")


def by_folder_descriptor(path):
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    os.remove(os.path.basename(path), dir_fd=folder)


def database(path):
    sqlite3.connect(path + ".db").execute("create table t (x)")


def log_file(path):
    import logging

    logging.FileHandler(path).close()


def bytecode(path):
    import compileall

    Path("module.py").write_text("")
    compileall.compile_file("module.py", quiet=2, ddir=".")
    import py_compile

    py_compile.compile("module.py", cfile=path + "c", doraise=True)


def connect(_path):
    socket.create_connection(("127.0.0.1", 9), timeout=1)


def listen(_path):
    socket.create_server(("127.0.0.1", 0))


def resolve(_path):
    socket.getaddrinfo("localhost", 80)


def look_up(_path):
    socket.gethostbyname("localhost")


def datagram(_path):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9))


def unix_socket(path):
    socket.socket(socket.AF_UNIX).bind(path + ".sock")


def download(_path):
    import urllib.request

    try:
        urllib.request.urlopen("http://127.0.0.1:9/", timeout=1)
    except urllib.error.URLError as error:
        raise error.reason from None


def run(_path):
    subprocess.run(["true"], check=True)


def system(_path):
    os.system("true")


def shell(_path):
    os.popen("true").read()


def fork(_path):
    if os.fork() == 0:
        os._exit(0)


def replace_self(_path):
    os.execv(sys.executable, [sys.executable, "-c", "pass"])


def spawn(_path):
    os.posix_spawn(sys.executable, [sys.executable, "-c", "pass"], {})


def multiprocess(_path):
    import multiprocessing

    multiprocessing.get_context("spawn").Process(target=print).start()


def kill_parent(_path):
    os.kill(os.getppid(), 0)


def kill_group(_path):
    os.killpg(os.getppid(), 0)


def library(_path):
    import ctypes

    ctypes.CDLL("libc.so.6")


def own_symbols(_path):
    import ctypes

    ctypes.CDLL(None)


def native_call(_path):
    import ctypes

    ctypes.pythonapi.getpid()


def extension(_path):
    connection = sqlite3.connect(":memory:")
    connection.enable_load_extension(True)
    connection.load_extension("nothing")


ACTS = {
    "write": [
        write, append, os_open, remove, rename, rename_onto, mkdir, rmtree, copy, move, truncate, chmod, touch, symlink,
        through_symlink, through_hard_link, through_dots, elsewhere, by_folder_descriptor, database, log_file, bytecode,
    ],
    "network": [connect, listen, resolve, look_up, datagram, unix_socket, download],
    "subprocess": [run, system, shell, fork, replace_self, spawn, multiprocess, kill_parent, kill_group],
    "native": [library, own_symbols, native_call],
}  # fmt: skip
if hasattr(sqlite3.Connection, "enable_load_extension"):  # a matter of how Python was built
    ACTS["native"].append(extension)


def commit(act, path):
    """Do it; how it ended."""
    try:
        globals()[act](path)
    except PermissionError as error:
        assert error.errno == 1
        return error.strerror
    except sqlite3.OperationalError as error:  # an extension that is not there
        return f"let through: {error}"
    return "done"


def harmless():
    """What code does every day."""
    import asyncio
    import ctypes
    import multiprocessing
    import uuid

    Path("folder/inner").mkdir(parents=True)
    Path("folder/file").write_text("x")
    os.rename("folder/file", "folder/other")
    os.symlink("other", "folder/link")
    Path("folder/link").write_text("y")
    shutil.rmtree("folder")
    with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile() as file:
        file.write(b"x")
        sqlite3.connect(Path(folder) / "db").execute("create table t (x)")
    sqlite3.connect(":memory:").execute("create table t (x)")
    sqlite3.connect("").execute("create table t (x)")
    open(os.devnull, "w").close()
    Path(__file__).read_text()
    os.fdopen(os.dup(1), "w").close()
    first, second = socket.socketpair()
    first.send(b"x")
    second.recv(1)
    first.close()
    second.close()
    read, written = os.pipe()
    os.write(written, b"x")
    with os.fdopen(read, "rb") as reader:
        os.close(written)
        reader.read()
    asyncio.run(asyncio.sleep(0))
    socket.gethostname()
    uuid.uuid4()
    ctypes.c_int(3)
    ctypes.sizeof(ctypes.c_long)
    ctypes.pythonapi.Py_GetVersion()
    multiprocessing.cpu_count()
    os.kill(os.getpid(), 0)
    import threading

    threading.Thread(target=print).start()
    return "fine"


def try_to_switch_off():
    """Trivial means: whatever a module's name leads to."""
    import gc

    from plait.workers import boot, guard, state
    from plait.workers import guard as guard_acts

    guard.KEPT = 0
    guard._ACTS.clear()
    guard._drain = list
    for table in (guard_acts.WRITE, guard_acts.NETWORK, guard_acts.SUBPROCESS, guard_acts.NATIVE):
        table.clear()
    state.spec()
    del boot, gc
    os.environ["PLAIT_ALLOW"] = "write"
    return [commit("write", "/etc/plait-test"), commit("connect", ""), commit("run", "")]


def stop_often(path):
    for number in range(500):
        commit("write", f"{path}{number}")


def concurrently(path):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(lambda number: commit("write", f"{path}{number % 5}"), range(200)))


def open_by_number():
    """Open whatever has these numbers, and close it: a value may be meant for something else."""
    said = []
    for number in range(3, 64):
        try:
            with open(number, "rb"):
                pass
        except OSError as error:
            said.append(str(error))
    return said


def change_a_class_of_c():
    """Call a function of the interpreter that plait looked up before it was confined, as the engine does."""
    from datetime import timedelta

    from plait.run.c_classes import exchanged

    with exchanged(timedelta, "days", "changed"):
        return timedelta(1).days
