"""The 47 faults of JaConTeBe: which have a Python form here, and why the others have none.

A port has the shape of a fault (the locks, the order of the steps, who waits for whom), as the descriptions of
the suite tell it; none of the suite's code. ``faulty/`` and ``mended/`` hold the same modules, ``known/`` the test that
is known to show each fault.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
FAULTY, MENDED, KNOWN = HERE / "faulty", HERE / "mended", HERE / "known"
TOTAL = 47
BY_GENERATORS = 8  # found by all public generators of concurrent tests together (Terragni and Pezze, ASE 2018)

RACE, DEADLOCK, WAIT = "race", "deadlock", "wait-notify"


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of the suite, and the class that has its shape."""

    name: str
    kind: str
    module: str
    cls: str

    @property
    def test(self) -> str:
        """The known test, as `plait explore` is told."""
        return f"test_{self.module}.py::test_{self.name.lower().replace('-', '_')}"


FAULTS = (
    Fault("DBCP-65", DEADLOCK, "dbcp", "PoolingConnection"),
    Fault("DBCP-270", DEADLOCK, "dbcp", "ConnectionPool"),
    Fault("DBCP-369", RACE, "dbcp", "InstanceRegistry"),
    Fault("DERBY-764", DEADLOCK, "derby", "UpdateLoader"),
    Fault("DERBY-4129", DEADLOCK, "derby", "Scan"),
    Fault("DERBY-5447", DEADLOCK, "derby", "OverflowStream"),
    Fault("DERBY-5560", DEADLOCK, "derby", "PooledConnection"),
    Fault("DERBY-5561", RACE, "derby", "LogicalStatement"),
    Fault("GROOVY-3495", RACE, "groovy", "RootLoader"),
    Fault("GROOVY-4292", RACE, "groovy", "NodeCache"),
    Fault("GROOVY-4736", DEADLOCK, "groovy", "ScriptLoader"),
    Fault("GROOVY-6068", RACE, "groovy", "AntBuilder"),
    Fault("GROOVY-6456", RACE, "groovy", "ScriptServlet"),
    Fault("JDK-4243978", RACE, "channels", "ReferenceQueue"),
    Fault("JDK-4742723", RACE, "channels", "FileTree"),
    Fault("JDK-4779253", RACE, "runtime", "FilteredLogger"),
    Fault("JDK-4813150", RACE, "tables", "StringBuffer"),
    Fault("JDK-6436220", RACE, "channels", "SelectionKey"),
    Fault("JDK-6492872", DEADLOCK, "channels", "Engine"),
    Fault("JDK-6582568", DEADLOCK, "tables", "ComparedTable"),
    Fault("JDK-6588239", DEADLOCK, "runtime", "AnnotationTypes"),
    Fault("JDK-6648001", WAIT, "channels", "Authentication"),
    Fault("JDK-6927486", DEADLOCK, "tables", "WrittenTable"),
    Fault("JDK-6934356", DEADLOCK, "tables", "Vector"),
    Fault("JDK-6977738", DEADLOCK, "runtime", "Properties"),
    Fault("JDK-7045594", RACE, "runtime", "LoggerTable"),
    Fault("JDK-7100996", RACE, "tables", "InsertBuffer"),
    Fault("JDK-7122142", DEADLOCK, "runtime", "AnnotationPair"),
    Fault("JDK-7132378", RACE, "runtime", "FutureTask"),
    Fault("JDK-7132889", RACE, "channels", "SelectableChannel"),
    Fault("JDK-8010939", DEADLOCK, "runtime", "LogManager"),
    Fault("JDK-8012019", WAIT, "channels", "FileChannel"),
    Fault("JDK-8023541", RACE, "runtime", "Activation"),
    Fault("LOG4J-38137", WAIT, "log4j", "AsyncAppender"),
    Fault("LOG4J-41214", DEADLOCK, "log4j", "Hierarchy"),
    Fault("LOG4J-44032", RACE, "log4j", "ThrowableInformation"),
    Fault("LOG4J-50463", WAIT, "log4j", "DispatchedAppender"),
    Fault("LOG4J-54325", RACE, "log4j", "AppenderList"),
    Fault("LUCENE-1544", WAIT, "lucene", "IndexWriter"),
    Fault("LUCENE-2783", WAIT, "lucene", "MergeScheduler"),
    Fault("POOL-120", RACE, "pool", "ObjectPool"),
    Fault("POOL-146", WAIT, "pool", "KeyedPool"),
    Fault("POOL-149", WAIT, "pool", "AllocatingPool"),
    Fault("POOL-162", WAIT, "pool", "ImpatientPool"),
)

_MEMORY = "a field that is neither volatile nor locked: another thread may never see the write, which CPython excludes"
NOT_PORTABLE = {
    "DBCP-271": f"{_MEMORY} (the time of the last use)",
    "GROOVY-5198": "two stores change places in the processor or the compiler: in the program's order nothing fails",
    "POOL-46": f"{_MEMORY} (the flag of a closed pool)",
}

# Faults that some order of whole calls shows as well, by one that waits. `check`, whose measure is the class itself,
# has nothing to object to: only the mended class says that it should not.
SERIAL = {
    "JDK-6648001": "a request that got no answer is never ended: whoever asks next, however late, waits as well",
    "POOL-146": "a request waits behind one that waits, as a reader waits behind a writer in a fair lock",
}
