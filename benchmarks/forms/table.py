r"""The ways in which Python reads, writes or updates what threads share: each a small "read, add one, store".

A line of `TABLE` is ``name: code``; ``\n`` in it is a new line. A heading ``== kind | preparation | count`` says what
all forms below it share, and by which expression the updates are counted. `module_source` makes a module of them in
which ``form_NAME()`` returns two functions: one makes one update, the other counts those made. An update is *torn*
where fewer were counted than made, or where one raises.

The two threads of a form do the same thing. So the forms of kind "between" read, do something that others may see the
end of, and store: they show where the interpreter may switch.
"""

from __future__ import annotations

import textwrap
from typing import NamedTuple

PRELUDE = '''
import array, bisect, collections, copy, dataclasses, functools, heapq, itertools, math, operator, random, re, sys
import types, weakref

INCREMENT = compile("s.x += 1", "<form>", "exec")
VALUE = compile("s.x + 1", "<form>", "eval")
get_x, get_k, get_0 = operator.attrgetter("x"), operator.itemgetter("k"), operator.itemgetter(0)
g = 0

def plus_one(value):
    return value + 1

def give(value):
    yield value

def relay(value):
    yield from give(value)

def nothing(*args):
    return None

class Base:
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)

class Plain:
    def __init__(self):
        self.x = 0
        self.rest = None
    def bump(self):
        self.x += 1
    def put(self, value):
        self.x = value
    def get(self):
        return self.x
    def __len__(self):
        return 1
    @property
    def p(self):
        return self.x
    @p.setter
    def p(self, value):
        self.x = value
    @staticmethod
    def bump_it(it):
        it.x += 1
    @classmethod
    def bump_by_class(cls, it):
        it.x += 1
    add_by = functools.partialmethod(lambda self, n: self.put(self.x + n), 1)

class Child(Plain):
    def bump_above(self):
        super().bump()
    def set_above(self):
        super().__setattr__("x", self.x + 1)
    def get_above(self):
        self.x = super().__getattribute__("x") + 1

class Slots:
    __slots__ = ("x", "__weakref__")
    def __init__(self):
        self.x = 0

class Both:
    __slots__ = ("x", "__dict__")
    def __init__(self):
        self.x = 0

class Watched:
    def __init__(self):
        self.x = 0
    def __setattr__(self, name, value):
        super().__setattr__(name, value)

class Asked:
    def __init__(self):
        self.x = 0
    def __getattribute__(self, name):
        return super().__getattribute__(name)

class Lacking:
    def __init__(self):
        self.store = {"x": 0}
    def __getattr__(self, name):
        return self.store[name]
    def bump(self):
        self.store["x"] = self.x + 1

class Descriptor:
    def __get__(self, it, kind=None):
        return it.value
    def __set__(self, it, value):
        it.value = value

class Described:
    x = Descriptor()
    def __init__(self):
        self.value = 0

class Reading:
    def __get__(self, it, kind=None):
        return it.value

class Read:
    y = Reading()
    def __init__(self):
        self.value = 0

@dataclasses.dataclass
class Data:
    x: int = 0

@dataclasses.dataclass(slots=True)
class SlotData:
    x: int = 0

class Holding:
    def __init__(self, value):
        self.value = value
    def __enter__(self):
        return self.value
    def __exit__(self, *exc):
        return None

class Key:
    def __init__(self, n=1):
        self.n = n
    def __hash__(self):
        return 1
    def __eq__(self, other):
        return isinstance(other, Key)
    def __lt__(self, other):
        return False

class Many:
    """Everything that an operator or built-in may call."""
    def __len__(self): return 1
    def __getitem__(self, key): return 1
    def __setitem__(self, key, value): return None
    def __delitem__(self, key): return None
    def __contains__(self, key): return True
    def __iter__(self): return iter((1,))
    def __reversed__(self): return iter((1,))
    def __call__(self): return 1
    def __add__(self, other): return 1
    def __radd__(self, other): return 1
    def __iadd__(self, other): return self
    def __neg__(self): return 1
    def __abs__(self): return 1
    def __int__(self): return 1
    def __float__(self): return 1.0
    def __index__(self): return 0
    def __round__(self, n=None): return 1
    def __str__(self): return "m"
    def __repr__(self): return "m"
    def __format__(self, spec): return "m"
    def __enter__(self): return self
    def __exit__(self, *exc): return None
    def __copy__(self): return self
    def __dir__(self): return []
    def __eq__(self, other): return True
    def __lt__(self, other): return False
    def __hash__(self): return 1
    @property
    def p(self): return 1

class Truth:
    def __bool__(self): return True

class Meta(type):
    def __instancecheck__(cls, it): return True
    def __subclasscheck__(cls, kind): return True

class Abstract(metaclass=Meta):
    pass

class Counted(type):
    @property
    def p(cls): return cls.x
    @p.setter
    def p(cls, value): cls.x = value

many, truth, key = Many(), Truth(), Key()
numbers, keys, other_keys = [1, 2], [Key(), Key()], [Key(), Key()]
by_name, key_values, other_values = {"a": 1}, {"a": Key()}, {"a": Key()}
of_keys = {Key(): 1}
words = ["a", "b"]
'''

