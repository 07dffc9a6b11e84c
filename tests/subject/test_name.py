"""Names of subjects."""

import pytest

from plait.errors import UsageError
from plait.subject.name import Subject


@pytest.fixture
def project(tmp_path):
    names = ("account.py", "pkg/__init__.py", "pkg/core.py", "src/app/__init__.py", "src/app/deep.py", "tools/x.py")
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "pkg" / "Both.py").write_text("")
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / "two-words.py").write_text("")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "module", "qualname", "file"),
    [
        ("account:Account", "account", "Account", None),
        ("pkg.core:Outer.Inner", "pkg.core", "Outer.Inner", None),
        ("account.py:Account", "account", "Account", "account.py"),
        ("pkg/core.py:Account", "pkg.core", "Account", "pkg/core.py"),
        ("pkg/__init__.py:Account", "pkg", "Account", "pkg/__init__.py"),
        ("src/app/deep.py:Account", "app.deep", "Account", "src/app/deep.py"),
        ("tools/x.py:X", "x", "X", "tools/x.py"),
        ("pkg.core.Account", "pkg.core", "Account", None),
        ("pkg.Account", "pkg", "Account", None),
        ("app.deep.Outer.Inner", "app.deep", "Outer.Inner", None),
        ("pkg.core.lower_class", "pkg.core", "lower_class", None),
        ("boltons.cacheutils.LRI", "boltons.cacheutils", "LRI", None),
        ("some._private._Class", "some._private", "_Class", None),
        ("pkg.core", "pkg.core", "", None),
        ("account", "account", "", None),
    ],
)
def test_spellings(project, text, module, qualname, file):
    subject = Subject.parse(text, path=project)
    assert (subject.module, subject.qualname) == (module, qualname)
    assert subject.file == (project / file if file else None)
    assert str(subject) == (f"{module}:{qualname}" if qualname else module)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not a name"),
        ("account:", "is not a name"),
        (":Account", "is not a name"),
        ("a b:C", "is not a name"),
        ("account:class", "is not a name"),
        ("Account", "without its module"),
        ("pkg.Both", "write pkg:Both or pkg.Both:Class"),
        ("gone.py:X", "there is no file gone.py"),
        ("./:X", "is a folder: `plait audit ./` judges"),
        ("./notes.txt:X", "not a Python source file"),
        ("two-words.py:X", "cannot be imported"),
        ("account.py:a-b", "is not the name of a class"),
    ],
)
def test_unusable_names_are_told_in_one_line(project, text, message):
    with pytest.raises(UsageError, match=message) as error:
        Subject.parse(text, path=project)
    assert "\n" not in str(error.value)
