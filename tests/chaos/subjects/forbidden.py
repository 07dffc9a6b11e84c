"""Classes that do more than computing; each has a racy method that must be found all the same."""

import ctypes
import os
import shutil
import socket
import subprocess
import urllib.request
from pathlib import Path

PRECIOUS = Path(os.environ.get("PLAIT_CHAOS_PRECIOUS", "/nowhere/precious"))


class Counter:
    def __init__(self):
        self.count = 0

    def bump(self):
        count = self.count
        self.count = count + 1
        return self.count


class Writes(Counter):
    def act(self):
        PRECIOUS.write_text("overwritten")


class Appends(Counter):
    def act(self):
        with PRECIOUS.open("a") as file:
            file.write("more")


class Removes(Counter):
    def act(self):
        PRECIOUS.unlink()


class RemovesTree(Counter):
    def act(self):
        shutil.rmtree(PRECIOUS.parent)


class Renames(Counter):
    def act(self):
        PRECIOUS.rename("mine")


class MakesFolder(Counter):
    def act(self):
        PRECIOUS.with_name("folder").mkdir()


class Connects(Counter):
    def act(self):
        socket.create_connection(("127.0.0.1", 9), timeout=1)


class Listens(Counter):
    def act(self):
        socket.create_server(("127.0.0.1", 0))


class Downloads(Counter):
    def act(self):
        urllib.request.urlopen("http://127.0.0.1:9/", timeout=1)


class Runs(Counter):
    def act(self):
        subprocess.run(["touch", str(PRECIOUS.with_name("made"))], check=True)


class Shells(Counter):
    def act(self):
        os.system(f"touch {PRECIOUS.with_name('made')}")


class Forks(Counter):
    def act(self):
        if os.fork() == 0:
            os._exit(0)


class KillsParent(Counter):
    def act(self):
        os.kill(os.getppid(), 9)


class LoadsLibrary(Counter):
    def act(self):
        ctypes.CDLL("libc.so.6")


class Vandal(Counter):
    """Several acts at once; a report names three of each kind."""

    def append(self):
        Appends.act(self)

    def rename(self):
        Renames.act(self)

    def make_folder(self):
        MakesFolder.act(self)

    def listen(self):
        Listens.act(self)

    def download(self):
        Downloads.act(self)

    def shell(self):
        Shells.act(self)

    def fork(self):
        Forks.act(self)

    def kill_parent(self):
        KillsParent.act(self)


class Wrecker(Counter):
    """The rest of them."""

    def write(self):
        Writes.act(self)

    def remove(self):
        Removes.act(self)

    def remove_tree(self):
        RemovesTree.act(self)

    def connect(self):
        Connects.act(self)

    def run(self):
        Runs.act(self)

    def load_library(self):
        LoadsLibrary.act(self)


EXPECTED = {
    Writes: "write", Appends: "write", Removes: "write", RemovesTree: "write", Renames: "write", MakesFolder: "write",
    Connects: "network", Listens: "network", Downloads: "network", Runs: "subprocess", Shells: "subprocess",
    Forks: "subprocess", KillsParent: "subprocess", LoadsLibrary: "native",
}  # fmt: skip
"""Under which name each is allowed."""
