"""A result file that came from anybody prints nothing that a terminal or a CI system obeys."""

import json

import pytest

from in_process import plait

COUNTER = """
class Counter:
    def __init__(self):
        self.n = 0
    def add(self):
        n = self.n
        self.n = n + 1
"""
ESCAPES = "\x1b[2J\n::error::x\u202e"


@pytest.mark.slow
def test_the_kind_of_a_finding_is_spelled_out(tmp_path):
    (tmp_path / "thing.py").write_text(COUNTER)
    words = ["--max-tests", "4", "--workers", "1", "--quiet", "--json", "result.json"]
    assert plait(tmp_path, "check", "thing:Counter", *words).returncode == 1
    data = json.loads((tmp_path / "result.json").read_text())
    for finding in data["findings"]:
        finding["kind"] = finding["summary"] = ESCAPES
    (tmp_path / "result.json").write_text(json.dumps(data))
    said = plait(tmp_path, "replay", "result.json").stdout
    assert "shows no \\u001b[2J" in said
    assert [each for each in said if not each.isprintable() and each != "\n"] == []
    assert [line for line in said.splitlines() if line.startswith("::")] == []
