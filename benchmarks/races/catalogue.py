"""Documented races in module state, class state, constructors, functions, decorators and descriptors.

Each is a small program of ours with the fault that a public issue describes, and its mended version beside it. What is
given to `check` is a name: of a module, a class or a function.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
FAULTY, MENDED = HERE / "faulty", HERE / "mended"


@dataclass(frozen=True, slots=True)
class Race:
    """One race: ``subject`` is what is asked about, ``source`` the repository and number of the issue."""

    subject: str
    kind: str
    source: str
    fault: str

    @property
    def module(self) -> str:
        """The program."""
        return self.subject.partition(":")[0]

    @property
    def name(self) -> str:
        """The class or function; empty for all of a module."""
        return self.subject.partition(":")[2]


RACES = (
    Race("filetypes", "module state", "python/cpython#84320", "a flag says ready before the table is filled"),
    Race("passwords", "module state", "dwolfhub/zxcvbn-python#88", "a table is visible while it is filled"),
    Race("languages", "module state", "Mimino666/langdetect#32", "an object is visible before its data are loaded"),
    Race("sessions", "module state", "boto/boto3#806", "two first calls make two default sessions"),
    Race("patterns", "module state", "mrabarnett/mrab-regex#98", "a cache is shrunk while others fill it"),
    Race("lines", "module state", "python/cpython#12061", "two threads delete the same entry"),
    Race("logs", "module state", "pallets/werkzeug#3258", "a logger is visible before it has its handler"),
    Race("plugins", "module state", "gramps-project/gramps-web-api#864", "plugins are registered twice"),
    Race("hints", "module state", "agronholm/typeguard#59", "an empty entry is cached, and filled there"),
    Race("filters", "module state", "python/cpython#128384", "blocks put back what they found, in any order"),
    Race("shortids", "module state", "skorokithakis/shortuuid#8", "a global is read twice in one call"),
    Race("contexts:Context", "constructor", "googleapis/python-ndb#715", "a generator hands out ids to constructors"),
    Race("keycodes", "module state", "jquast/blessed#326", "a table is walked over while others extend it"),
    Race("generated", "function", "rueckstiess/mtools#234", "a counter per name loses updates"),
    Race("managers:Manager", "metaclass", "tmancal74/quantarhei#219", "two singletons by way of a metaclass's table"),
    Race("connections:Connections", "metaclass", "milvus-io/milvus#5664", "two singletons by a class attribute"),
    Race("tools:ToolManager", "constructor", "QwenLM/Qwen-Agent#845", "two singletons by `__new__`"),
    Race("circular:World", "metaclass", "cram2/cognitive_robot_abstract_machine#430", "a false circular dependency"),
    Race("wrappers:Wrapper", "constructor", "beeware/rubicon-objc#251", "two instances for one key of a weak table"),
    Race("checks:CheckRegistry", "class state", "Auriti-Labs/geo-optimizer-skill#189", "entry points loaded twice"),
    Race("frames:Frame", "class state", "TileDB-Inc/TileDB-Py#246", "a class says initialised before it is"),
    Race("shippers:ShippingHandler", "class", "LogentriesCommunity/le_python#10", "a thread is started twice"),
    Race("locales:LocaleBorg", "class state", "getnikola/nikola#2046", "all instances share one current language"),
    Race("properties:cached_property", "descriptor", "pydanny/cached-property#6", "a value is computed twice"),
    Race("signals:Signal", "descriptor", "pallets-eco/blinker#21", "two first readers get two objects"),
    Race("dispatch:generic", "decorator", "pola-rs/polars#29121", "a registry is walked over while it grows"),
    Race("multimethods:multimethod", "decorator", "coady/multimethod#73", "a miss walks over a table that grows"),
    Race("pending:Function", "decorator", "beartype/plum#274", "two first calls resolve the same list"),
    Race("memo:cached", "decorator", "tkem/cachetools#82", "two callers evict the same entry"),
    Race("expiring:cache", "decorator", "ByteInternet/drf-oidc-auth#23", "two callers add the same key"),
    Race("limits:limits", "decorator", "tomasbasham/ratelimit#9", "calls are not counted"),
    Race("windows:RateLimiter", "context manager", "RazerM/ratelimiter#1", "both ends of an empty queue"),
    Race("proxies:LazyProxy", "descriptor", "ionelmc/python-lazy-object-proxy#83", "two first uses make two objects"),
    Race("contracts:require_positive", "decorator", "Parquery/icontract#137", "a guard for one thread stops others"),
    Race("bundles:Localization", "iterator", "projectfluent/python-fluent#221", "a generator that threads share"),
    Race("streams:Pages", "iterator", "more-itertools/more-itertools#1093", "two threads take the same element"),
    Race("lazymodules", "module state", "scientific-python/lazy-loader#88", "a module is visible while it is loaded"),
)
