r"""What a module may do while it is imported, as data: what stands before and behind its class, and the exit code.

The class has a race. Code 1 means that it is found nevertheless, 2 that one line says why nothing can be tested, 3 that
nothing could be.
"""

CLASS = """
class Subject:
    def __init__(self):
        self.n = 0
    def bump(self):
        n = self.n
        self.n = n + 1
        return self.n
"""
ENDLESS = {  # those that go on until the budget is used up
    "error of endless text": (
        "class E(BaseException):\n    def __str__(self):\n        while True: pass\nraise E\n", "", 2,
    ),
    "argument of endless text": (
        "class A:\n    def __repr__(self):\n        while True: pass\nraise ValueError(A(), 1)\n", "", 2,
    ),
    "name without end": (
        "class N(str):\n    def __eq__(self, other):\n        while True: pass\n    __hash__ = str.__hash__\n"
        "e = ModuleNotFoundError('x')\ne.name = N('\\x1b')\nraise e\n", "", 2,
    ),
    "subclass without end": (
        "class B:\n    def __init_subclass__(cls):\n        while True: pass\n", "class T(Subject, B): pass\n", 2,
    ),
    "finder without end": (
        "import sys\nclass F:\n    def find_spec(self, *_):\n        while True: pass\nsys.meta_path.insert(0, F())\n",
        "", 2,
    ),
    "file of a device": ("", "__file__ = __cached__ = '/dev/zero'\n", 2),
    "deaf to signals": (
        "import faulthandler, signal\nfor number in (1, 2, 10, 12, 15): signal.signal(number, signal.SIG_IGN)\n"
        "faulthandler.disable()\nfaulthandler.unregister(12)\nwhile True: pass\n", "", 2,
    ),
}  # fmt: skip
ACTS = {
    # errors that lie
    "text of another class": (
        "class S(str):\n    def __str__(self): 1 / 0\n    __len__ = __getitem__ = split = encode = __str__\n"
        "class E(Exception):\n    def __str__(self): return S('\\x1b[2Jx')\nraise E\n", "", 2,
    ),
    "error with a name of escapes": (
        "raise type('E\\x1b]0;x\\x07\\n::error::', (Exception,), {})('\\u202e\\n::error::y\\ud800')\n", "", 2,
    ),
    "syntax error of a device": ("raise SyntaxError('\\x1bno', ('/dev/zero', 1, 1, '\\x1b', 1, 1))\n", "", 2),
    "syntax error of lies": (
        "class S(SyntaxError):\n    filename = property(lambda _: 1 / 0)\n    lineno = msg = filename\nraise S\n",
        "", 2,
    ),
    # what the module is
    "module of another class": (
        "", "import sys\nclass M:\n    def __getattr__(self, n): raise ZeroDivisionError(n)\n"
        "sys.modules[__name__] = M()\n", 2,
    ),
    "module that is gone": ("", "import sys\ndel sys.modules[__name__]\n", 2),
    "module of lies": (
        "", "import sys, types\nclass M(types.ModuleType):\n    __dict__ = property(lambda _: 1 / 0)\n"
        "    __name__ = __file__ = __spec__ = __dict__\nsys.modules[__name__].__class__ = M\n", 2,
    ),
    "names of nonsense": (
        "", "__file__ = '\\x1b\\n::error::'\n__spec__ = 5\n__name__ = '\\x1b'\n__loader__ = 7\n__path__ = [5]\n", 1,
    ),
    # what classes are
    "name that raises": (
        "class D:\n    def __set_name__(self, *_): raise ZeroDivisionError('\\x1b')\nclass O: d = D()\n", "", 2,
    ),
    "item by recursion": (
        "class G:\n    def __class_getitem__(cls, key): return cls[key]\n",
        "class Subject(Subject, G):\n    def act(self, a: 'Subject[int]' = None): return 1\n", 1,
    ),
    "class that cannot be called": (
        "class M(type):\n    def __call__(cls, *_, **__): raise SystemExit(0)\n",
        "class Subject(Subject, metaclass=M): pass\n", 2,
    ),
    # what it leaves behind
    "thread that spins": (
        "import threading\ndef spin():\n    while True: pass\nthreading.Thread(target=spin, daemon=True).start()\n",
        "", 1,
    ),
    "thread that waits at the end": (
        "import threading, time\nthreading.Thread(target=time.sleep, args=(1e6,)).start()\n", "", 1,
    ),
    "end without end": ("import atexit\ndef spin():\n    while True: pass\natexit.register(spin)\n", "", 1),
    "object that is never gone": (
        "import sys\nclass X:\n    def __del__(self):\n        while True: pass\nsys.kept = X()\n", "", 1,
    ),
    "numbers of few digits": (
        "import sys\nsys.set_int_max_str_digits(640)\n",
        "class Subject(Subject):\n    def act(self): return 10 ** 700\n", 1,
    ),
    "little recursion": ("import sys\nsys.setrecursionlimit(max(60, 1))\n", "", 1),
    "profile that raises": (
        "import sys, threading\ndef f(*_): raise RuntimeError\nthreading.setprofile(f)\nsys.setprofile(f)\n", "", 2,
    ),
    "code of plait emptied": (
        "import gc, types\ndef f(*_, **__): return None\nfor each in gc.get_objects():\n"
        "    if type(each) is types.FunctionType and (each.__module__ or '').startswith('plait.'):\n"
        "        try: each.__code__ = f.__code__\n        except Exception: pass\n", "", 2,
    ),
    "end at once": ("import os\nos._exit(0)\n", "", 2),
    "everything closed": ("import os\nos.closerange(3, 4096)\n", "", 2),
    "closed, and asleep": ("import os, time\nos.closerange(3, 4096)\ntime.sleep(1e6)\n", "", 2),
    "text without end": ("'''" + "x" * 2_000_000 + "'''\n", "", 1),
    "name of a class without end": ("class " + "A" * 200_000 + ": pass\n", "", 1),
}  # fmt: skip


def source(name):
    """The text of a module with `Subject`, and the exit code of a check of it."""
    before, behind, code = {**ACTS, **ENDLESS}[name]
    return f"{before}{CLASS}{behind}", code
