"""Tasks that workers run in these tests; the worker imports this module by name."""

import faulthandler
import importlib.util
import json
import os
import re
import resource
import signal
import sys
import threading
import time
from pathlib import Path


def echo(value):
    return value


def pid():
    return os.getpid()


def exit_with(code):
    os._exit(code)


def abort():
    os.abort()


def segfault():
    faulthandler._sigsegv()


def overflow_the_stack():
    sys.setrecursionlimit(10**9)

    def nest(inner):
        return (each for each in inner)

    chain = iter(())
    for _ in range(10**5):  # generators nest on the C stack
        chain = nest(chain)
    list(chain)


def signal_self(number):
    os.kill(os.getpid(), number)
    time.sleep(5)


def close_descriptors():
    os.closerange(3, 1024)


def exhaust_memory():
    kept = []
    while True:
        kept.append(bytearray(10**7))


def loop():
    while True:
        pass


def loop_in_c():
    re.match(r"(a+)+$", "a" * 64 + "b")


def loop_deaf():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
    while True:
        pass


def stop_self():
    os.kill(os.getpid(), signal.SIGSTOP)


def fail_once(marker, how):
    if not Path(marker).exists():
        Path(marker).touch()
        globals()[how]()
    return "second time"


def note_and_die(content):
    from plait.workers import state

    print("last words")
    state.note(content)
    os.abort()


def note_slowly(count, pause, last):
    from plait.workers import state

    for number in range(count):
        state.note({"number": number})
        time.sleep(pause)
    globals()[last]()
    return count


def compute_beside(seconds):
    import threading

    def compute():
        while time.thread_time() < seconds:
            pass

    thread = threading.Thread(target=compute)
    thread.start()
    thread.join()
    return threading.active_count()


def nothing():
    pass


def sleep(seconds):
    time.sleep(seconds)
    return os.getpid()


def surroundings():
    return {
        "cwd": os.getcwd(),
        "umask": _umask(),
        "environment": dict(os.environ),
        "alarm": signal.getsignal(signal.SIGALRM) is signal.SIG_DFL,
        "term": signal.getsignal(signal.SIGTERM) is signal.SIG_DFL,
        "timer": signal.getitimer(signal.ITIMER_REAL),
        "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        "recursion": sys.getrecursionlimit(),
        "traced": sys.gettrace() is not None,
        "path": list(sys.path),
        "stdout": type(sys.stdout).__name__,
        "hook": sys.excepthook is sys.__excepthook__,
        "files": sorted(os.listdir(".")),
    }


def disturb_everything():
    Path("left").mkdir()
    Path("left/file").write_text("x")
    Path("file").write_text("x")
    os.chdir("/")
    os.umask(0o123)
    os.environ["NEW"] = "1"
    os.environ.pop("PATH", None)
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, 1000)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    sys.setrecursionlimit(5000)
    sys.settrace(lambda *_: None)
    sys.path.insert(0, "/nowhere")
    sys.stdout = None
    sys.excepthook = print


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def remove_own_folder():
    os.rmdir(os.getcwd())


def close_stdout():
    sys.stdout.close()
    os.close(1)


def flood(megabytes):
    line = "y" * 1023 + "\n"
    for _ in range(megabytes * 1024):
        sys.stdout.write(line)
    os.write(1, line.encode() * 100)
    print("the end")


def leave_thread():
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    return os.getpid()


def subject_instance():
    import enum

    class Colour(enum.StrEnum):
        RED = "red"

    Colour.__module__, Colour.__qualname__ = "json.tool", "Colour"
    sys.modules["json.tool"] = json
    json.Colour = Colour
    return [Colour.RED]


def unpicklable():
    return lambda: None


def raise_value_error():
    raise ValueError("of the task")


def limits():
    return {"core": resource.getrlimit(resource.RLIMIT_CORE), "data": resource.getrlimit(resource.RLIMIT_DATA)}


def hashes():
    environment = Path("/proc/self/environ").read_bytes() + b"".join(b"%s=%s\0" % each for each in os.environb.items())
    return [hash("plait"), sys.flags.hash_randomization, environment]


def start_of_a_worker():
    """What a process is given by whoever starts it."""
    told = {"environment": dict(os.environ), "path": sys.path, "argv": sys.argv, "hash": hash("plait")}
    told["handlers"] = [str(signal.getsignal(number)) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)]
    told["blocked"] = sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, ())))
    told["limits"] = [list(resource.getrlimit(kind)) for kind in (resource.RLIMIT_DATA, resource.RLIMIT_NOFILE)]
    told["leads"] = os.getsid(0) == os.getpid()
    told["threads"] = len(sys._current_frames())
    told["main"] = sorted(vars(sys.modules["__main__"]).keys() & {"__file__", "__spec__", "told"})
    told["files"] = sorted(Path(f"/proc/self/fd/{number}").readlink().name.partition(":")[0] for number in open_files())
    return told


def can_import(name):
    return importlib.util.find_spec(name) is not None


def environment_variable(name):
    return os.environ.get(name)


def open_files():
    return [int(number) for number in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{number}")]


def modules():
    return sorted(sys.modules)


def fork_and_return():
    os.fork()
    return os.getpid()


def leave_process():
    import subprocess

    return subprocess.Popen(["sleep", "60"]).pid


def name_of_subject():
    from plait.workers import state

    return state.subject().__name__


def lock_of_subject():
    from plait.workers import state

    kind = type(state.subject()().lock)
    return f"{kind.__module__}.{kind.__qualname__}"


def leave_semaphore():
    import multiprocessing

    tasks_left.append(multiprocessing.get_context("spawn").RLock())


tasks_left = []


class Program:
    """What would run in a process that unpickles it."""

    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return (Path.touch, (Path(self.marker),))


def forge(what, marker) -> None:
    """Answer in the place of the worker, as code under test can that looks for the pipe."""
    import pickle
    import struct

    from plait.workers import state
    from plait.workers.channel import VALUE, Reply, write_frame

    frame = sys._getframe()
    while frame.f_code.co_name != "obey":
        frame = frame.f_back
    number, answers = frame.f_locals["number"], frame.f_back.f_locals["answers"]
    state.note({"prefix": ["x = X()"]})
    good = write_frame(Reply(number, VALUE))
    os.write(
        answers,
        {
            "pickle": pickle.dumps(Program(marker)),
            "long": struct.pack(">Q", 1 << 40),
            "two": good + good,
            "garbage": struct.pack(">Q", 40) + pickle.dumps(Program(marker)).ljust(40)[:40],
            "half": good[:-3],
            "other": write_frame(Reply(number + 1, VALUE)),
            "typed": write_frame(Reply(number, VALUE), 5, int),
            "early": good,
        }[what],
    )
    time.sleep(30)


def raise_hostile(what, marker):
    """Raise what an exception of code under test may be."""
    from plait.errors import UsageError

    class Meta(type):
        def __getattribute__(cls, name):
            Path(marker).touch()
            raise RuntimeError(name)

    class Hostile(UsageError if what == "usage" else GeneratorExit if what == "GeneratorExit" else Exception):
        def __reduce__(self):
            return (Path.touch, (Path(marker),))

        def __str__(self):
            if what == "str":
                raise SystemExit(4)
            return "Hostile"

        if what == "cause":
            __cause__ = property(lambda self: 1 / 0)

    if what == "metaclass":
        Hostile = Meta("Hostile", (Exception,), {"__str__": lambda self: "Hostile"})
    raise Hostile(what)
