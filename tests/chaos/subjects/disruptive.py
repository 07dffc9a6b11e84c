"""Classes that disturb their process, each in another way, as data: what ``act`` of the class of that name does.

``spin`` computes for ever in code that nobody controls. `Counter` has the sound method and the racy one.
"""

import _thread
import os
import signal
import sys
import time

from misbehaving import Counter

DISRUPTIONS = {
    "Profiles": "def profile(*_): raise RuntimeError\nsys.setprofile(profile)",
    "TracesThreads": "def trace(*_): raise RuntimeError\nthreading.settrace(trace), threading.setprofile(trace)",
    "NeverSwitches": "sys.setswitchinterval(1e6)",
    "Audits": "def hook(event, args): raise RuntimeError(event)\nsys.addaudithook(hook)",
    "AuditsFiles": (
        "def hook(event, args):\n    if event in ('open', 'import', 'compile', 'exec', 'os.listdir'): raise OSError\n"
        "sys.addaudithook(hook)"
    ),
    "RecursesForEver": "sys.setrecursionlimit(10**9)\ndef f(): f()\nf()",
    "FailsAtCollections": "gc.callbacks.append(lambda *_: 1 / 0)\ngc.set_threshold(1)",
    "FreezesTheCollector": "gc.disable(), gc.freeze()",
    "ResurrectsForEver": (
        "kept = []\nclass Z:\n    def __del__(self):\n        kept.append(self)\n        Z()\nZ()"
    ),
    "NeverFinalised": "class Z:\n    def __del__(self): spin()\nZ()",
    "ExitsWhenFinalised": "class Z:\n    def __del__(self): os._exit(7)\nself.kept = Z()",
    "NeverEnds": "atexit.register(spin)",
    "RemovesBuiltins": "for n in ('len', 'isinstance', 'open', 'repr', 'range'): delattr(builtins, n)",
    "ReplacesBuiltins": "builtins.len = builtins.isinstance = builtins.type = builtins.__import__ = lambda *a, **k: -1",
    "EmptiesModules": "sys.modules.clear(), sys.path.clear(), sys.meta_path.clear()",
    "EmptiesPlait": (
        "for n, m in list(sys.modules.items()):\n    if n.startswith('plait.'):\n        vars(m).clear()"
    ),
    "ReplacesJson": "json.dumps = lambda *a, **k: ']['\njson.loads = pickle.loads = None",
    "ReplacesOs": (
        "os.write = lambda *_: 1 / 0\nos.read = lambda *_: b''\nos._exit = lambda *_: None\nos.getpid = lambda: 1"
    ),
    "ReplacesClocks": "time.monotonic = time.time = time.perf_counter = lambda: -1e300",
    "SpinsInThreads": "for _ in range(10): _thread.start_new_thread(spin, ())",
    "InterruptsMain": (
        "def run():\n    while True:\n        _thread.interrupt_main()\n        real_sleep(0.0005)\n"
        "_thread.start_new_thread(run, ())"
    ),
    "RaisesInMain": (
        "ctypes.pythonapi.PyThreadState_SetAsyncExc(\n"
        "    ctypes.c_ulong(threading.main_thread().ident), ctypes.py_object(SystemExit))"
    ),
    "SetsAlarms": "signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)",
    "DumpsAndEnds": "faulthandler.dump_traceback_later(0.01, exit=True)",
    "LimitsDescriptors": "resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))",
    "LimitsFiles": "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))",
    "LimitsMemory": "resource.setrlimit(resource.RLIMIT_AS, (1 << 20, 1 << 20))",
    "LimitsTime": "resource.setrlimit(resource.RLIMIT_CPU, (1, 1))",
    "LimitsStacks": "resource.setrlimit(resource.RLIMIT_STACK, (4096, 4096))\nthreading.stack_size(32768)",
    "LimitsThreads": "resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))",
    "UsesUpDescriptors": "self.kept = []\nwhile True: self.kept.append(os.open('/dev/null', 0))",
    "MasksModes": "os.umask(0o777)\nos.mkdir('x')\nopen('y', 'w').close()",
    "RemovesItsFolder": "shutil.rmtree(os.getcwd())",
    "NestsFolders": "for _ in range(2000):\n    os.mkdir('d')\n    os.chdir('d')",
    "MakesFiles": "for n in range(5_000): os.close(os.open(f'f{n}', os.O_CREAT))",
    "RedirectsAll": (
        "n = os.open('/dev/null', os.O_RDWR)\nfor d in range(3, 40):\n    with contextlib.suppress(OSError):\n"
        "        os.fstat(d), os.dup2(n, d)"
    ),
    "WritesFrames": (
        "for d in range(3, 40):\n    with contextlib.suppress(OSError):\n"
        "        os.write(d, bytes(7) + b'\\x20' + b'[' * 40)"
    ),
    "StealsOrders": (
        "def run():\n    while True:\n        for d in range(3, 40):\n            with contextlib.suppress(OSError):\n"
        "                os.read(d, 1)\n_thread.start_new_thread(run, ())"
    ),
    "HoardsPipes": (
        "self.kept = []\nwhile True:\n    self.kept += os.pipe()\n    os.set_blocking(self.kept[-1], False)\n"
        "    os.write(self.kept[-1], bytes(1 << 20))"
    ),
    "HidesItsThreads": "threading._active.clear()\nthreading.main_thread = lambda: None",
    "BlocksSignals": "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))",
    "StopsItsGroup": "os.killpg(0, signal.SIGSTOP)",
    "EndsMain": "signal.pthread_kill(threading.main_thread().ident, signal.SIGTERM)",
    "GivesWay": "os.nice(19), os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))",
    "ReplacesHooks": "sys.excepthook = threading.excepthook = sys.unraisablehook = lambda *_: os._exit(11)",
    "ReplacesStreams": "sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = 5",
    "EmptiesFrames": (
        "f = sys._getframe()\nwhile f is not None:\n"
        "    if 'plait' in f.f_code.co_filename: f.f_globals.clear()\n    f = f.f_back"
    ),
    "EmptiesObjects": (
        "for o in gc.get_objects():\n    if type(o) is dict and '__builtins__' not in o:\n        o.clear()"
    ),
    "FailsInCodecs": (
        "def search(name, *_): raise RuntimeError(name)\ncodecs.register(search)\n"
        "codecs.register_error('backslashreplace', search), codecs.register_error('replace', search)"
    ),
    "FailsInWarnings": "warnings.simplefilter('error')\nwarnings.showwarning = lambda *_: 1 / 0",
    "LocksImports": "import _imp\n_imp.acquire_lock()",
    "LocksForEver": "lock = real_lock()\nlock.acquire()\nlock.acquire()",
    "RaisesCircles": "a, b = ValueError('a'), ValueError('b')\na.__cause__, b.__cause__ = b, a\nraise a",
    "RaisesChains": (
        "error = None\nfor n in range(30_000):\n"
        "    new = ValueError(n)\n    new.__cause__, error = error, new\nraise error"
    ),
    "RaisesEndlessly": "raise SyntaxError('no', ('/dev/zero', 1, 1, chr(27) + ']0;x' + chr(7), 1, 1))",
    "RaisesGroups": "error = ValueError()\nfor _ in range(400): error = BaseExceptionGroup('x', [error])\nraise error",
    "ComputesLongNumbers": "self.kept = 10 ** (10 ** 6)",
    "LiesAboutItsClass": "class O:\n    @property\n    def __class__(self): raise ZeroDivisionError\nself.kept = O()",
    "LiesAboutItsLength": (
        "class L(list):\n    def __len__(self): return 2**62\n    def __iter__(self): return itertools.repeat(1)\n"
        "self.kept = L()"
    ),
}  # fmt: skip
_NEEDED = (
    "atexit", "builtins", "codecs", "contextlib", "ctypes", "faulthandler", "gc", "itertools", "json", "os", "pickle",
    "resource", "shutil", "signal", "sys", "threading", "time", "warnings", "_thread",
)  # fmt: skip
real_lock, real_sleep = _thread.allocate_lock, time.sleep
_spin = compile("while True: pass", "loop", "exec")


def _class(name, code):
    made = compile(code, name, "exec")

    def act(self):
        space = {each: sys.modules.get(each) or __import__(each) for each in _NEEDED}
        space |= {"self": self, "real_lock": real_lock, "real_sleep": real_sleep, "spin": lambda: exec(_spin)}
        exec(made, space)

    def __init__(self):
        Counter.__init__(self)
        if name == "SetsAlarms":  # only the main thread may
            signal.signal(signal.SIGALRM, lambda *_: os.getcwd() and 1 / 0)

    return type(name, (Counter,), {"__init__": __init__, "act": act, "__module__": __name__})


globals().update({name: _class(name, code) for name, code in DISRUPTIONS.items()})
