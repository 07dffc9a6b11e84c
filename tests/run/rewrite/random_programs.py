"""Random programs over objects that log whatever is done to them."""

import random

BUDGET = 400


class Exhausted(BaseException):
    """The program does not end by itself."""


class World:
    """Decides every result by dice rolled at every operation, so that one difference shows in all that follows."""

    def __init__(self, seed):
        self.log = []
        self.count = 0
        self.dice = random.Random(seed)

    def did(self, *what):
        self.log.append(tuple(show(part) for part in what))
        if len(self.log) > BUDGET:
            raise Exhausted
        if self.dice.random() < 0.01:
            raise ValueError(f"bad luck at {len(self.log)}")

    def result(self):
        roll = self.dice.random()
        if roll < 0.1:
            return self.dice.randrange(3)
        if roll < 0.15:
            return None
        return Point(self) if roll < 0.6 else Thing(self)


class Thing:
    def __init__(self, world):
        world.count += 1
        self.__dict__.update(_world=world, _name=f"t{world.count}", _dict={})

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self._world.did("get", self, name)
        if self._world.dice.random() < 0.05:
            raise AttributeError(name)
        return self._dict.setdefault(name, self._world.result())

    def __setattr__(self, name, value):
        self._world.did("set", self, name, value)
        self._dict[name] = value

    def __delattr__(self, name):
        self._world.did("del", self, name)
        self._dict.pop(name, None)

    def __setitem__(self, key, value):
        self._world.did("setitem", self, key, value)

    def __delitem__(self, key):
        self._world.did("delitem", self, key)

    def __iter__(self):
        for step in range(self._world.dice.choice([0, 1, 2, 2, 2, 3])):
            self._world.did("next", self, step)
            yield self._world.result()

    def __bool__(self):
        self._world.did("bool", self)
        return self._world.dice.random() < 0.6

    def __len__(self):
        self._world.did("len", self)
        return self._world.dice.randrange(4)

    def __contains__(self, key):
        self._world.did("contains", self, key)
        return self._world.dice.random() < 0.5

    def __call__(self, *args, **keywords):
        self._world.did("call", self, args, keywords)
        return self._world.result()

    def __exit__(self, *problem):
        self._world.did("exit", self, problem[0])
        return self._world.dice.random() < 0.3

    def __hash__(self):
        return hash(self._name)

    def __repr__(self):
        return self._name

    def keys(self):
        self._world.did("keys", self)
        return ["k1", "k2"]


class Point(Thing):
    __match_args__ = ("x", "y")


def _operation(name):
    def method(self, *args):
        self._world.did(name, self, *args)
        return self._world.result()

    return method


for _name in "add radd sub rsub or and xor mul iadd isub ior getitem eq lt gt le ge mod invert enter".split():
    setattr(Thing, f"__{_name}__", _operation(_name))


def show(value):
    if isinstance(value, Thing):
        return value._name
    if isinstance(value, (tuple, list)):
        return [type(value).__name__, *map(show, value)]
    if isinstance(value, dict):
        return [(show(key), show(item)) for key, item in value.items()]
    if isinstance(value, slice):
        return ["slice", *map(show, (value.start, value.stop, value.step))]
    return repr(value) if isinstance(value, (int, str, type(None), type)) else type(value).__name__


