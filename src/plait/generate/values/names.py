"""Values for a parameter, from its name.

The simplest value comes first. There are few keys, so that threads use the same one; sizes are small, so that a cache
or queue is soon full; waits are short.
"""

from __future__ import annotations

import re

from plait.generate.values.value import Value, literal

_NOTHING = "lambda *args, **kwargs: None"
_RECORDER = Value("Recorder('f')", "callable", ("from plait.generate.callables import Recorder",))

_THING = Value("Thing", "type", ("from plait.generate.callables import Thing",))
_FAILING = Value("failing", "callable", ("from plait.generate.callables import failing",))
_FRESH = Value("fresh", "callable", ("from plait.generate.callables import fresh",))

_ENVIRON = Value("wsgi_environ()", "dict", ("from plait.generate.callables import wsgi_environ",))
_DATABASE = Value("Database('d')", "Database", ("from plait.generate.callables import Database",))
_FILE = Value("sample_file()", "file", ("from plait.generate.callables import sample_file",))

PARTNER = Value("Partner('o')", "object", ("from plait.generate.callables import Partner",))
"""The value for a parameter of a method if nothing else fits."""

_MAKERS = frozenset(
    ("factory", "creator", "loader", "getter", "fget", "supplier", "provider", "producer", "constructor", "builder",
     "maker", "on_miss", "miss")
)  # fmt: skip
"""Names of callbacks whose result matters: if it were None, a result that is made twice would not be noticed."""
_WORK = frozenset(
    ("func", "fn", "f", "function", "callable", "method", "wrapped", "decorated", "job", "task", "action", "command")
)
"""Names of callbacks that do some work, which may fail. Others, such as listeners, get fewer values."""

_TABLE: list[tuple[str, str, tuple[str, ...]]] = [
    # last words of the name; role; expressions
    ("key k keyname cache_key hash identifier id uid ident token", "key", ("'a'", "'b'", "1")),
    ("keys fields ids", "keys", ("['a', 'b']", "['a']", "('b', 'c')")),
    ("value v val default data payload obj object item element elem thing record entry fill initial result",
     "value", ("1", "2", "'a'", "None")),
    ("timeout wait delay seconds secs sleep backoff", "wait", ("0.01", "0", "1")),
    ("interval period duration window", "wait", ("0.01", "1", "0")),  # seldom allowed to be zero
    ("ttl expiry expire expires expiration age lifetime max_age maxage", "lifetime", ("60", "1")),
    (("maxsize max_size size capacity limit maxlen max_len maximum cap bound threshold slots pools num_pools "
     "workers max_workers depth high_water quota permits"), "size", ("2", "1", "3")),
    ("minimum min low lower start offset begin skip", "low", ("0", "1")),
    ("max high upper stop end", "high", ("2", "3", "10")),
    (("n count amount num number times delta step quantity cost weight increment by incr tokens repeat rate "
     "priority level version"), "number", ("1", "2", "3")),
    ("index idx i j pos position slot rank", "index", ("0", "1", "-1")),
    (("name label title tag topic channel group category namespace prefix suffix alias attribute attr field column "
     "event_name scope kind type_name"), "name", ("'a'", "'b'")),
    ("event signal evt", "name", ("'a'", "'b'")),
    # of the standard library, and seldom loaded
    ("fullname modname mod_name module_name import_name dotted_name", "module", ("'colorsys'", "'string'", "'sched'")),
    ("message msg text string s line content body word sentence pattern", "text", ("'a'", "'1'", "'ab'", "''")),
    (("callback cb func fn f function callable handler listener observer hook subscriber target factory creator fget "
     "loader getter predicate action consumer visitor supplier provider producer constructor builder maker on_miss "
     "on_evict miss initializer decorated method wrapped job task command connect connector"), "callback", (_NOTHING,)),
    ("iterable items values elements seq sequence it objs collection entries args", "items",
     ("['a', 'b']", "[1]", "[]")),
    (("mapping dict d map dictionary table kwargs attrs attributes params options config settings context extra "
     "metadata headers fields_map env environ E"), "mapping", ("{'a': 1}", "{}", "{'b': 2}")),
    ("other others another that rhs", "other", ()),
    ("url uri endpoint href", "url", ("'http://localhost/a'", "'http://localhost/b'")),
    ("host hostname server address", "host", ("'localhost'",)),
    ("port", "port", ("8080", "8081")),
    ("path filename file_name filepath file_path directory dir folder root", "path", ("'./plait-a'", "'./plait-b'")),
    ("dbapi dbapi_module", "database", ()),
    ("database db dbname db_name db_path database_path database_file", "store", ("':memory:'", "'a'")),
    ("encoding charset", "encoding", ("'utf-8'",)),
    ("exc exception error err", "exception", ("ValueError('a')", "KeyError('b')")),
    ("exc_type exception_type error_type exceptions", "type", ("ValueError", "KeyError")),
    ("cls klass class class_ type typ interface factory_type type_ dep_type", "type", ("int", "str", "dict")),
    (("flag block blocking force strict enabled recursive shared exclusive reverse last copy deep clear reset "
     "now lazy inclusive persistent silent verbose"), "flag", ("True", "False")),
    ("timestamp time when deadline ts", "time", ("0", "1", "100")),
    ("instance owner", "object", ("None",)),
    ("b buf buffer chunk bytes", "bytes", ("b'a'", "b''")),
]  # fmt: skip