TABLE = r"""
== attribute | s = Plain() | s.x
iadd: s.x += 1
isub: s.x -= -1
add: s.x = s.x + 1
add on the left: s.x = 1 + s.x
two statements: v = s.x; s.x = v + 1
tuple: s.x, _ = s.x + 1, 0
list target: [s.x] = [s.x + 1]
chained targets: s.x = y = s.x + 1
starred target: *s.rest, s.x = 0, s.x + 1
for target: for s.x in [s.x + 1]: pass
with target: with Holding(s.x + 1) as s.x: pass
comprehension target: [0 for s.x in [s.x + 1]]
annotated: s.x: int = s.x + 1
walrus: s.x = (y := s.x) + 1
conditional: s.x = s.x + 1 if s.x >= 0 else 0
and or: s.x = s.x and s.x + 1 or 1
formatted: s.x = int(f"{s.x}") + 1
fstring only: v = s.x; f"{v}"; s.x = v + 1
match class: match s:\n    case Plain(x=v): s.x = v + 1
try finally: try: v = s.x\nfinally: s.x = v + 1
setattr getattr: setattr(s, "x", getattr(s, "x") + 1)
setattr: setattr(s, "x", s.x + 1)
getattr: s.x = getattr(s, "x") + 1
getattr default: s.x = getattr(s, "x", 0) + 1
setattr star: setattr(*(s, "x", s.x + 1))
dunder setattr: s.__setattr__("x", s.x + 1)
object setattr: object.__setattr__(s, "x", s.x + 1)
object setattr getattribute: object.__setattr__(s, "x", object.__getattribute__(s, "x") + 1)
dunder getattribute: s.x = s.__getattribute__("x") + 1
class of object setattr: Plain.__setattr__(s, "x", s.x + 1)
type of setattr: type(s).__setattr__(s, "x", s.x + 1)
super setattr: super(Plain, s).__setattr__("x", s.x + 1)
bound setattr: put = s.__setattr__; put("x", s.x + 1)
bound getattribute: get = s.__getattribute__; s.x = get("x") + 1
map setattr: list(map(setattr, [s], ["x"], [s.x + 1]))
any map setattr: any(map(setattr, [s], ["x"], [s.x + 1]))
loop map setattr: for _ in map(setattr, [s], ["x"], [s.x + 1]): pass
starmap setattr: list(itertools.starmap(setattr, [(s, "x", s.x + 1)]))
map getattr: s.x = list(map(getattr, [s], ["x"]))[0] + 1
map dunder setattr: list(map(s.__setattr__, ["x"], [s.x + 1]))
partial setattr: functools.partial(setattr, s, "x")(s.x + 1)
partial setattr kept: put = functools.partial(setattr, s); put("x", s.x + 1)
partial setattr whole: functools.partial(setattr, s, "x", s.x + 1)()
partial getattr: s.x = functools.partial(getattr, s, "x")() + 1
map partial setattr: list(map(functools.partial(setattr, s, "x"), [s.x + 1]))
setattr kept: put = setattr; put(s, "x", s.x + 1)
getattr kept: get = getattr; s.x = get(s, "x") + 1
setattr in a list: [setattr][0](s, "x", s.x + 1)
vars iadd: vars(s)["x"] += 1
vars twice: vars(s)["x"] = vars(s)["x"] + 1
vars read: s.x = vars(s)["x"] + 1
vars written: vars(s)["x"] = s.x + 1
vars update: vars(s).update({"x": s.x + 1})
vars get: s.x = vars(s).get("x") + 1
dict iadd: s.__dict__["x"] += 1
dict written: s.__dict__["x"] = s.x + 1
dict read: s.x = s.__dict__["x"] + 1
dict update: s.__dict__.update(x=s.x + 1)
dict setitem: s.__dict__.__setitem__("x", s.x + 1)
dict setitem by class: dict.__setitem__(s.__dict__, "x", s.x + 1)
dict replaced: s.__dict__ = {"x": s.x + 1}
dict get: s.x = s.__dict__.get("x") + 1
dict setdefault: s.x = s.__dict__.setdefault("x", 0) + 1
dict pop: s.x = s.__dict__.pop("x") + 1
dict ior: d = s.__dict__; d |= {"x": s.x + 1}
dict copied: s.x = dict(vars(s))["x"] + 1
dict unpacked: s.x = {**vars(s)}["x"] + 1
dict values: s.x = list(vars(s).values())[0] + 1
dict getattr: s.x = getattr(s, "__dict__")["x"] + 1
percent vars: s.x = int("%(x)d" % vars(s)) + 1
str format: s.x = int("{0.x}".format(s)) + 1
str format map: s.x = int("{x}".format_map(vars(s))) + 1
attrgetter: s.x = operator.attrgetter("x")(s) + 1
attrgetter kept: s.x = get_x(s) + 1
attrgetter mapped: s.x = list(map(get_x, [s]))[0] + 1
attrgetter as key: s.x = get_x(max([s], key=get_x)) + 1
methodcaller: operator.methodcaller("bump")(s)
methodcaller get: s.x = operator.methodcaller("get")(s) + 1
methodcaller setattr: operator.methodcaller("__setattr__", "x", s.x + 1)(s)
methodcaller getattribute: s.x = operator.methodcaller("__getattribute__", "x")(s) + 1
operator add: s.x = operator.add(s.x, 1)
operator iadd: s.x = operator.iadd(s.x, 1)
operator setitem vars: operator.setitem(vars(s), "x", s.x + 1)
operator getitem vars: s.x = operator.getitem(vars(s), "x") + 1
int add: s.x = s.x.__add__(1)
int add by class: s.x = int.__add__(s.x, 1)
sum: s.x = sum([s.x, 1])
max: s.x = max(s.x, 0) + 1
abs: s.x = abs(s.x) + 1
range: s.x = len(range(s.x)) + 1
lambda: s.x = (lambda v: v + 1)(s.x)
function: s.x = plus_one(s.x)
reduce: s.x = functools.reduce(operator.add, [s.x, 1])
next iter: s.x = next(iter([s.x])) + 1
next genexp: s.x = next(v + 1 for v in [s.x])
listcomp: s.x = [v + 1 for v in [s.x]][0]
yield from: s.x = next(relay(s.x)) + 1
delete: v = s.x; del s.x; s.x = v + 1
delattr: v = s.x; delattr(s, "x"); s.x = v + 1
dunder delattr: v = s.x; s.__delattr__("x"); s.x = v + 1
hasattr: v = s.x; hasattr(s, "x"); s.x = v + 1
copy: s.x = copy.copy(s).x + 1
deepcopy: s.x = copy.deepcopy(s).x + 1
weak proxy: weakref.proxy(s).x += 1
weak reference: weakref.ref(s)().x += 1
method: s.bump()
method by class: Plain.bump(s)
method by getattr: getattr(s, "bump")()
method kept: bump = s.bump; bump()
method partial: functools.partial(Plain.bump, s)()
partialmethod: s.add_by()
static method: s.bump_it(s)
class method: s.bump_by_class(s)
get method: s.x = s.get() + 1
put method: s.put(s.x + 1)
map method: list(map(Plain.bump, [s]))
property: s.p += 1
property by hand: Plain.p.fset(s, Plain.p.fget(s) + 1)
property descriptor: Plain.p.__set__(s, Plain.p.__get__(s) + 1)
length: s.x = s.x + len(s)
exec: exec("s.x += 1", {"s": s})
exec here: exec("s.x += 1", globals(), {"s": s})
exec frame: s; exec("s.x = s.x + 1")
exec code: exec(INCREMENT, {"s": s})
eval: s.x = eval("s.x", {"s": s}) + 1
eval whole: s.x = eval("s.x + 1", {"s": s})
eval frame: s.x = eval("s.x") + 1
eval code: s.x = eval(VALUE, {"s": s})
eval setattr: eval("setattr(s, 'x', s.x + 1)", {"s": s})
exec function: n = {}; exec("def bump(s): s.x += 1", n); n["bump"](s)
subclass super: Child.bump_above(s) if isinstance(s, Child) else s.bump()

== attribute of a subclass | s = Child() | s.x
super method: s.bump_above()
super method setattr: s.set_above()
super getattribute: s.get_above()

== nested attribute | s = Plain(); s.o = Plain() | s.o.x
nested iadd: s.o.x += 1
nested add: s.o.x = s.o.x + 1
nested kept: o = s.o; o.x = o.x + 1
nested attrgetter: s.o.x = operator.attrgetter("o.x")(s) + 1
nested str format: s.o.x = int("{0.o.x}".format(s)) + 1
nested setattr: setattr(s.o, "x", s.o.x + 1)
nested vars: vars(vars(s)["o"])["x"] += 1
nested dict: s.__dict__["o"].x += 1

== slot | s = Slots() | s.x
slot iadd: s.x += 1
slot add: s.x = s.x + 1
slot setattr: setattr(s, "x", s.x + 1)
slot object setattr: object.__setattr__(s, "x", s.x + 1)
slot descriptor: Slots.x.__set__(s, Slots.x.__get__(s) + 1)
slot descriptor get: s.x = Slots.x.__get__(s) + 1
slot descriptor set: Slots.x.__set__(s, s.x + 1)
slot from dict: Slots.__dict__["x"].__set__(s, s.x + 1)
slot bound: put = Slots.x.__set__; put(s, s.x + 1)
slot mapped: list(map(Slots.x.__set__, [s], [s.x + 1]))
slot partial: functools.partial(Slots.x.__set__, s)(s.x + 1)
slot attrgetter: s.x = get_x(s) + 1
slot delete: v = s.x; del s.x; s.x = v + 1
slot descriptor delete: v = s.x; Slots.x.__delete__(s); s.x = v + 1
slot copy: s.x = copy.copy(s).x + 1
slot exec: exec("s.x += 1", {"s": s})

== slot beside a dictionary | s = Both() | s.x
both iadd: s.x += 1
both setattr: s.__setattr__("x", s.x + 1)
both descriptor: Both.x.__set__(s, s.x + 1)

== watched attribute | s = Watched() | s.x
watched iadd: s.x += 1
watched setattr: setattr(s, "x", s.x + 1)
watched object setattr: object.__setattr__(s, "x", s.x + 1)
watched vars: vars(s)["x"] += 1

== asked attribute | s = Asked() | s.x
asked iadd: s.x += 1
asked getattr: s.x = getattr(s, "x") + 1
asked attrgetter: s.x = get_x(s) + 1

== lacking attribute | s = Lacking() | s.x
lacking bump: s.bump()
lacking attrgetter: s.store["x"] = get_x(s) + 1
lacking getattr: s.store["x"] = getattr(s, "x") + 1

== described attribute | s = Described() | s.value
descriptor iadd: s.x += 1
descriptor setattr: setattr(s, "x", s.x + 1)
descriptor object setattr: object.__setattr__(s, "x", s.x + 1)
descriptor by hand: Described.__dict__["x"].__set__(s, s.value + 1)
descriptor attrgetter: s.x = get_x(s) + 1

== read descriptor | s = Read() | s.value
reading: s.value = s.y + 1
reading getattr: s.value = getattr(s, "y") + 1
reading attrgetter: s.value = operator.attrgetter("y")(s) + 1

== dataclass | s = Data() | s.x
dataclass iadd: s.x += 1
dataclass replace: s.x = dataclasses.replace(s).x + 1
dataclass asdict: s.x = dataclasses.asdict(s)["x"] + 1
dataclass init: s.__init__(s.x + 1)
dataclass eq: v = s.x; s == s; s.x = v + 1
dataclass repr: v = s.x; repr(s); s.x = v + 1

== dataclass with slots | s = SlotData() | s.x
slot dataclass iadd: s.x += 1
slot dataclass setattr: s.__setattr__("x", s.x + 1)

== name space | s = types.SimpleNamespace(x=0) | s.x
namespace iadd: s.x += 1
namespace setattr: setattr(s, "x", s.x + 1)
namespace vars: vars(s)["x"] += 1
namespace init: s.__init__(x=s.x + 1)

== function attribute | s = lambda a=0, *, k=0: None; s.x = 0 | s.x
function attribute iadd: s.x += 1
function attribute setattr: setattr(s, "x", s.x + 1)
function attribute dict: s.__dict__["x"] += 1

== function default | s = lambda a=0: a | s.__defaults__[0]
defaults: s.__defaults__ = (s.__defaults__[0] + 1,)
defaults call: s.__defaults__ = (s() + 1,)

== keyword default | s = lambda *, k=0: k | s.__kwdefaults__["k"]
keyword defaults: s.__kwdefaults__["k"] += 1

== module attribute | s = types.ModuleType("made"); s.x = 0 | s.x
module iadd: s.x += 1
module setattr: setattr(s, "x", s.x + 1)
module dict: s.__dict__["x"] += 1
module vars: vars(s)["x"] += 1

== exception attribute | s = ValueError(0) | s.args[0]
exception args: s.args = (s.args[0] + 1,)

== class attribute | K = type("K", (), {"x": 0}); k = K(); L = type("L", (K,), {}); l = L() | K.x
class iadd: K.x += 1
class add: K.x = K.x + 1
class setattr: setattr(K, "x", K.x + 1)
class type setattr: type.__setattr__(K, "x", K.x + 1)
class dunder setattr: K.__class__.__setattr__(K, "x", K.x + 1)
class through instance: K.x = k.x + 1
class of instance: k.__class__.x += 1
class type of: type(k).x += 1
class through subclass: K.x = L.x + 1
class through super: K.x = super(L, l).x + 1
class through super class: K.x = super(L, L).x + 1
class through another: K.x = l.x + 1
class vars: K.x = vars(K)["x"] + 1
class dict: K.x = K.__dict__["x"] + 1
class getattr: K.x = getattr(K, "x") + 1
class getattr instance: K.x = getattr(k, "x") + 1
class type getattribute: K.x = type.__getattribute__(K, "x") + 1
class attrgetter: K.x = get_x(K) + 1
class attrgetter instance: K.x = get_x(k) + 1
class map setattr: list(map(setattr, [K], ["x"], [K.x + 1]))
class partial setattr: functools.partial(setattr, K, "x")(K.x + 1)
class mro: K.x = K.__mro__[0].x + 1
class exec: exec("K.x += 1", {"K": K})
class method iadd: classmethod(lambda cls: setattr(cls, "x", cls.x + 1)).__get__(None, K)()

== class attribute with a property | K = Counted("K", (), {"x": 0}) | K.x
metaclass property: K.p += 1

== dict element | d = {"k": 0} | d["k"]
item iadd: d["k"] += 1
item add: d["k"] = d["k"] + 1
item two statements: v = d["k"]; d["k"] = v + 1
item get: d["k"] = d.get("k") + 1
item get default: d["k"] = d.get("k", 0) + 1
item setdefault: d["k"] = d.setdefault("k", 0) + 1
item pop: d["k"] = d.pop("k") + 1
item delete: v = d["k"]; del d["k"]; d["k"] = v + 1
item update: d.update(k=d["k"] + 1)
item update dict: d.update({"k": d["k"] + 1})
item update pairs: d.update([("k", d["k"] + 1)])
item ior: e = d; e |= {"k": d["k"] + 1}
item dunder set: d.__setitem__("k", d["k"] + 1)
item dunder get: d["k"] = d.__getitem__("k") + 1
item dict set: dict.__setitem__(d, "k", d["k"] + 1)
item dict get: d["k"] = dict.__getitem__(d, "k") + 1
item operator both: operator.setitem(d, "k", operator.getitem(d, "k") + 1)
item operator set: operator.setitem(d, "k", d["k"] + 1)
item operator get: d["k"] = operator.getitem(d, "k") + 1
item itemgetter: d["k"] = operator.itemgetter("k")(d) + 1
item itemgetter kept: d["k"] = get_k(d) + 1
item methodcaller get: d["k"] = operator.methodcaller("get", "k")(d) + 1
item methodcaller set: operator.methodcaller("__setitem__", "k", d["k"] + 1)(d)
item methodcaller update: operator.methodcaller("update", k=d["k"] + 1)(d)
item map set: list(map(d.__setitem__, ["k"], [d["k"] + 1]))
item map get: d["k"] = list(map(d.get, ["k"]))[0] + 1
item map getitem: d["k"] = list(map(d.__getitem__, ["k"]))[0] + 1
item map operator: list(map(operator.setitem, [d], ["k"], [d["k"] + 1]))
item loop map set: for _ in map(d.__setitem__, ["k"], [d["k"] + 1]): pass
item partial set: functools.partial(d.__setitem__, "k")(d["k"] + 1)
item partial operator: functools.partial(operator.setitem, d, "k")(d["k"] + 1)
item bound set: put = d.__setitem__; put("k", d["k"] + 1)
item bound get: get = d.get; d["k"] = get("k") + 1
item bound update: put = d.update; put(k=d["k"] + 1)
item copy: d["k"] = d.copy()["k"] + 1
item dict: d["k"] = dict(d)["k"] + 1
item unpacked: d["k"] = {**d}["k"] + 1
item values: d["k"] = list(d.values())[0] + 1
item items: d["k"] = list(d.items())[0][1] + 1
item sum: d["k"] = sum(d.values()) + 1
item next values: d["k"] = next(iter(d.values())) + 1
item loop items: for k, v in d.items(): d[k] = v + 1
item loop keys: for k in d: d[k] += 1
item loop list: for k in list(d): d[k] += 1
item proxy: d["k"] = types.MappingProxyType(d)["k"] + 1
item proxy get: d["k"] = types.MappingProxyType(d).get("k") + 1
item chain map: collections.ChainMap(d)["k"] += 1
item for target: for d["k"] in [d["k"] + 1]: pass
item with target: with Holding(d["k"] + 1) as d["k"]: pass
item match: match d:\n    case {"k": v}: d["k"] = v + 1
item comprehension: d.update({k: v + 1 for k, v in d.items()})
item keywords: d["k"] = (lambda k: k)(**d) + 1
item percent: d["k"] = int("%(k)d" % d) + 1
item format map: d["k"] = int("{k}".format_map(d)) + 1
item contains: v = d["k"]; "k" in d; d["k"] = v + 1
item exec: exec("d['k'] += 1", {"d": d})
item eval: d["k"] = eval("d['k']", {"d": d}) + 1
item as globals: exec("k += 1", d)
item as locals: exec("k = k + 1", {}, d)
item popitem: d["k"] = d.popitem()[1] + 1
item function: d["k"] = plus_one(d["k"])
item reduce: d["k"] = functools.reduce(operator.add, d.values(), 1)
item starred: d["k"] = [*d.values()][0] + 1
item unpacking: (v,) = d.values(); d["k"] = v + 1
item max: d["k"] = max(d.values()) + 1
item sorted: d["k"] = sorted(d.values())[0] + 1
item zip: d["k"] = list(zip(d, d.values()))[0][1] + 1

== ordered dict element | d = collections.OrderedDict(k=0) | d["k"]
ordered iadd: d["k"] += 1
ordered get: d["k"] = d.get("k") + 1
ordered operator: operator.setitem(d, "k", d["k"] + 1)

== default dict element | d = collections.defaultdict(int) | d["k"]
default iadd: d["k"] += 1
default get: d["k"] = d.get("k", 0) + 1

== counter element | d = collections.Counter(k=0) | d["k"]
counter iadd: d["k"] += 1
counter get: d["k"] = d.get("k") + 1
counter update: d.update(k=1)
counter subtract: d.subtract(k=-1)

== user dict element | d = collections.UserDict(k=0) | d["k"]
user dict iadd: d["k"] += 1
user dict data: d.data["k"] += 1

== element with a key in Python | d = {key: 0} | d[key]
key iadd: d[key] += 1
key get: d[key] = d.get(key) + 1
key operator: operator.setitem(d, key, d[key] + 1)

== list element | l = [0] | l[0]
list iadd: l[0] += 1
list negative: l[-1] += 1
list add: l[0] = l[0] + 1
list slice: l[:] = [l[0] + 1]
list part: l[0:1] = [l[0] + 1]
list dunder set: l.__setitem__(0, l[0] + 1)
list dunder get: l[0] = l.__getitem__(0) + 1
list class set: list.__setitem__(l, 0, l[0] + 1)
list operator both: operator.setitem(l, 0, operator.getitem(l, 0) + 1)
list operator set: operator.setitem(l, 0, l[0] + 1)
list itemgetter: l[0] = operator.itemgetter(0)(l) + 1
list itemgetter kept: l[0] = get_0(l) + 1
list map set: list(map(l.__setitem__, [0], [l[0] + 1]))
list partial set: functools.partial(l.__setitem__, 0)(l[0] + 1)
list append pop: l.append(l.pop() + 1)
list insert: l.insert(0, l.pop() + 1)
list max: l[0] = max(l) + 1
list sum: l[0] = sum(l) + 1
list unpacked: (v,) = l; l[0] = v + 1
list starred: l[0] = [*l][0] + 1
list next: l[0] = next(iter(l)) + 1
list for: for v in l: l[0] = v + 1
list enumerate: for i, v in enumerate(l): l[i] = v + 1
list enumerate kept: e = enumerate(l)\nfor i, v in e: l[i] = v + 1
list reversed: for v in reversed(l): l[0] = v + 1
list map: for v in map(int, l): l[0] = v + 1
list zip: for v, _ in zip(l, "a"): l[0] = v + 1
list copy: l[0] = l.copy()[0] + 1
list list: l[0] = list(l)[0] + 1
list sliced: l[0] = l[:][0] + 1
list plus: l[0] = (l + [])[0] + 1
list times: l[0] = (l * 1)[0] + 1
list sorted: l[0] = sorted(l)[0] + 1
list index: v = l[0]; l.index(v); l[0] = v + 1
list contains: v = l[0]; 0 in l; l[0] = v + 1
list length: v = l[0]; len(l); l[0] = v + 1
list equal: v = l[0]; l == [1]; l[0] = v + 1
list truth: v = l[0]\nif l: l[0] = v + 1
list sort: v = l[0]; l.sort(); l[0] = v + 1
list reverse: v = l[0]; l.reverse(); l[0] = v + 1
list heapreplace: heapq.heapreplace(l, l[0] + 1)
list heappushpop: heapq.heappush(l, heapq.heappop(l) + 1)
list choice: l[0] = random.choice(l) + 1
list bisect: v = l[0]; bisect.bisect(l, 0); l[0] = v + 1
list match: match l:\n    case [v]: l[0] = v + 1
list comprehension: l[:] = [v + 1 for v in l]
list exec: exec("l[0] += 1", {"l": l})
list for target: for l[0] in [l[0] + 1]: pass
list format: l[0] = int("{0[0]}".format(l)) + 1
list repr: l[0] = int(repr(l)[1:-1]) + 1
list reduce: l[0] = functools.reduce(operator.add, l, 1)

== length of a list | s = Plain(); s.l = [] | len(s.l)
length iadd: s.l += [1]
length append: s.l.append(1)
length extend: s.l.extend([1])
length operator iadd: s.l = operator.iadd(s.l, [1])
length operator concat: s.l = operator.concat(s.l, [1])
length operator iconcat: operator.iconcat(s.l, [1])
length plus: s.l = s.l + [1]
length starred: s.l = [*s.l, 1]
length slice: s.l[len(s.l):] = [1]
length insert: s.l.insert(0, 1)
length imul: s.l = [1] * (len(s.l) + 1)
length map append: list(map(s.l.append, [1]))
length bound append: put = s.l.append; put(1)
length methodcaller: operator.methodcaller("append", 1)(s.l)
length heappush: heapq.heappush(s.l, 1)
length insort: bisect.insort(s.l, 1)

== tuple in an attribute | s = Plain(); s.l = () | len(s.l)
tuple iadd: s.l += (1,)
tuple starred: s.l = *s.l, 1

== string in an attribute | s = Plain(); s.l = "" | len(s.l)
string iadd: s.l += "a"
string join: s.l = "".join([s.l, "a"])
string format: s.l = "{}a".format(s.l)
string fstring: s.l = f"{s.l}a"

== bytearray element | b = bytearray(1) | b[0]
bytearray iadd: b[0] += 1 - (b[0] == 255) * 256
bytearray add: b[0] = (b[0] + 1) % 256
bytearray bytes: b[0] = (bytes(b)[0] + 1) % 256
bytearray operator: operator.setitem(b, 0, (b[0] + 1) % 256)
bytearray memoryview: memoryview(b)[0] += 1 - (b[0] == 255) * 256
bytearray memoryview read: b[0] = (memoryview(b)[0] + 1) % 256
bytearray memoryview slice: memoryview(b)[:1] = bytes([(b[0] + 1) % 256])

== memoryview element | b = memoryview(bytearray(8)).cast("Q") | b[0]
memoryview iadd: b[0] += 1
memoryview add: b[0] = b[0] + 1
memoryview operator: operator.setitem(b, 0, operator.getitem(b, 0) + 1)
memoryview bytes: b[0] = int.from_bytes(bytes(b), sys.byteorder) + 1
memoryview list: b[0] = b.tolist()[0] + 1

== array element | b = array.array("i", [0]) | b[0]
array iadd: b[0] += 1
array operator: operator.setitem(b, 0, operator.getitem(b, 0) + 1)
array pop: b.append(b.pop() + 1)

== deque element | q = collections.deque([0]) | q[0]
deque iadd: q[0] += 1
deque pop: q.append(q.popleft() + 1)
deque rotate: v = q[0]; q.rotate(); q[0] = v + 1
deque operator: operator.setitem(q, 0, q[0] + 1)

== elements of a set | s = set(); n = itertools.count() | len(s)
set add: s.add(next(n))
set length: s.add(len(s))
set update: s.update([len(s)])
set ior: t = s; t |= {len(s)}

== global | global g; g = 0 | g
global iadd: global g; g += 1
global add: global g; g = g + 1
global for target: global g\nfor g in [g + 1]: pass
global with target: global g\nwith Holding(g + 1) as g: pass
global walrus: global g; (g := g + 1)
global function: global g; g = plus_one(g)
global item iadd: globals()["g"] += 1
global item add: globals()["g"] = globals()["g"] + 1
global item read: global g; g = globals()["g"] + 1
global item written: globals()["g"] = g + 1
global update: globals().update(g=g + 1)
global get: global g; g = globals().get("g") + 1
global exec: exec("g += 1", globals())
global exec here: exec("global g; g += 1")
global eval: global g; g = eval("g") + 1
global module: sys.modules[__name__].g += 1
global module setattr: setattr(sys.modules[__name__], "g", g + 1)
global module vars: vars(sys.modules[__name__])["g"] += 1
global of function: plus_one.__globals__["g"] += 1
global tuple: global g; g, _ = g + 1, 0
global lambda: globals()["g"] = (lambda: g + 1)()

== closure variable | n = 0\ndef get(): return n\ndef put(v):\n    nonlocal n\n    n = v | n
cell iadd: nonlocal n; n += 1
cell add: nonlocal n; n = n + 1
cell for target: nonlocal n\nfor n in [n + 1]: pass
cell with target: nonlocal n\nwith Holding(n + 1) as n: pass
cell list target: nonlocal n; [n] = [n + 1]
cell walrus: nonlocal n; (n := n + 1)
cell function: nonlocal n; n = plus_one(n)
cell through function: nonlocal n; n = get() + 1
cell by function: put(n + 1)
cell both functions: put(get() + 1)
cell contents: c = get.__closure__[-1]; c.cell_contents += 1
cell contents read: nonlocal n; n = get.__closure__[-1].cell_contents + 1
cell match: nonlocal n\nmatch n:\n    case v: n = v + 1
cell lambda: nonlocal n; n = (lambda: n)() + 1
cell comprehension: nonlocal n; n = [n + 1 for _ in "a"][0]
cell try: nonlocal n\ntry: v = n\nfinally: n = v + 1
cell max: nonlocal n; n = max(n, 0) + 1
cell map: list(map(put, [n + 1]))
cell eval: nonlocal n; n = eval("n") + 1
cell tuple: nonlocal n; n, _ = n + 1, 0

== between | s = Plain() | s.x
{between}
"""

