"""Smoke scripts for ten real packages: what each prints must not depend on being rewritten.

Run as ``package_smoke.py NAME MODE RELEASE DEPENDENCIES CACHE``: MODE is ``plain``, ``rewritten`` (through plait's
world, outside of executions) or ``explored`` (inside executions with two threads that do the same).
"""

import json
import sys
import types
from pathlib import Path

SMOKE = {
    "zict": (
        "zict",
        "import zict\n"
        "def smoke():\n"
        "    out = []\n"
        "    lru = zict.LRU(2, {}, on_evict=lambda k, v: out.append((k, v)))\n"
        "    for key in 'abc':\n"
        "        lru[key] = ord(key)\n"
        "    buffer = zict.Buffer({}, {}, n=1)\n"
        "    buffer['x'] = 1; buffer['y'] = 2\n"
        "    return sorted(lru), out, sorted(buffer), buffer['x']\n",
    ),
    "boltons": (
        "boltons.cacheutils",
        "from boltons.cacheutils import LRU, LRI, cached\n"
        "from boltons.dictutils import OrderedMultiDict\n"
        "def smoke():\n"
        "    cache = LRU(max_size=2); cache['a'] = 1; cache['b'] = 2; cache['a']; cache['c'] = 3\n"
        "    multi = OrderedMultiDict([('a', 1), ('a', 2)])\n"
        "    double = cached(LRI())(lambda x: 2 * x)\n"
        "    return sorted(cache), cache.get('b', 'gone'), multi.getlist('a'), double(4), double(4)\n",
    ),
    "watchdog": (
        "watchdog.utils.bricks",
        "from watchdog.utils.bricks import SkipRepeatsQueue\n"
        "from watchdog.events import FileCreatedEvent, PatternMatchingEventHandler\n"
        "def smoke():\n"
        "    queue = SkipRepeatsQueue()\n"
        "    for item in (1, 1, 2):\n"
        "        queue.put(item)\n"
        "    event = FileCreatedEvent('a.py')\n"
        "    handler = PatternMatchingEventHandler(patterns=['*.py'])\n"
        "    return queue.qsize(), queue.get(), event.event_type, handler.patterns\n",
    ),
    "kombu": (
        "kombu.utils.objects",
        "from kombu.utils.objects import cached_property\n"
        "from kombu.utils.functional import LRUCache, lazy\n"
        "from kombu.utils.limits import TokenBucket\n"
        "class Holder:\n"
        "    @cached_property\n"
        "    def value(self):\n"
        "        return [1]\n"
        "def smoke():\n"
        "    holder = Holder(); cache = LRUCache(limit=2)\n"
        "    for key in 'abc':\n"
        "        cache[key] = key\n"
        "    once = holder.value is holder.value\n"
        "    return once, sorted(cache.keys()), lazy(lambda: 3)(), TokenBucket(5, 2).can_consume(1)\n",
    ),
    "cachelib": (
        "cachelib.simple",
        "from cachelib.simple import SimpleCache\n"
        "def smoke():\n"
        "    cache = SimpleCache(threshold=3)\n"
        "    return cache.set('a', 1), cache.get('a'), cache.add('a', 2), cache.inc('n', 2), cache.get_many('a', 'b'),"
        " cache.delete('a'), cache.has('a')\n",
    ),
    "readerwriterlock": (
        "readerwriterlock.rwlock",
        "from readerwriterlock import rwlock\n"
        "def smoke():\n"
        "    out = []\n"
        "    for kind in (rwlock.RWLockRead, rwlock.RWLockWrite, rwlock.RWLockFair, rwlock.RWLockFairD):\n"
        "        lock = kind()\n"
        "        with lock.gen_rlock():\n"
        "            out.append('r')\n"
        "        with lock.gen_wlock() as held:\n"
        "            out.append(held)\n"
        "    return out\n",
    ),
    "pyee": (
        "pyee.base",
        "from pyee.base import EventEmitter\n"
        "def smoke():\n"
        "    out = []; emitter = EventEmitter()\n"
        "    emitter.on('e', out.append); emitter.once('e', lambda v: out.append(-v))\n"
        "    emitter.emit('e', 1); emitter.emit('e', 2)\n"
        "    return out, len(emitter.listeners('e')), emitter.event_names()\n",
    ),
    "limits": (
        "limits.storage.memory",
        "from limits.storage.memory import MemoryStorage\n"
        "from limits.strategies import FixedWindowRateLimiter\n"
        "from limits import parse\n"
        "def smoke():\n"
        "    storage = MemoryStorage(); limiter = FixedWindowRateLimiter(storage); rate = parse('2/minute')\n"
        "    return [limiter.hit(rate, 'k') for _ in range(3)], storage.get(rate.key_for('k'))\n",
    ),
    "blinker": (
        "blinker.base",
        "from blinker.base import Signal, Namespace\n"
        "def smoke():\n"
        "    out = []; signal = Namespace().signal('s')\n"
        "    def receive(sender, **named):\n"
        "        out.append((sender, sorted(named)))\n"
        "        return 7\n"
        "    signal.connect(receive)\n"
        "    sent = signal.send('me', a=1)\n"
        "    signal.disconnect(receive)\n"
        "    return out, [value for _, value in sent], signal.send('x')\n",
    ),
    "sortedcontainers": (
        "sortedcontainers",
        "from sortedcontainers import SortedDict, SortedList, SortedSet\n"
        "def smoke():\n"
        "    numbers = SortedList([3, 1, 2]); numbers.add(0); numbers.discard(3)\n"
        "    table = SortedDict(b=1, a=2); table['c'] = 0\n"
        "    items = list(table.items())\n"
        "    return list(numbers), numbers.bisect(1), items, table.peekitem(0), list(SortedSet('hello'))\n",
    ),
}


def plain(source):
    space = types.ModuleType("smoke_under_test").__dict__
    exec(compile(source, "smoke", "exec"), space)
    return repr(space["smoke"]())


def main(name, mode, release, dependencies, cache):
    """Print what the smoke script gives, as JSON."""
    module, source = SMOKE[name]
    if mode == "plain":
        sys.path[:0] = [release, dependencies]
        print(json.dumps(plain(source)))
        return
    from plait.explore.dpor import Dpor
    from plait.observe.places import PLACES
    from plait.run.engine import ENGINE
    from plait.run.importing.world import World

    world = World(PLACES, cache=Path(cache))
    world.load(module, roots=[Path(release)], paths=[Path(dependencies)])
    with world.entered():
        smoke = world.importer.load_source("smoke_under_test", source).smoke
        rewritten = any("_p_r" in vars(each) for key, each in sys.modules.items() if key.startswith(name))
        assert rewritten, f"{name} was not rewritten"
        if mode == "rewritten":
            print(json.dumps(repr(smoke())))
            return
        world.snapshot()
        search, results, statuses = Dpor(), set(), set()
        for _ in range(15):
            prefix = search.next_prefix()
            if prefix is None:
                break
            got = []
            bodies = [lambda: got.append(repr(smoke()))] * 2
            statuses.add(ENGINE.execute(lambda bodies=bodies: bodies, prefix, search, free=search.free))
            search.executed(ENGINE)
            errors = [repr(thread.error) for thread in ENGINE.threads if thread.error is not None]
            if ENGINE.status == "finished":
                results.update(got or errors)
        assert not search.diverged
        assert statuses <= {"finished", "redundant"}, statuses
        assert len(results) == 1, results
        print(json.dumps(results.pop()))


if __name__ == "__main__":
    main(*sys.argv[1:])
