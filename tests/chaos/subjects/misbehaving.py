"""Classes that do to their process what no class should; each has a sound method, a racy one and ``act``."""

import faulthandler
import importlib
import mmap
import os
import re
import signal
import sys
import threading
import time


class Counter:
    def __init__(self):
        self.count = 0
        self.total = 0
        self.lock = threading.Lock()

    def add(self):
        """Sound."""
        with self.lock:
            self.total += 1
            return True

    def bump(self):
        """Loses updates: the culprit that must be found whatever else happens."""
        count = self.count
        self.count = count + 1
        return self.count


class EndlessLoop(Counter):
    """The engine notices by itself."""

    def act(self):
        while True:
            pass


class EndlessUnseen(Counter):
    """A loop in code that is not rewritten."""

    def act(self):
        exec(compile("while True: pass", "loop", "exec"))  # a code object is not rewritten


class EndlessC(Counter):
    def act(self):
        return re.match(r"(a+)+$", "a" * 64 + "b")


class EndlessAccess(Counter):
    """A loop that the engine sees, step by step."""

    def act(self):
        while self.total >= 0:
            pass


class Deaf(Counter):
    def __init__(self):
        super().__init__()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR2):  # only the main thread may
            signal.signal(number, signal.SIG_IGN)

    def act(self):
        exec(compile("while True: pass", "loop", "exec"))  # a code object is not rewritten


class Stops(Counter):
    def act(self):
        os.kill(os.getpid(), signal.SIGSTOP)


class Waits(Counter):
    """For something that never comes from outside; no fault by itself."""

    def act(self):
        reading, _writing = os.pipe()
        return os.read(reading, 1)


class Exits(Counter):
    def act(self):
        os._exit(3)


class ExitsHappily(Counter):
    def act(self):
        os._exit(0)


class Aborts(Counter):
    def act(self):
        os.abort()


class Segfaults(Counter):
    def act(self):
        faulthandler._sigsegv()


class KillsItself(Counter):
    def act(self):
        os.kill(os.getpid(), signal.SIGKILL)


class Terminates(Counter):
    def act(self):
        signal.raise_signal(signal.SIGTERM)
        time.sleep(1)


class ClosesEverything(Counter):
    def act(self):
        os.closerange(0, 1024)


class Hoards(Counter):
    def act(self):
        kept = []
        while True:
            kept.append(bytearray(10**7))


class HoardsShared(Counter):
    """In a kind of memory that the kernel's limit does not count; it ends by itself where nobody looks."""

    flags = mmap.MAP_SHARED

    def act(self):
        kept = []
        for _ in range(64):
            kept.append(mmap.mmap(-1, 1 << 26, flags=self.flags | mmap.MAP_ANONYMOUS))
            kept[-1].write(bytes(1 << 26))


class HoardsStacks(HoardsShared):
    """As memory that grows downwards, which counts as stack."""

    flags = mmap.MAP_PRIVATE | 0x100


class Floods(Counter):
    def act(self):
        for _ in range(50):
            print("y" * 10_000)
            sys.stderr.write("z" * 10_000)
        os.write(1, b"x" * 10_000)


class Wanders(Counter):
    def __init__(self):
        super().__init__()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # only the main thread may
        signal.signal(signal.SIGALRM, lambda *_: None)

    def act(self):
        os.chdir("/")
        os.environ["LANG"] = "elsewhere"
        os.environ.pop("PATH", None)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        sys.setrecursionlimit(200)
        sys.stdout = None
        return os.getcwd()


class LeavesThreads(Counter):
    def act(self):
        pool = importlib.import_module("multiprocessing.pool")  # imported by others before: its threads are real
        self.pool = pool.ThreadPool(2)
        self.pool.apply_async(real_sleep, (30,))
        return True


class Quits(Counter):
    def act(self):
        sys.exit("goodbye")


class Interrupts(Counter):
    def act(self):
        raise KeyboardInterrupt


real_sleep = sys.modules["multiprocessing.pool"].time.sleep if "multiprocessing.pool" in sys.modules else time.sleep
