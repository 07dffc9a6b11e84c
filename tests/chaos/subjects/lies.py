r"""Lies of a worker, as data: the task whose answer is forged, and how.

The code finds ``reply``, ``value``, the worker's ``box`` and `dataclasses.replace`; for `advance`, whose value is a
stream and a `Chunk`, also that ``chunk`` and its ``findings``.
"""

_ADVANCE = {
    "steps in an endless file": """
for f in findings:
    f.interleaving = [replace(s, file='/dev/zero') for s in f.interleaving]""",
    "race in an endless file": """
for f in findings:
    f.race = [replace(s, file='/dev/zero') for s in f.race or []]""",
    "steps in no file": r"""
for f in findings:
    f.interleaving = [replace(s, file='/\0') for s in f.interleaving]""",
    "steps of unknown threads": r"""
for f in findings:
    f.interleaving = [replace(s, thread=-7, line=-2**62, value='\0' * 99) for s in f.interleaving]""",
    "no steps": """
for f in findings:
    f.interleaving, f.race, f.schedule = [], [], None""",
    "half characters": r"""
for f in findings:
    f.summary, f.methods = 'a\ud800', ['\ud800', '../../../x']""",
    "escapes": r"""
for f in findings:
    f.summary = f.detail = '\x1b]0;x\x07\u202e\n::error::x'
    f.methods = ['\n::error::', '/etc/x']""",
    "escapes in notes": r"""
chunk.notes = ['\x1b[2J', '::error::x']
chunk.undetermined = ['\r\x1b[1m']""",
    "long texts": """
for f in findings:
    f.summary = f.detail = 'x ' * 1_000_000
chunk.notes = ['y' * 1_000_000]""",
    "another reproducer": r"""
for f in findings:
    f.reproducer = '/etc/passwd; touch ~/x\n'""",
    "another test": '''
from plait.model.test import Test
for f in findings:
    f.test = Test(('import os; os.abort()', '"""'), (), ())''',
    "wrong counts": """
chunk.tests = chunk.exhausted = chunk.diverged = chunk.first = chunk.first_schedules = -2**62
chunk.schedules = 2**63
for f in findings:
    f.preemptions, f.occurrences, f.group = -2**63, 2**62, -4""",
    "no progress": """
chunk.so_far, chunk.tests = -10**9, 0""",
    "pairs of nothing": """
chunk.pairs = [
    {'methods': [], 'tried': -1, 'covered': 2**63}, {'methods': ['x' * 9999], 'tried': 5, 'covered': -3},
]""",
    "entries of the store": """
chunk.units = {'k' * 99_999: {'a': [1]}, '': {}, 'x': {'findings': 5}}""",
    "another stream": r"""
value = (b'cos\nsystem\n(S"exit"\ntR.', chunk)""",
    "note of other types": """
box.note = {'prefix': 5, 'suffixes': [1, [2], None], 'methods': {'a': 1}}
os.abort()""",
    "note of other lines": r"""
box.note = {'prefix': [''], 'suffixes': [[' (', '\0'], ['(' * 999]]}
os.abort()""",
    "acts that never were": r"""
act = {'act': '\x1b[2J', 'call': 'x' * 99_999, 'at': '\n::e'}
reply = replace(reply, stopped=(act,) * 9)""",
}
_ENDS = {
    "unusable, it says": "usage", "a fault of plait, it says": "bug", "out of memory, it says": "memory",
    "an end that there is not": "nonsense",
}  # fmt: skip
_END = r"""
value, reply = None, replace(reply, kind=KIND, said='\x1b[2J\n::error::x' * 9)"""
LIES = {name: ("advance", code) for name, code in _ADVANCE.items()}
LIES |= {name: ("advance", _END.replace("KIND", repr(kind))) for name, kind in _ENDS.items()}
LIES["methods many times"] = "interface_of", "value = replace(value, methods=value.methods * 50)"
LIES["calls that never were"] = (
    "alone", r"value = replace(value, called={'add': -5}, returned={'x': 2**63}, built='\x1b[2J`\n')",
)  # fmt: skip
