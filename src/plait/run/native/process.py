"""A helper process as its parent sees it: started, asked, and ended without leaving anything behind.

Nothing but the standard library: the script that repeats a measurement without plait contains this file.
"""

# ruff: noqa: PTH102, PTH118, PTH123 - also runs inside what is measured, where fewer imports are better

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import shutil
import subprocess
import tempfile
import threading
from typing import Any

_SECRET = re.compile(r"TOKEN|SECRET|PASSW|KEY|CREDENTIAL|AUTH", re.IGNORECASE)


class NativeError(Exception):
    """The process could not do what it was asked for; the message is one line, ``kind`` the exception it met."""

    def __init__(self, message: str, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind


class Stuck(NativeError):  # noqa: N818  # the word that people use
    """Threads that wait for each other, or a process that does not answer."""


class Process:
    """A process that answers JSON commands (`native_load.serve`), in a folder of its own."""

    def __init__(self, command: list[str], *, script: str | None = None, hash_seed: int = 0) -> None:
        self._folder = tempfile.mkdtemp(prefix="plait-load-")
        self.work = os.path.join(self._folder, "work")
        os.mkdir(self.work)
        if script is not None:
            file = os.path.join(self._folder, "load.py")
            with open(file, "w", encoding="utf-8") as written:
                written.write(script)
            command = [*command, file, "--serve"]
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8",
                env=environment(hash_seed), cwd=self.work, start_new_session=True,  # an interrupt is not for it
            )  # fmt: skip
        except OSError as error:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise NativeError(f"{command[0]} cannot be started: {error.strerror}") from None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def ask(self, do: str, timeout: float, **arguments: Any) -> dict[str, Any]:
        """Send a command and wait for its answer; `Stuck` after ``timeout``, `NativeError` if it failed."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # a process that is gone is noticed when it does not answer
            self._process.stdin.write(json.dumps({"do": do, **arguments}) + "\n")
            self._process.stdin.flush()
        try:
            line = self._answers.get(timeout=timeout)
        except queue.Empty:
            raise Stuck(f"no answer within {timeout:.0f} s") from None
        if not line:
            raise NativeError(f"the process ended with exit code {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        if answer.get("kind") == "LoadDeadlock":
            raise Stuck(answer["message"])
        if "error" in answer:
            raise NativeError(answer["error"], answer.get("kind", ""))
        return answer

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._answers.put(line)
        self._answers.put("")

    def close(self) -> None:
        """End the process and remove its folder."""
        with contextlib.suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        try:
            self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(1.0)
        if self._process.stdout is not None and not self._reader.is_alive():
            self._process.stdout.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def environment(hash_seed: int) -> dict[str, str]:
    """The user's environment without secrets and without settings of this Python, with a hash seed that is known."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTHON") and not _SECRET.search(name)
    }
    return {**kept, "PYTHONHASHSEED": str(hash_seed), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONNOUSERSITE": "1"}
