"""`plait mcp`: the tools, asked by a client in the same process."""

import asyncio
import sys
from pathlib import Path

import pytest

from plait.cli.main import main
from plait.commands.mcp import answered, tool_server
from plait.errors import UsageError

RACY = "class Stock:\n    n = 0\n    def put(self):\n        self.n = self.n + 1\n"


@pytest.fixture
def project(tmp_path):
    (tmp_path / "stock.py").write_text(RACY, encoding="utf-8")
    return tmp_path


def ask(folder, *calls):
    """What a client gets from tools that it calls one after the other: whether it is an error, and the text."""
    mcp = pytest.importorskip("mcp", minversion=None)

    async def session():
        found = []
        async with mcp.Client(tool_server(folder)) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            for name, arguments in calls:
                result = await client.call_tool(name, arguments)
                found.append((bool(result.is_error), "\n".join(part.text for part in result.content)))
        return names, found

    return asyncio.run(session())


def test_from_a_check_to_its_explanation_and_replay(project):
    bounded = {"subject": "stock:Stock", "max_tests": 6}
    names, [(wrong, said)] = ask(project, ("check", bounded))
    assert names == {"check", "diff", "explore", "replay", "explain", "fix"}
    assert not wrong
    assert said.endswith("\nexit code: 1")
    fields = dict(line.split(": ", 1) for line in said.splitlines() if ": " in line)
    assert fields["change"].startswith("stock.py:4")
    reproducer = fields["replay"].removeprefix("plait replay ")
    _names, [(_, explained), (_, replayed)] = ask(
        project, ("explain", {"fingerprint": fields["finding"].split()[0]}), ("replay", {"file": reproducer})
    )
    assert f"finding: {fields['finding']}" in explained
    assert "10 of 10 times" in replayed


def test_agents_start_it_as_a_process_and_hear_nothing_but_the_protocol(project):
    """By the official client over the standard streams: whatever code under test prints must not get into them."""
    pytest.importorskip("mcp", minversion=None)
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    (project / "stock.py").write_text(f"print('imported')\n{RACY}        print('put')\n", encoding="utf-8")
    started = StdioServerParameters(command=sys.executable, args=["-m", "plait", "mcp", "--path", str(project)])

    async def session():
        async with stdio_client(started) as streams, ClientSession(*streams) as client:
            await client.initialize()
            names = {tool.name for tool in (await client.list_tools()).tools}
            told = await client.call_tool("check", {"subject": "stock:Stock", "max_tests": 6})
            known = await client.call_tool("explain", {})
        return names, told.content[0].text, known.content[0].text

    names, told, known = asyncio.run(session())
    assert names == {"check", "diff", "explore", "replay", "explain", "fix"}
    assert told.startswith("finding: ")
    assert told.endswith("\nexit code: 1")
    assert told.split()[1] in known


def test_what_is_unusable_is_an_error_in_one_line(project):
    _names, found = ask(
        project, ("check", {"subject": "stock:Nothing"}), ("explain", {"fingerprint": "0000"}),
        ("replay", {"file": "none.json"}), ("check", {"subject": "--allow=write"}), ("explain", {"fingerprint": ""}),
    )  # fmt: skip
    assert [wrong for wrong, _said in found] == [True] * 5
    assert "Nothing" in found[0][1]
    assert "is no name" in found[3][1]
    assert all("\n" not in said for _wrong, said in found)


def test_callers_cannot_widen_what_code_may_do(project):
    for words in (("--allow", "write"), ("-c",), ("",)):
        with pytest.raises(UsageError, match="is no name"):
            asyncio.run(answered(project, "check", words, []))


def test_without_the_extra_one_line_says_so(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    monkeypatch.chdir(tmp_path)
    assert main(["mcp"]) == 2
    assert capsys.readouterr().err == "plait: `plait mcp` needs the extra: pip install 'plait[mcp]'\n"
    assert list(Path().iterdir()) == []
