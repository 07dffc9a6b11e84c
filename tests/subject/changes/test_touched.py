"""Classes that a change touches, directly or through what they use."""

import pytest

from plait.subject.changes.survey import Survey
from plait.subject.versions.version import Version

LOCKED = """import threading
from .helper import clean

class {name}:
    def __init__(self):
        self._lock = threading.Lock()
        self.all = []

    def add(self, each):
        with self._lock:
            self.all.append({value})
"""
FILES = {
    "src/shop/__init__.py": "",
    "src/shop/helper.py": "def clean(text):\n    return text\n\ndef unused():\n    return 1\n",
    "src/shop/direct.py": LOCKED.format(name="Direct", value="each"),
    "src/shop/through.py": LOCKED.format(name="Through", value="clean(each)"),
    "src/shop/plain.py": "class Plain:\n    def go(self):\n        return 1\n",
    "src/shop/hidden.py": LOCKED.format(name="_Hidden", value="each"),
    "tests/test_shop.py": LOCKED.format(name="InTests", value="each"),
    "plait-out/left.py": "import threading\nclass Left:\n    lock = threading.Lock()\n",
}


@pytest.fixture
def survey(tmp_path):
    """Writes two versions, the new one with some files changed, and says which classes count."""

    def run(changes, **options):
        versions = []
        for side, files in (("old", FILES), ("new", {**FILES, **changes})):
            root = tmp_path / side
            for name, text in files.items():
                if text is not None:
                    (root / name).parent.mkdir(parents=True, exist_ok=True)
                    (root / name).write_text(text, encoding="utf-8")
            versions.append(Version(side, root, "folder", tree=root, project=root, origin=root))
        made = Survey(*versions, **options)
        return made.touched(list(changes)), made.notes

    return run


def names(found):
    return [str(each.subject) for each in found]


def test_a_class_whose_own_text_changes(survey):
    found, _ = survey({"src/shop/direct.py": LOCKED.format(name="Direct", value="each + 1")})
    assert names(found) == ["shop.direct:Direct"]
    assert found[0].why == "uses threading.Lock"
    assert found[0].change.changed_methods == {"add"}
    assert found[0].directly


def test_a_helper_concerns_the_classes_that_reach_it(survey):
    found, _ = survey({"src/shop/helper.py": FILES["src/shop/helper.py"].replace("return text", "return text.strip()")})
    assert names(found) == ["shop.through:Through"]
    assert not found[0].directly
    found, _ = survey({"src/shop/helper.py": FILES["src/shop/helper.py"].replace("return 1", "return 2")})
    assert found == []


def test_formatting_comments_tests_and_classes_for_one_thread_do_not_count(survey):
    direct = "# a comment\n" + FILES["src/shop/direct.py"].replace("[]", "[ ]")
    plain = FILES["src/shop/plain.py"].replace("1", "2")
    others = {name: FILES[name].replace("append(each)", "append(2)") for name in ("tests/test_shop.py",)}
    others["plait-out/left.py"] = FILES["plait-out/left.py"] + "    other = 1\n"
    others["src/shop/hidden.py"] = FILES["src/shop/hidden.py"].replace("append(each)", "append(2)")
    assert survey({"src/shop/direct.py": direct, "src/shop/plain.py": plain, **others}) == ([], [])


def test_settings_name_and_exclude(survey):
    changes = {
        "src/shop/plain.py": FILES["src/shop/plain.py"].replace("1", "2"),
        "src/shop/direct.py": LOCKED.format(name="Direct", value="each + 1"),
    }
    found, _ = survey(changes, named=["shop.plain:*"], excluded=["*:Direct"])
    assert names(found) == ["shop.plain:Plain"]
    assert found[0].why == "named in the settings"


def test_a_new_class_has_nothing_to_be_compared_with(survey):
    found, _ = survey({"src/shop/fresh.py": LOCKED.format(name="Fresh", value="each")})
    assert names(found) == ["shop.fresh:Fresh"]
    assert found[0].change is None


def test_files_that_cannot_be_parsed_are_named(survey):
    found, notes = survey({"src/shop/direct.py": "class Direct(:\n"})
    assert found == []
    assert len(notes) == 1
    assert "shop/direct.py" in notes[0]