class Author:
    """Writes random programs."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.names = ["a", "b", "c", "g1", "g2", "free"]
        self.comprehension = 0
        self.sealed = 0
        self.loop = 0

    def pick(self, *choices):
        return self.dice.choice(choices)

    def expression(self, depth):
        if depth <= 0:
            return self.pick(*self.names, *self.names, "a", "b", "c", "1", "'s'")
        return getattr(self, "e_" + self.pick(*EXPRESSIONS))(depth - 1)

    def many(self, depth, low=0, high=3):
        return [self.expression(depth) for _ in range(self.dice.randint(low, high))]

    def e_name(self, depth):
        return self.pick(*self.names)

    def e_attribute(self, depth):
        return f"({self.expression(depth)}).{self.pick('x', 'y', '__p')}"

    def key(self, depth):
        part = lambda: self.pick("", self.expression(depth - 1))
        whole = self.expression(depth)
        return self.pick(
            whole, f"{part()}:{part()}", f"{part()}:{part()}:{part()}", f"{whole}, {part()}:", f"*{whole}, 1"
        )

    def e_subscript(self, depth):
        return f"({self.expression(depth)})[{self.key(depth)}]"

    def arguments(self, depth):
        args = self.many(depth)
        if self.dice.random() < 0.2:
            args.insert(self.dice.randint(0, len(args)), f"*{self.expression(depth)}")
        if self.dice.random() < 0.3:
            args.append(f"k={self.expression(depth)}")
        if self.dice.random() < 0.1:
            args.append(f"**{self.expression(depth)}")
        return ", ".join(args)

    def e_method(self, depth):
        return f"({self.expression(depth)}).{self.pick('m', 'n', '__q', 'heappush')}({self.arguments(depth)})"

    def e_call(self, depth):
        return f"({self.expression(depth)})({self.arguments(depth)})"

    def e_builtin(self, depth):
        one, two = self.expression(depth), self.expression(depth)
        return self.pick(
            f"len({one})",
            f"list({one})",
            f"tuple({one})",
            f"bool({one})",
            f"isinstance({one}, Thing)",
            f"(type({one}) is int)",
            f"getattr({one}, 'x')",
            f"getattr({one}, {self.pick('KEY', two)}, {two})",
            f"hasattr({one}, 'y')",
            f"setattr({one}, 'x', {two})",
            f"delattr({one}, {self.pick('KEY', two)})",
            f"list(zip({one}, {two}))",
            f"list(enumerate({one}))",
            f"list(map({one}, {two}))",
            f"any({one})",
            f"heappush({one}, {two})",
            f"heapq.heappush({one}, {two})",
            f"next(iter({one}))",
            f"min({one}, {two})",
            f"dict({one})",
        )

    def e_operator(self, depth):
        return f"({self.expression(depth)} {self.pick('+', '-', '|', '&', '*', '%')} {self.expression(depth)})"

    def e_compare(self, depth):
        text = self.expression(depth)
        for _ in range(self.pick(1, 1, 1, 2)):
            text += f" {self.pick('==', '<', '>=', 'in', 'not in', 'is', 'is not')} {self.expression(depth)}"
        return f"({text})"

    def e_bool(self, depth):
        return "(" + self.pick(" and ", " or ").join(self.many(depth, 2, 3)) + ")"

    def e_not(self, depth):
        return f"(not {self.expression(depth)})"

    def e_conditional(self, depth):
        return f"({self.expression(depth)} if {self.expression(depth)} else {self.expression(depth)})"

    def e_display(self, depth):
        star = self.pick("*", "")
        return self.pick(
            f"({self.expression(depth)}, {star}{self.expression(depth)})",
            f"[{star}{self.expression(depth)}, {self.expression(depth)}]",
            f"{{'k': {self.expression(depth)}, **{self.pick('{}', self.expression(depth))}}}",
        )

    def e_formatted(self, depth):
        inner = self.expression(depth).replace("'", '"')
        return self.pick("f'{a!r}'", "f'{(" + inner + ")!s:>{1}}'")

    def e_walrus(self, depth):
        name = self.pick("w", "a", "g1", "cell")
        if self.comprehension or self.sealed:
            return name
        return f"({name} := {self.expression(depth)})"

    def e_comprehension(self, depth):
        self.comprehension += 1
        self.sealed += 1
        iterable = self.expression(depth)
        second = self.expression(depth)
        self.sealed -= 1
        self.names.append("i")
        item, test = self.expression(depth), self.expression(depth)
        self.names.pop()
        self.comprehension -= 1
        more = self.pick("", "", f" if {test}", f" for j in {second}")
        return self.pick(
            f"[{item} for i in {iterable}{more}]",
            f"list({item} for i in {iterable}{more})",
            f"{{1: {item} for i in {iterable}{more}}}",
            f"sum(1 for i in {iterable}{more})",
        )

    def e_lambda(self, depth):
        outer, self.comprehension = self.comprehension, 0
        self.names.append("z")
        body = self.expression(depth)
        self.names.pop()
        self.comprehension = outer
        return f"(lambda z={self.expression(depth)}: {body})()"

    def e_helper(self, depth):
        return f"helper({self.expression(depth)}, {self.expression(depth)})"

    # -- statements

    def target(self, depth):
        choice = self.dice.random()
        if depth and choice < 0.15:
            parts = [self.target(depth - 1) for _ in range(2)]
            if self.dice.random() < 0.3:
                parts[0] = f"*{self.pick('a', 'g2', 'cell', 'b.x')}"
            return f"({', '.join(parts)})"
        if choice < 0.5:
            return self.pick("a", "b", "v", "g1", "g2", "cell", "cell")
        if choice < 0.75:
            return f"({self.expression(depth)}).{self.pick('x', '__p')}"
        return f"({self.expression(depth)})[{self.key(depth)}]"

    def single(self, depth):
        while True:
            target = self.target(depth)
            if not target.endswith(")"):
                return target

    def block(self, depth, indent):
        body = [line for _ in range(self.dice.randint(1, 3)) for line in self.statement(depth)]
        return [indent + line for line in body]

    def statement(self, depth):
        lines = getattr(self, "s_" + self.pick(*STATEMENTS))(depth)
        if self.dice.random() < 0.15:
            return lines
        return ["try:", *(f" {line}" for line in lines), "except Exception as error: oops(error)"]

    def s_assign(self, depth):
        targets = "".join(f"{self.target(1)} = " for _ in range(self.pick(1, 1, 1, 2)))
        return [targets + self.expression(3)]

    def s_annotated(self, depth):
        target = self.pick("v", "(a).x", "(b)[1]", "cell")
        return [f"{target}: undefined.name = {self.expression(2)}"]

    def s_augmented(self, depth):
        return [f"{self.single(2)} {self.pick('+=', '-=', '|=', '%=')} {self.expression(2)}"]

    def s_delete(self, depth):
        # No variable that calls use: where a hook performs a call, it complains earlier than the method's absence.
        parts = [f"({self.expression(1)}).x", f"({self.expression(1)})[{self.key(1)}]", "v"]
        return [f"del {', '.join(self.dice.sample(parts, self.pick(1, 2)))}"]

    def s_expression(self, depth):
        return [self.expression(3)]

    def s_assert(self, depth):
        return [f"assert {self.expression(2)}, {self.expression(1)}"]

    def s_return(self, depth):
        return [f"if {self.expression(1)}: return {self.expression(3)}"]

    def s_raise(self, depth):
        return [f"if {self.expression(1)}: raise KeyError({self.expression(1)}) from None"]

    def s_if(self, depth):
        if not depth:
            return self.s_expression(depth)
        return [f"if {self.expression(2)}:", *self.block(depth - 1, " "), "else:", *self.block(depth - 1, " ")]

    def s_loop(self, depth):
        if not depth:
            return self.s_assign(depth)
        self.loop += 1
        head = self.pick(f"for {self.target(1)} in {self.expression(2)}:", f"while {self.expression(2)}:")
        body = self.block(depth - 1, " ")
        self.loop -= 1
        return [head, " tick()", *body, *self.pick([], ["else:", *self.block(depth - 1, " ")])]

    def s_jump(self, depth):
        if not self.loop:
            return self.s_assign(depth)
        return [f"if {self.expression(1)}: {self.pick('continue', 'break')}"]

    def s_try(self, depth):
        if not depth:
            return self.s_delete(depth)
        return [
            "try:",
            *self.block(depth - 1, " "),
            f"except ({self.pick('ValueError', 'Exception', 'TypeError')}) as error:",
            " v = str(type(error))",
            *self.block(depth - 1, " "),
            *self.pick([], ["finally:", *self.block(0, " ")]),
        ]

    def s_with(self, depth):
        if not depth:
            return self.s_expression(depth)
        items = ", ".join(
            self.expression(1) + self.pick("", f" as {self.target(1)}") for _ in range(self.pick(1, 1, 2))
        )
        return [f"with {items}:", *self.block(depth - 1, " ")]

    def pattern(self, depth, names):
        capture = lambda: names.pop() if names else "_"
        flat = lambda: self.pick("1", "None", "'s'", capture(), "_", "values.one")
        return self.pick(
            f"Point(x={flat()}, y={flat()})",
            f"Point(x={flat()})",
            f"Thing(y={flat()}, __p={flat()})",
            f"Point({flat()}, {flat()})",
            f"Point(x={flat()}) as whole",
            f"[{flat()}, {flat()}]",
            f"int({flat()})",
            "1 | 2",
            f"Point(x=Point(y={flat()}))",
            "{'k': 1}",
        )

    def s_match(self, depth):
        if not depth:
            return self.s_assign(depth)
        lines = [f"match {self.expression(2)}:"]
        for _ in range(self.pick(1, 2, 3)):
            guard = self.pick("", f" if {self.expression(1)}")
            lines += [f" case {self.pattern(1, ['cell', 'g1', 'm2', 'm1'])}{guard}:", *self.block(depth - 1, "  ")]
        return lines

    def s_function(self, depth):
        if not depth:
            return self.s_augmented(depth)
        loop, self.loop = self.loop, 0
        outer = self.names
        self.names = [*outer, "p"]
        declared = self.pick([" nonlocal cell"], [" global g1"], [" nonlocal cell", " global g1, g2"], [])
        body = self.block(depth - 1, " ")
        self.names, self.loop = outer, loop
        if "g1" not in "".join(declared):
            body = [line.replace("g1", "h1").replace("g2", "h2") for line in body]
            declared = [*declared, " h1 = h2 = p"]
        elif "g2" not in "".join(declared):
            body = [line.replace("g2", "h2") for line in body]
            declared = [*declared, " h2 = p"]
        if "cell" not in "".join(declared):
            body = [line.replace("cell", "sell") for line in body]
            declared = [*declared, " sell = p"]
        kind = self.pick("def", "def", "gen")
        call = f"nested({self.expression(1)})"
        head = [f"def nested(p, a=b, q={self.expression(1)}):", *declared, " b = c = w = v = m1 = m2 = whole = a"]
        if kind == "gen":
            return [*head, f" yield {self.expression(1)}", *body, f"v = list({call})"]
        return [*head, *body, call]

    def program(self):
        lines = [line for _ in range(self.dice.randint(2, 6)) for line in self.statement(3)]
        body = [f"  {line}" for line in ["cell = free = w = v = m1 = m2 = whole = h1 = h2 = sell = a", *lines]]
        return "\n".join([
            "g1 = g2 = 0",
            "def helper(x, y=3):", " global g1", " g1 = x", " return y",
            "class Owner:",
            " @staticmethod",
            " def main(a, b, c):", "  'doc'", "  global g1, g2", *body, "  return (a, b, c, v, cell)",
        ]) + "\n"  # fmt: skip


EXPRESSIONS = (
    "name attribute attribute subscript method method call builtin builtin operator compare bool not conditional "
    "display formatted walrus comprehension lambda helper"
).split()
STATEMENTS = (
    "assign assign assign annotated augmented augmented delete expression expression assert return raise if loop jump "
    "try with match function"
).split()
