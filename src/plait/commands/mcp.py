"""`plait mcp`: the commands as tools of a Model Context Protocol server, on standard input and output.

Each tool call runs `python -m plait COMMAND ... --compact` as a process in the project's folder. So code under test
never runs in the server, and its output cannot mix with the protocol. Callers cannot extend what code under test may
do: no tool has an option for that, only the project's settings.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import os
import sys
from pathlib import Path
from typing import Any

from plait import __version__
from plait.errors import FOUND, INCONCLUSIVE, NOTHING_FOUND, UsageError

LONGEST = 900.0  # seconds for one call, whatever its budget
_INSTRUCTIONS = (
    "plait explores thread interleavings of Python code and proves each finding by a schedule that replays. Begin with "
    "`check` on a class meant for several threads; `change` lines say what to edit, `lock` which lock to take. Run the "
    "same tool again after an edit: exit code 0 is nothing found, 1 findings, 3 no conclusion, which is no pass."
)


def run_mcp(options: argparse.Namespace) -> int:
    """Serve until the client disconnects; raise `UsageError` if the extra is not installed."""
    tool_server(options.path.resolve()).run("stdio")
    return NOTHING_FOUND


def tool_server(folder: Path) -> Any:
    """Return the server with its tools for a project's folder."""
    try:
        sdk = importlib.import_module("mcp.server")
        refused = importlib.import_module("mcp.server.mcpserver.exceptions").ToolError
        server = sdk.MCPServer("plait", instructions=_INSTRUCTIONS, version=__version__)
    except (ImportError, AttributeError):
        raise UsageError("`plait mcp` needs the extra: pip install 'plait[mcp]'") from None

    async def said(command: str, *words: str, **options: object) -> str:
        given = [text for name, value in options.items() if value is not None for text in _option(name, value)]
        try:
            return await answered(folder, command, words, given)
        except UsageError as error:
            raise refused(str(error)) from None

    async def check(subject: str, at: str | None = None, budget: str = "60s", max_tests: int | None = None) -> str:
        """Look for thread-safety violations of a class (`module:Class` or `file.py:Class`) in one version."""
        return await said("check", subject, at=at, budget=budget, max_tests=max_tests)

    async def diff(
        subject: str, old: str = "HEAD", new: str = "worktree", budget: str = "60s", max_tests: int | None = None
    ) -> str:
        """Find what only one of two versions of a class can do under threads."""
        return await said("diff", subject, old=old, new=new, budget=budget, max_tests=max_tests)

    async def explore(test: str, old: str | None = None, budget: str = "60s", max_schedules: int | None = None) -> str:
        """Run an existing test that starts threads (`tests/test_x.py::test_y`) under many schedules."""
        return await said("explore", test, old=old, budget=budget, max_schedules=max_schedules)

    async def replay(file: str, finding: int | None = None) -> str:
        """Run a finding of a result file or a regression test again, deterministically, and show its steps."""
        return await said("replay", file, finding=finding)

    async def explain(fingerprint: str | None = None) -> str:
        """Show a finding of an earlier run without running code; without a fingerprint, list all."""
        return await said("explain", *([] if fingerprint is None else [fingerprint]))

    async def fix(file: str, finding: int | None = None, budget: str = "5m", max_tests: int | None = None) -> str:
        """Find the smallest change that is proven to remove a finding of a result file: a diff; nothing is written."""
        return await said("fix", file, finding=finding, budget=budget, max_tests=max_tests)

    for tool in (check, diff, explore, replay, explain, fix):
        server.add_tool(tool)
    return server


def _option(name: str, value: object) -> list[str]:
    return [f"--{name.replace('_', '-')}={value}"]


async def answered(folder: Path, command: str, words: tuple[str, ...], options: list[str]) -> str:
    """Run a command in ``folder``; return its output with its exit code, or raise `UsageError` if it failed."""
    for word in words:
        if word.startswith("-") or not word.strip():
            raise UsageError(f"{word!r:.60} is no name")
    compact = [] if command == "replay" else ["--compact"]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "plait", command, *words, *options, *compact, cwd=folder,
        env={**os.environ, "NO_COLOR": "1"}, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        out, err = await asyncio.wait_for(process.communicate(), LONGEST)
    except TimeoutError:
        raise UsageError(f"plait {command} has not ended within {LONGEST:.0f} s") from None
    finally:
        if process.returncode is None:  # the client has disconnected, or the call took too long
            process.terminate()
            await process.wait()
    told, complaint = (text.decode("utf-8", "replace").strip() for text in (out, err))
    if process.returncode not in (NOTHING_FOUND, FOUND, INCONCLUSIVE):
        ended = f"plait {command} ended with {process.returncode}"
        raise UsageError(complaint.splitlines()[-1] if complaint else ended)
    return f"{told}\nexit code: {process.returncode}"
