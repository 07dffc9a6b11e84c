"""What every command writes with ``--json``, however it ends: it validates, and the exit code is the verdict's."""

import json
import subprocess
import textwrap

import pytest

from in_process import plait
from result_schema import refused_as, undescribed

SHOP = """
    import threading


    class Sound:
        def __init__(self):
            self._lock = threading.Lock()
            self.value = 0

        def add(self):
            with self._lock:
                self.value = self.value + 1
                return self.value


    class Racy:
        def __init__(self):
            self._lock = threading.Lock()
            self.value = 0

        def add(self):
            self.value = self.value + 1


    class Raising:
        def add(self, part):
            raise ValueError(part)
"""
TESTS = """
    import threading
    from shop import Racy, Sound


    def both(counter):
        threads = [threading.Thread(target=counter.add) for _ in range(2)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert counter.value == 2


    def test_sound():
        both(Sound())


    def test_racy():
        both(Racy())


    def test_alone():
        assert Sound().value == 0
"""
FEW = ("--max-tests", 6, "--workers", 1)
ENDINGS = {
    "check, none": (0, "none", ["check", "shop:Sound", *FEW]),
    "check, violation": (1, "violation", ["check", "shop:Racy", *FEW]),
    "check, known before": (1, "violation", ["check", "shop:Racy", *FEW]),
    "check, inconclusive": (3, "inconclusive", ["check", "shop:Raising", *FEW]),
    "check, no budget": (3, "inconclusive", ["check", "shop:Sound", "--budget", "0.001s", "--workers", 1, "--fresh"]),
    "diff, none": (0, "none", ["diff", "shop:Sound", "--old", "dir:old", *FEW]),
    "diff, difference": (1, "difference", ["diff", "shop:Racy", "--old", "dir:old", *FEW]),
    "diff, one thread": (0, "sequential-difference", ["diff", "shop:Sound", "--old", "dir:other", *FEW]),
    "diff, inconclusive": (3, "inconclusive", ["diff", "shop:Raising", "--old", "dir:old", *FEW]),
    "perf, inconclusive": (3, "inconclusive", ["perf", "shop:Racy", "--old", "dir:old", "--budget", "1s"]),
    "explore, pass": (0, "pass", ["explore", "test_shop.py::test_sound", "--max-schedules", 30]),
    "explore, failure": (1, "failure", ["explore", "test_shop.py::test_racy", "--max-schedules", 30]),
    "explore, inconclusive": (3, "inconclusive", ["explore", "test_shop.py::test_alone", "--max-schedules", 30]),
    "audit": (1, "findings", ["audit", "shop", *FEW]),
    "explain": (0, None, ["explain", "FINGERPRINT"]),
    "fix, mended": (0, "mended", ["fix", "found.json", "--max-tests", 6, "--workers", 1]),
    "bisect": (None, None, ["bisect", "shop:Racy", "--good", "HEAD~1", "--max-tests", 4, "--workers", 1]),
    "review": (None, None, ["review", "--base", "HEAD", "--max-tests", 4, "--workers", 1, "--budget", "6s"]),
}  # fmt: skip


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    text = textwrap.dedent(SHOP)
    (folder / "shop.py").write_text(text, encoding="utf-8")
    (folder / "test_shop.py").write_text(textwrap.dedent(TESTS), encoding="utf-8")
    before, behind = "        self.value = self.value + 1\n", "\n\nclass Raising"
    held = text.replace(before + behind, f"        with self._lock:\n    {before}{behind}")
    for name, old in (("old", held.replace("ValueError(part)", "ValueError(part, 1)")),
                      ("other", text.replace("self.value + 1", "self.value + 2"))):  # fmt: skip
        (folder / name).mkdir()
        (folder / name / "shop.py").write_text(old, encoding="utf-8")
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    (folder / "shop.py").write_text(held, encoding="utf-8")
    for words in (("init", "-q"), ("add", "shop.py"), ("commit", "-qm", "first")):
        subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)
    (folder / "shop.py").write_text(text, encoding="utf-8")
    subprocess.run(["git", *who, "commit", "-qam", "second"], cwd=folder, check=True, capture_output=True)
    plait(folder, "check", "shop:Racy", *FEW, "--json", "found.json", "--quiet")
    return folder


@pytest.mark.parametrize("name", ENDINGS)
def test_a_result_validates(project, name):
    code, verdict, words = ENDINGS[name]
    target = project / "result.json"
    target.unlink(missing_ok=True)
    if "FINGERPRINT" in words:
        found = json.loads((project / "found.json").read_text(encoding="utf-8"))
        words = [words[0], found["findings"][0]["fingerprint"]]
    done = plait(project, *words, "--json", target)
    assert code in (None, done.returncode), done.stdout + done.stderr
    assert done.returncode in (0, 1, 3)
    data = json.loads(target.read_text(encoding="utf-8"))
    assert verdict in (None, data.get("verdict"))
    if "command" in data:
        assert undescribed(data) == []
    else:  # one finding
        assert refused_as(data, "finding") == []


@pytest.mark.parametrize("words", [
    ["check", "shop:Nothing"], ["diff", "shop:Racy", "--old", "nowhere"], ["explore", "test_shop.py::nothing"],
    ["replay", "nothing.json"], ["fix", "shop.py"], ["audit", "nothing"], ["perf", "shop:Racy", "--old", "nowhere"],
    ["bisect", "shop:Racy", "--good", "nowhere"], ["explain", "0123456789abcdef"],
    ["explain"],
])  # fmt: skip
def test_what_is_unusable_writes_nothing(project, words):
    target = project / "unusable.json"
    done = plait(project, *words, "--json", target)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert not target.exists()
