r"""Classes that deceive whoever looks at them, as data: the module of each, beside the race that it must not hide.

In the text ``{methods}`` stands for a sound method and a racy one.
"""

METHODS = """
    def __init__(self):
        self.n = 0
    def bump(self):
        n = self.n
        self.n = n + 1
        return self.n
"""
_CLASS = "class Subject:{methods}"
BODIES = {
    # what is read of functions and classes
    "wrapped by itself": "    def act(self): return 1\n    act.__wrapped__ = act\n",
    "wrapped in a circle": (
        "    def act(self): return 1\n    def other(self): return 1\n"
        "    act.__wrapped__, other.__wrapped__ = other, act\n"
    ),
    "signature of nonsense": "    def act(self): return 1\n    act.__signature__ = 5\n",
    "signature that raises": (
        "    class S:\n        def __get__(self, *_): raise ZeroDivisionError\n        def __call__(self): 1 / 0\n"
        "    def act(self): return 1\n    act.__signature__ = S()\n"
    ),
    "text signature of nonsense": "    __text_signature__ = '($self, /, \\x1b'\n    def act(self): return 1\n",
    "annotations that raise": (
        "    def act(self, a: 'nobody.knows[' = 1): return 1\n    def more(self, a: (lambda: 1) = 2): return 2\n"
    ),
    "annotations of nonsense": "    def act(self, a=1): return 1\n    act.__annotations__ = {5: 6, 'a': object()}\n",
    "annotations without end": (
        "    def act(self, a: T = None): return 1\n",
        "import typing\nT = int\nfor _ in range(300):\n    T = typing.List[T]\n",
    ),
    "defaults that lie": (
        "    def act(self, a=D()): return 1\n",
        "class D:\n    def __repr__(self): raise ZeroDivisionError\n    __eq__ = __hash__ = __bool__ = __repr__\n",
    ),
    "keyword defaults of nonsense": "    def act(self, *, a=1): return 1\n    act.__kwdefaults__ = {'b': 2}\n",
    "names of nonsense": (
        "    def act(self): return 1\n    act.__name__ = '\\x1b]0;x\\x07\\n::error::'\n"
        "    act.__qualname__ = '\\u202e'\n"
        "    act.__module__ = 5\n"
    ),
    "doc of nonsense": "    def act(self): return 1\n    act.__doc__ = 5\n    __doc__ = 7\n",
    "doc with everything": (
        '    def act(self):\n        """\\x1b[2J\\n::error::x\\n>>> Subject().act(\\n>>> [\\n'
        '\\ud800"""\n        return 1\n'
    ),
    "doc without end": "    def act(self): return 1\n    act.__doc__ = '>>> Subject()\\n' * 500_000\n",
    "slots without end": "    __slots__ = ('n', *map('a{}'.format, range(20_000)))\n",
    "methods without end": "    for _n in range(300):\n        exec(f'def m{_n}(self): return {_n}')\n",
    "properties that raise": (
        "    @property\n    def value(self): raise ZeroDivisionError\n    @property\n"
        "    def other(self): raise SystemExit\n"
    ),
    "descriptor that deletes": (
        "    class D:\n        def __get__(self, *_): raise AttributeError\n        def __set_name__(self, *_): pass\n"
        "    act = D()\n"
    ),
    "attributes that it invents": "    def __getattr__(self, name): return self\n",
    "attributes that raise": "    def __getattr__(self, name): raise ZeroDivisionError(name)\n",
    "attributes that it hides": "    def __dir__(self): return [5, None, '\\x1b', 'bump', object()]\n",
    "directory without end": "    def __dir__(self):\n        while True: yield 'x'\n",
    "class that lies": "    @property\n    def __class__(self): return int\n",
    "class that raises": "    @property\n    def __class__(self): raise ZeroDivisionError\n",
    "dictionary that lies": "    @property\n    def __dict__(self): return {'n': 5, 7: 8}\n",
    "dictionary that raises": "    @property\n    def __dict__(self): raise ZeroDivisionError\n",
    "new that returns another": "    def __new__(cls): return Other()\n",
    "new that returns a class": "    def __new__(cls): return cls\n",
    "copy that raises": "    def __copy__(self): 1 / 0\n    __deepcopy__ = __reduce_ex__ = __getstate__ = __copy__\n",
    "metaclass of instances": "{meta}",
    # what is asked of values
    "text without end": "    def act(self): return Text()\n",
    "text by recursion": "    def act(self): return Deep()\n",
    "equal by recursion": "    def act(self): return Same()\n",
    "hash by recursion": "    def act(self): return {Hash()}\n",
    "long number": "    def act(self): return 10 ** 20_000\n",
    "long negative number": "    def act(self): return -(1 << 5_000_000)\n",
    "long text": "    def act(self): return 'x' * 30_000_000\n",
    "text of escapes": "    def act(self): return '\\x1b[2J\\n::error::x\\u202e\\ud800'\n",
    "error of escapes": "    def act(self): raise ValueError('\\x1b[2J\\n::error::x\\u202e\\ud800')\n",
    "error without end": "    def act(self): raise ValueError('x' * 30_000_000)\n",
    "error that is no text": "    def act(self): raise Bad\n",
    "error of lies": "    def act(self): raise Liar('x')\n",
    "length without end": (
        "    def __len__(self): return 1 << 62\n"
        "    def __iter__(self): return self\n    def __next__(self): return 1\n"
    ),
    "not a number": "    def act(self): return float('nan'), float('inf'), {float('nan')}, -0.0\n",
    "circle": (
        "    def act(self):\n        a = []\n        a.append(a)\n"
        "        self.kept = {'a': a}\n        self.kept['b'] = self.kept\n        return a\n"
    ),
    "nest": "    def act(self):\n        a = ()\n        for _ in range(50_000): a = (a,)\n        return a\n",
    "wide": "    def act(self): return list(range(300_000))\n",
    "dictionary of lies": "    def act(self): return Map()\n",
    "enum of lies": "    def act(self): return Colour.RED\n",
    "record of lies": "    def act(self): return Record(1)\n",
    "text of another class": "    def act(self): return Name('x')\n",
    "number of another class": "    def act(self): return Count(3)\n",
    "truth that raises": "    def act(self): return Truth()\n",
    "generator without end": "    def act(self):\n        while True: yield 1\n",
    "coroutine": "    async def act(self): return 1\n",
    "itself": "    def act(self): return self\n",
    "frame": "    def act(self): return sys._getframe(1)\n",
    "module": "    def act(self): return sys\n",
    "everything": "    def act(self): return gc.get_objects()\n",
}
HELPERS = r'''
import collections, dataclasses, enum, gc, sys, typing
class Other: pass
class Text:
    def __repr__(self): return "x" * 200_000_000
    __str__ = __repr__
class Deep:
    def __repr__(self): return repr(self)
class Same:
    def __eq__(self, other): return self == other
    __hash__ = None
class Hash:
    def __hash__(self): return hash(self) if sys._getframe(1).f_code.co_name != "act" else 1
    def __eq__(self, other): raise ZeroDivisionError
class Bad(Exception):
    def __str__(self): return 5
    def __repr__(self): raise SystemExit
class Liar(Exception):
    __module__ = 5
    __qualname__ = "\x1b[2J\n::error::"
    @property
    def __class__(self): return SystemExit
    args = property(lambda self: 1 / 0)
    __traceback__ = property(lambda self: 1 / 0)
    __cause__ = __context__ = __notes__ = property(lambda self: self)
class Map(dict):
    def items(self): return 5
    def __iter__(self): raise ZeroDivisionError
    keys = values = __len__ = __getitem__ = items
class Colour(enum.Enum):
    RED = "\x1b"
    @property
    def name(self): raise ZeroDivisionError
    value = name
@dataclasses.dataclass
class Record:
    a: int
    def __getattribute__(self, name): raise ZeroDivisionError(name)
class Name(str):
    def __str__(self): return 5
    __repr__ = __len__ = __eq__ = __str__
    __hash__ = str.__hash__
class Count(int):
    def __repr__(self): raise ZeroDivisionError
    __str__ = __eq__ = __int__ = __index__ = __bool__ = __repr__
    __hash__ = int.__hash__
class Truth:
    def __bool__(self): raise SystemExit
class Meta(type):
    def __instancecheck__(cls, other): raise ZeroDivisionError
    __subclasscheck__ = __eq__ = __repr__ = __instancecheck__
    __hash__ = type.__hash__
'''


def source(name):
    """The text of a module with `Subject`."""
    body = BODIES[name]
    before = ""
    if isinstance(body, tuple):
        body, before = body
    meta = "(metaclass=Meta)" if body == "{meta}" else ""
    body = "" if body == "{meta}" else body
    return f"{HELPERS}{before}class Subject{meta}:{METHODS}{body}"