BETWEEN = r"""
nothing: pass
number compared: 1 == 2
lists compared: numbers == [1, 2]
lists of keys compared: keys == other_keys
lists of keys ordered: keys < other_keys
tuples of keys compared: (key,) == (Key,)
dicts compared: by_name == {"a": 1}
dicts of keys compared: key_values == other_values
key in list: key in other_keys
key in tuple: key in (other_keys[0], 1)
number in list: 2 in numbers
key in dict: key in of_keys
key in set: key in {1}
key subscript: of_keys[key]
key index: other_keys.index(key)
key count: other_keys.count(key)
key remove: [Key()].remove(key)
key operator contains: operator.contains(other_keys, key)
key operator eq: operator.eq(keys, other_keys)
key hash: hash(key)
key set: {key}
key dict: {key: 1}
key compared: key == key
key max: max(keys)
key sorted: sorted(keys)
keys sort: keys.copy().sort()
sort: [2, 1].sort()
sort with key: [2, 1].sort(key=plus_one)
sort with c key: ["b", "a"].sort(key=len)
sorted with key: sorted(numbers, key=plus_one)
min with key: min(numbers, key=plus_one)
generator next: next(give(1))
generator loop: for _ in give(1): pass
generator list: list(give(1))
generator starred: [*give(1)]
generator tuple: tuple(give(1))
generator sum: sum(give(1))
generator any: any(give(1))
generator join: "".join(give("a"))
generator unpacked: (a,) = give(1)
generator send: give(1).send(None)
generator close: give(1).close()
generator relay: next(relay(1))
generator expression: sum(n for n in (1,))
generator dict: dict(give(("a", 1)))
generator in: 1 in give(1)
generator max: max(give(1))
generator set: set(give(1))
generator zip: list(zip(give(1)))
generator chain: list(itertools.chain(give(1)))
generator sorted: sorted(give(1))
generator enumerate: list(enumerate(give(1)))
generator extend: [].extend(give(1))
generator iadd: a = []; a += give(1)
generator slice: a = [1]; a[:] = give(1)
generator update: {}.update(give(("a", 1)))
map python: list(map(plus_one, numbers))
map c: list(map(abs, numbers))
filter python: list(filter(plus_one, numbers))
reduce python: functools.reduce(lambda a, b: a, numbers)
partial python: functools.partial(plus_one, 1)()
partial c: functools.partial(abs, 1)()
len: len(numbers)
len python: len(many)
bool python: bool(many)
truth: not truth
if truth: if truth: pass
while truth: while not truth: pass
add python: many + 1
radd python: 1 + many
iadd python: m = many; m += 1
sum python: sum([many])
negative: -many
abs python: abs(many)
int python: int(many)
float python: float(many)
round python: round(many)
index python: numbers[many]
operator index: operator.index(many)
slice python: numbers[:many]
range python: range(many)
getitem python: many[0]
setitem python: many[0] = 1
delitem python: del many[0]
contains python: 1 in many
iterate python: for _ in many: pass
iterate star: [*many]
reversed python: reversed(many)
call python: many()
call c: abs(1)
str python: str(many)
repr python: repr(many)
repr list: repr([many])
str list: str([many])
format python: format(many)
fstring python: f"{many}"
fstring repr: f"{many!r}"
percent python: "%s" % many
percent number: "%s" % 1
str format python: "{}".format(many)
join python: ",".join(map(str, [many]))
with python: with many: pass
copy python: copy.copy(many)
dir python: dir(many)
property python: many.p
attrgetter property: operator.attrgetter("p")(many)
getattr property: getattr(many, "p")
hasattr property: hasattr(many, "p")
isinstance: isinstance(1, int)
isinstance python: isinstance(1, Abstract)
issubclass python: issubclass(int, Abstract)
isinstance tuple: isinstance(1, (str, Abstract))
match python: match 1:\n    case Abstract(): pass
raise: try: raise KeyError\nexcept KeyError: pass
raise python: try: raise type("E", (Exception,), {})\nexcept Exception: pass
assert: assert numbers
try: try: pass\nfinally: pass
for empty: for _ in (): pass
for one: for _ in (1,): pass
for two: for _ in (1, 2): pass
for break: for _ in (1, 2): break
while once: n = 1\nwhile n: n -= 1
while twice: n = 2\nwhile n: n -= 1
while true: while True: break
comprehension: [n for n in (1,)]
comprehension of none: [n for n in ()]
set comprehension: {n for n in (1,)}
dict comprehension: {n: n for n in (1,)}
lambda made: (lambda: 1)
lambda called: (lambda: 1)()
function called: nothing()
function star: nothing(*numbers)
function named: nothing(*(), **{})
class made: class C: pass
class instance: Plain
class called: Key()
class without init: Truth()
object called: object()
list made: [1]
list called: list()
dict called: dict()
dict made: {"a": 1}
set called: set()
tuple called: tuple()
int called: int("1")
str called: str(1)
bool called: bool(1)
type called: type(1)
range called: range(1)
id called: id(1)
callable: callable(1)
append: [].append(1)
append python: keys[:0].append(1)
dict get: by_name.get("a")
dict keys: by_name.keys()
dict item: by_name["a"]
dict stored: d = {}; d["a"] = 1
list item: numbers[0]
list sliced: numbers[:1]
string add: words[0] + "b"
string method: words[0].upper()
string join: "".join(words)
math: math.sqrt(4)
regular expression: re.match("a", "a")
operator call: operator.add(1, 2)
itemgetter call: get_0(numbers)
import: import math
import from: from math import pi
global read: numbers
attribute read: s.rest
other attribute written: s.rest = None
chain: list(itertools.chain(numbers))
accumulate: list(itertools.accumulate(numbers))
accumulate python: list(itertools.accumulate(numbers, lambda a, b: a))
islice: list(itertools.islice(numbers, 1))
next count: next(itertools.count())
next iterator: next(iter(numbers))
zip: list(zip(numbers))
zip loop: for _ in zip(numbers): pass
print to nothing: print(end="", file=types.SimpleNamespace(write=nothing))
dataclass made: Data()
dataclass compared: Data() == Data()
named tuple: collections.namedtuple
eval: eval("1")
exec: exec("pass")
compile: compile("1", "", "eval")
weak reference: weakref.ref(s)()
super: super(Child, Child()).bump
super called: Child().bump_above()
static method: s.bump_it
finaliser: type("F", (), {"__del__": nothing})()
sleep of none: sys.getswitchinterval()
"""