_ROLES = {word: (role, texts) for words, role, texts in _TABLE for word in words.split()}
_SPECIAL = {
    "logger": Value("logging.getLogger('a')", "Logger", ("import logging",)),
    "log": Value("logging.getLogger('a')", "Logger", ("import logging",)),
    "lock": Value("threading.RLock()", "RLock", ("import threading",)),
    "mutex": Value("threading.RLock()", "RLock", ("import threading",)),
    "executor": Value("ThreadPoolExecutor(1)", "ThreadPoolExecutor",
                      ("from concurrent.futures import ThreadPoolExecutor",)),
    "stream": Value("io.StringIO('ab')", "StringIO", ("import io",)),
    "fp": Value("io.StringIO('ab')", "StringIO", ("import io",)),
    "file": Value("io.StringIO('ab')", "StringIO", ("import io",)),
    "raw": Value("io.BytesIO(b'ab')", "BytesIO", ("import io",)),
    "fileobj": Value("io.BytesIO(b'ab')", "BytesIO", ("import io",)),
    "queue": Value("queue.Queue()", "Queue", ("import queue",)),
    "start_response": Value("Recorder('start', Recorder('write'))", "callable", _RECORDER.imports),
}  # fmt: skip

_MOMENTS = tuple(Value(f"datetime.datetime({year}, 1, 2)", "datetime", ("import datetime",)) for year in (2020, 2100))
_SPANS = tuple(Value(f"datetime.timedelta(seconds={length})", "timedelta", ("import datetime",)) for length in (1, 60))
_DATED = {
    **dict.fromkeys(("dt", "datetime", "date_time", "dtstart", "dtend", "dtstamp"), _MOMENTS),
    **dict.fromkeys(("date",), tuple(
        Value(f"datetime.date({year}, 1, 2)", "date", ("import datetime",)) for year in (2020, 2100)
    )),
    **dict.fromkeys(("timedelta", "td"), _SPANS),
}  # fmt: skip
"""Names of parameters that take a date or time as an object rather than a number."""

DESCRIBED = {
    ("__get__", 0): (Value("Thing()", "Thing", _THING.imports),), ("__get__", 1): (_THING,),
    ("__set__", 0): (Value("Thing()", "Thing", _THING.imports),),
    ("__delete__", 0): (Value("Thing()", "Thing", _THING.imports),),
}  # fmt: skip
"""The arguments that Python passes to a descriptor, by method and position: an object with attributes, its class."""

SPARE = (
    *(literal(text) for text in ("'a'", "1", _NOTHING, "['a']", "{'a': 1}", "int", "None")),
    Value("Recorder('o')", "object", _RECORDER.imports),
)
"""One value of every common kind, for parameters that reject the values expected of them. The last one is an object
that can be hashed, compared, called and weakly referenced."""

NEVER_REPLACED = frozenset({
    "logger", "log", "lock", "mutex", "executor", "queue", "database", "path", "url", "type",
})  # fmt: skip
"""Roles whose values have everything that code may use of them, so that no stand-in is better."""

EAGER = frozenset({"callback", "size"})
"""Roles of optional parameters that are usually worth giving, because the object does little without them."""


def role(name: str) -> str | None:
    """Return the role of a parameter of this name, such as ``key`` or ``size``; None if the name says nothing."""
    for candidate in _candidates(name):
        if candidate in _SPECIAL:
            return candidate
        if candidate in _DATED:
            return "date"
        if candidate in _ROLES:
            return _ROLES[candidate][0]
    if name.startswith(("is_", "has_", "allow_", "use_", "with_", "enable_", "no_", "should_")):
        return "flag"
    return "callback" if name.startswith("on_") else None


def by_name(name: str) -> list[Value]:
    """Return values for a parameter of this name, simplest first; empty for a name that says nothing."""
    found = role(name)
    if found is None:
        return []
    if found in _SPECIAL:
        return [_SPECIAL[found]]
    if found == "date":
        return list(next(_DATED[each] for each in _candidates(name) if each in _DATED))
    texts = next((_ROLES[each][1] for each in _candidates(name) if each in _ROLES), ("True", "False"))
    if found == "callback":
        giving = Value("Recorder('g', 1)", "callable", _RECORDER.imports)
        if {"creator", "connect", "connector"}.intersection(_candidates(name)):
            return [_FRESH, _DATABASE, giving, literal(_NOTHING), _FAILING]
        if _MAKERS.intersection(_candidates(name)):
            return [_FRESH, giving, literal(_NOTHING), _FAILING]
        if _WORK.intersection(_candidates(name)):
            return [literal(_NOTHING), _RECORDER, giving, _FRESH, _FAILING]
        return [literal(_NOTHING), _RECORDER, giving]
    if found == "database":
        return [_DATABASE]
    if name == "environ":
        return [_ENVIRON, *(literal(text) for text in texts)]
    if found == "path":
        return [*(literal(text) for text in texts), _FILE]
    if found == "type" and "int" in texts:
        return [_THING, *(literal(text) for text in texts)]
    return [literal(text) for text in texts]


def _candidates(name: str) -> list[str]:
    """Return the names to look up: the name, its snake case, its last word and, if it is short, its first word."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().strip("_").rstrip("0123456789").split("_")
    telling = [word for word in words if word in {"age", "ttl", "expiry", "expire", "lifetime"}]  # as in `ttl_seconds`
    either = [words[0]] if "or" in words[1:-1] else []  # as in `path_or_file`
    return [name, "_".join(words), *telling, *either, words[-1], *([words[0]] if len(words) < 3 else [])]
