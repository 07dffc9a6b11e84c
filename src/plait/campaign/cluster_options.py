"""Which cluster a campaign is to run on."""

from __future__ import annotations

import argparse
import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plait.errors import UsageError

CONNECT_S = 10.0


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where the scheduler is, and the files that encryption needs, if it is used."""

    address: str
    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None

    @property
    def is_encrypted(self) -> bool:
        """Whether any file for encryption was given."""
        return any((self.ca, self.cert, self.key))

    def client(self) -> Any:
        """A connection; `UsageError` if there is none."""
        found = distributed()
        security = None
        if self.is_encrypted:
            names = {"tls_ca_file": self.ca, "tls_client_cert": self.cert, "tls_client_key": self.key}
            files = {name: str(file) for name, file in names.items() if file is not None}
            missing = [text for text in files.values() if not Path(text).is_file()]
            if missing:
                raise UsageError(f"--cluster: there is no file {missing[0]!r}")
            security = found.Security(require_encryption=True, **files)
        try:
            return found.Client(self.address, timeout=CONNECT_S, set_as_default=False, security=security)
        except Exception as error:
            said = " ".join(str(error).split())[:160]
            raise UsageError(f"--cluster: no Dask scheduler answers at {self.address!r} ({said})") from None


def cluster_of(options: argparse.Namespace) -> Cluster | None:
    """What the command line says."""
    if options.cluster is None:
        return None
    return Cluster(options.cluster, options.cluster_ca, options.cluster_cert, options.cluster_key)


def distributed() -> Any:
    """Dask's package, which only the extra installs."""
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise UsageError("--cluster needs the extra `cluster`: pip install 'plait[cluster]'") from None
