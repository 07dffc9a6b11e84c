import pytest

from plait.config import Config, load_config
from plait.errors import UsageError
from plait.generate.catalogue import Hints

FULL = """
budget = "5m"
threads = 3
seed = 7
model = "gil"
generate = "random"
allow = ["write"]
hook = "hooks/my_hook.py"
tests = "tests"
values = { key = ["'a'", "KEY"] }

[subject."shop:Stock"]
factories = ["make_stock", "Stock(capacity={'a': 1})"]
imports = ["from shop import Stock"]
exclude = ["shutdown"]
only = ["put", "take"]
not-parallel = [["start", "stop"]]
invariant = "totals_agree"
nondeterministic = ["now"]
values = { "put.count" = ["1", "2"] }
"""
HOOK = "KEY = 'k'\ndef make_stock():\n    return None\ndef totals_agree(x):\n    return True\n"


@pytest.fixture
def project(tmp_path):
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks" / "my_hook.py").write_text(HOOK)
    return tmp_path


def test_nothing_said(tmp_path):
    assert load_config(tmp_path) == Config()
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'shop'\n")
    assert load_config(tmp_path) == Config()


def test_everything_said(project):
    (project / "plait.toml").write_text(FULL)
    config = load_config(project)
    assert config.options == {"budget": "5m", "threads": 3, "seed": 7, "model": "gil", "generate": "random"}
    assert config.allow == ("write",)
    assert config.hook == project / "hooks" / "my_hook.py"
    assert config.tests == project / "tests"
    stock = config.subject("shop:Stock")
    assert stock.invariant == "totals_agree(x)"
    assert stock.nondeterministic == ("now",)
    assert stock.hints == Hints(
        imports=(
            "from shop import Stock", "from my_hook import KEY", "from my_hook import make_stock",
            "from my_hook import totals_agree",
        ),
        factories=("make_stock()", "Stock(capacity={'a': 1})"),
        values={"key": ("'a'", "KEY"), "put.count": ("1", "2")},
        exclude=("shutdown",),
        only=("put", "take"),
        not_parallel=(("start", "stop"),),
    )  # fmt: skip


def test_other_subjects_get_the_general_words(project):
    (project / "plait.toml").write_text(FULL)
    other = load_config(project).subject("shop:Till")
    assert other.hints == Hints(imports=("from my_hook import KEY",), values={"key": ("'a'", "KEY")})
    assert other.invariant is None


def test_pyproject_has_the_same_keys_and_plait_toml_wins(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.plait]\nseed = 1\n[tool.plait.subject.'a:B']\nexclude = ['c']\n")
    assert load_config(tmp_path).options == {"seed": 1}
    assert load_config(tmp_path).subject("a:B").hints.exclude == ("c",)
    (tmp_path / "plait.toml").write_text("seed = 2\n")
    assert load_config(tmp_path).options == {"seed": 2}
    assert load_config(tmp_path).subject("a:B").hints.exclude == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bugdet = '1s'", "unknown setting bugdet; did you mean budget?"),
        ("max_tests = 3", "unknown setting max_tests; did you mean max-tests?"),
        ("qqq = 3", "unknown setting qqq; known are model, generate"),
        ("budget = 60", "budget is 60, but must be a string"),
        ("budget = '60'", "budget is '60', but must be a time such as '60s', '5m' or '1h'"),
        ("threads = '2'", "threads is '2', but must be a whole number, 2 or more"),
        ("threads = 1", "threads is 1, but must be a whole number, 2 or more"),
        ("seed = true", "seed is True, but must be a whole number, 0 or more"),
        ("generate = 'rnd'", "generate is 'rnd', but must be one of random, covcon"),
        ("allow = ['read']", "allow is 'read', but must be one of write, network, subprocess"),
        ("allow = 'write'", "allow is 'write', but must be a list of strings"),
        ("hook = 'none.py'", "hook is 'none.py', but must be the path of a Python file"),
        ("exclude = [1]", "exclude is [1], but must be a list of strings"),
        ("not-parallel = [['a']]", "not-parallel is [['a']], but must be a list of pairs of method names"),
        ("factories = ['a b']", "factories is 'a b', but must be a Python expression"),
        ("values = { key = [] }", "values.key is [], but must be a list with at least one expression"),
        ("values = 3", "values is 3, but must be a table"),
        ("[subject.'a:B']\nexlude = []", "unknown setting subject.a:B.exlude; did you mean subject.a:B.exclude?"),
        ("invariant = 1", "invariant is 1, but must be a string"),
        ("= 3", "plait.toml is no valid TOML"),
    ],
)
def test_errors_are_one_line_and_name_the_remedy(tmp_path, text, message):
    (tmp_path / "plait.toml").write_text(text)
    with pytest.raises(UsageError) as caught:
        load_config(tmp_path)
    assert message in str(caught.value)
    assert str(caught.value).startswith("plait.toml")
    assert "\n" not in str(caught.value)


def test_hook_that_does_not_parse(tmp_path):
    (tmp_path / "hook.py").write_text("def broken(:")
    (tmp_path / "plait.toml").write_text("hook = 'hook.py'")
    with pytest.raises(UsageError, match="hook hook.py cannot be read"):
        load_config(tmp_path)
