"""What a package says about itself: the classifier it declares, and modules in C that it has or imports."""

import importlib.machinery

import pytest

from plait.commands.audit.package import claims_of
from plait.subject.package.listing import list_package
from plait.subject.versions.version import Version

SUFFIX = importlib.machinery.EXTENSION_SUFFIXES[0]
STABLE = "Programming Language :: Python :: Free Threading :: 3 - Stable"


@pytest.fixture
def shop(tmp_path):
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "__init__.py").write_text("import fastpath\nimport json\n")
    return tmp_path


def claims(folder, *extra):
    version = Version("x", folder, "release", tuple(extra), folder, folder)
    return claims_of(list_package("shop", version), version, "2 - Beta")["free_threading"]


def test_a_project_states_its_classifiers_in_its_settings(shop):
    assert claims(shop)["classifier"] is None
    (shop / "pyproject.toml").write_text(f'[project]\nclassifiers = ["Topic :: Software Development", "{STABLE}"]\n')
    assert claims(shop) == {
        "classifier": "3 - Stable", "supported": "2 - Beta",
        "gil": "stays off: neither the package nor what it imports has modules in C",
    }  # fmt: skip


def test_a_release_states_them_in_its_metadata(shop):
    info = shop / "shop_of_things-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: shop-of-things\nVersion: 1.0\nClassifier: {STABLE}\n")
    (info / "RECORD").write_text("shop/__init__.py,,\n")
    assert claims(shop)["classifier"] == "3 - Stable"


def test_modules_in_c_that_a_package_imports_are_named(shop, tmp_path_factory):
    other = tmp_path_factory.mktemp("dependencies")
    (other / "fastpath").mkdir()
    (other / "fastpath" / "__init__.py").touch()
    (other / "fastpath" / f"_speed{SUFFIX}").touch()
    assert "(fastpath)" in claims(shop, other)["gil"]
    (shop / "shop" / f"_own{SUFFIX}").touch()
    assert claims(shop, other)["gil"].startswith("is not known: shop._own in C")
