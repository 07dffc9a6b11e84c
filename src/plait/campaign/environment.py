"""Environment variables that code under test must not see."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECRET = re.compile(
    r"TOKEN|SECRET|PASSW|PASSPHRASE|PASSCODE|(^|_)PASS(_|$)|CREDENTIAL|PRIVATE|(^|_|API|ACCESS)KEYS?(_|$)|AUTH(_|$)|(^|_)PAT(_|$)"
    r"|COOKIE|SESSION_?ID|(^|_)DSN(_|$)|CONNECTION_?STRING|SSH_AUTH_SOCK|SSH_AGENT|GPG_AGENT",
    re.IGNORECASE,
)
_URL_WITH_PASSWORD = re.compile(r"[a-z][a-z0-9+.-]*://[^/\s:@]*:[^/\s@]+@", re.IGNORECASE)


def is_secret(name: str, value: str) -> bool:
    """Whether a variable looks like a secret, by its name or because its value is an address with a password."""
    return _SECRET.search(name) is not None or _URL_WITH_PASSWORD.search(value) is not None


def without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """What may be passed on."""
    return {name: value for name, value in environment.items() if not is_secret(name, value)}