class Form(NamedTuple):
    """One way to update something."""

    name: str
    kind: str
    prepare: str
    code: str
    count: str

    @property
    def identifier(self) -> str:
        """The name as part of a Python name."""
        return "".join(letter if letter.isalnum() else "_" for letter in self.name)

    def source(self) -> str:
        """The function that makes the two functions of the form."""
        return "\n".join(
            [
                f"def form_{self.identifier}():",
                textwrap.indent(_lines(self.prepare), "    "),
                "    def step():",
                textwrap.indent(_lines(self.code), "        "),
                f"    return step, lambda: {self.count}",
            ]
        )


def _lines(code: str) -> str:
    return code.replace("\\n", "\n")


def forms() -> list[Form]:
    """All forms, in the order of the table."""
    found: list[Form] = []
    kind = prepare = count = ""
    between = "\n".join(_between(line) for line in BETWEEN.strip().splitlines())
    for line in TABLE.replace("{between}", between).splitlines():
        if line.startswith("== "):
            kind, prepare, count = (part.strip() for part in line[3:].split(" | "))
        elif line.strip():
            name, _, code = line.partition(": ")
            found.append(Form(name, kind, prepare, code, count))
    return found


def _between(line: str) -> str:
    name, _, code = line.partition(": ")
    separator = "\\n" if "\\n" in code or code.endswith(": pass") or code.partition(" ")[0] in _COMPOUND else "; "
    return f"between {name}: v = s.x{separator}{code}{separator}s.x = v + 1"


_COMPOUND = ("for", "while", "if", "with", "try:", "match", "class")


def module_source() -> str:
    """The module of all forms."""
    return "\n\n".join([PRELUDE, *(form.source() for form in forms())]) + "\n"
