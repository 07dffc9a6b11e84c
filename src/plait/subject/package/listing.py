"""The modules of a package or project, and their public names. Files are read; nothing is imported."""

from __future__ import annotations

import ast
import importlib.machinery
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from plait.errors import UsageError
from plait.subject.source import Module, Source
from plait.subject.versions.version import Version, import_root, usual_places

if TYPE_CHECKING:
    from collections.abc import Iterator

_NOT_PRODUCT = frozenset({
    "test", "tests", "testing", "doc", "docs", "example", "examples", "benchmark", "benchmarks", "bench", "build",
    "dist", "plait-out", "node_modules", "env", "venv", "site-packages", "__pycache__", "scripts", "tools",
})  # fmt: skip
_NO_MODULE = re.compile(r"(tests?|test_.*|.*_tests?|conftest|setup|noxfile|tasks|fabfile)\.py")
_EXTENSIONS = tuple(importlib.machinery.EXTENSION_SUFFIXES)
_SILENT_BASES = {
    **dict.fromkeys(("Exception", "BaseException", "Warning"), "an exception"),
    **dict.fromkeys(("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"), "an enumeration"),
    "Protocol": "a protocol", "TypedDict": "a description of a dictionary", "NamedTuple": "a named tuple",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PublicClass:
    """A public class. ``silent`` says why threads cannot disturb it; mostly empty."""

    module: str
    qualname: str
    file: Path
    line: int
    silent: str = ""

    @property
    def name(self) -> str:
        """What `plait check` is given."""
        return f"{self.module}:{self.qualname}"


@dataclass(frozen=True, slots=True)
class PublicFunction:
    """A public function at the top of a module."""

    module: str
    name: str
    file: Path
    line: int


@dataclass(slots=True)
class Listing:
    """The content of a package. ``extensions`` are modules in C, ``private`` counts classes and functions left out."""

    name: str
    root: Path
    modules: list[Module] = field(default_factory=list)
    classes: list[PublicClass] = field(default_factory=list)
    functions: list[PublicFunction] = field(default_factory=list)
    extensions: list[str] = field(default_factory=list)
    private: int = 0
    unreadable: list[str] = field(default_factory=list)

    def file(self, module: Module) -> Path:
        """Return where a module stands."""
        return self.root / module.file


def list_package(text: str, version: Version) -> Listing:
    """Return the listing of a package or module, a file, or the folder of a project (``.``).

    A name is looked up in the version, then among the installed packages. UsageError with one line if there is none.
    """
    root, tops = _named(text, version)
    whole = text in (".", "..") or (Path(text).is_dir() and not (Path(text) / "__init__.py").is_file())
    found = Listing((root.parent if root.name in ("src", "lib") else root).resolve().name if whole else text, root)
    source = Source(root)
    for name in tops:
        for module, file in _files(root, name):
            if file.name.endswith(_EXTENSIONS):
                found.extensions.append(module)
            elif (parsed := source.module(module)) is not None:
                found.modules.append(parsed)
    found.unreadable = source.unreadable
    if not found.modules and not found.extensions:
        raise UsageError(f"{text}: there is no Python module to audit")
    _publish(found, frozenset(tops))
    return found


def _named(text: str, version: Version) -> tuple[Path, list[str]]:
    """Return an import root, and the modules and packages below it that are asked for."""
    path = Path(text).expanduser()
    is_path = text in (".", "..") or "/" in text or "\\" in text or text.endswith(".py")
    if is_path:
        place = path if path.is_absolute() else (version.project or version.root) / path
        if not place.exists():
            raise UsageError(f"{text}: there is no such file or folder")
        place = place.resolve()
        if place.is_file() or (place / "__init__.py").is_file():
            return _climbed(place)
        root = next((each for each in (place / "src", place / "lib") if _tops(each)), place)
        tops = _tops(root)
        if not tops:
            raise UsageError(f"{text}: there is no Python module or package in {place.name or place}")
        return root, tops
    if not all(part.isidentifier() for part in text.split(".")):
        raise UsageError(f"{text!r} is neither a package, nor a module, nor a path")
    root_here = import_root(version.project or version.root, version.tree or version.root, text)
    if root_here is not None:
        return root_here, [text]
    starts = (version.project or version.root, version.tree or version.root)
    for place in (place for start in dict.fromkeys(starts) for place in usual_places(start)):
        if _is_namespace(place.joinpath(*text.split("."))):
            return place, [text]
    if version.kind == "worktree":
        spec = importlib.machinery.PathFinder.find_spec(text.partition(".")[0])
        where = [*(spec.submodule_search_locations or ())] if spec is not None else []
        origin = spec.origin if spec is not None else None
        if where:
            return Path(where[0]).parent, [text]
        if origin and Path(origin).is_file():
            return Path(origin).parent, [text]
    raise UsageError(f"{text}: there is no package or module of that name; give a name, a file or a folder")


def _is_namespace(folder: Path) -> bool:
    """Return whether a folder without a module of its own has modules or packages: a part of a shared name."""
    return folder.is_dir() and (any(folder.glob("*.py")) or any(folder.glob("*/__init__.py")))


def _climbed(place: Path) -> tuple[Path, list[str]]:
    """Return the import root of one file or package folder, and its dotted name."""
    parts = [] if place.name == "__init__.py" else [place.stem if place.is_file() else place.name]
    folder = place.parent
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    if not parts or not all(part.isidentifier() for part in parts):
        raise UsageError(f"{place.name} cannot be imported; its name must be an identifier")
    return folder, [".".join(parts)]


def _tops(root: Path) -> list[str]:
    """Return the packages and modules at the top of a project's sources."""
    if not root.is_dir():
        return []
    found = []
    for entry in sorted(root.iterdir()):
        if entry.name.startswith(".") or entry.name in _NOT_PRODUCT or not entry.stem.isidentifier():
            continue
        package = entry.is_dir() and (entry / "__init__.py").is_file()
        if package or (entry.suffix == ".py" and not _NO_MODULE.fullmatch(entry.name)):
            found.append(entry.stem)
    return found


def _files(root: Path, name: str) -> Iterator[tuple[str, Path]]:
    """Yield the modules of a package, its own tests left out, with their files."""
    base = root.joinpath(*name.split("."))
    if not base.is_dir():
        single = [base.with_name(base.name + ".py"), *base.parent.glob(base.name + ".*")]
        file = next((each for each in single if each.is_file() and _is_source(each)), None)
        if file is not None:
            yield name, file
        return
    for entry in sorted(base.iterdir()):
        stem = entry.name.partition(".")[0]
        if entry.is_dir():
            skipped = entry.name in _NOT_PRODUCT or entry.name.startswith(".") or not stem.isidentifier()
            if not skipped and _is_namespace(entry):
                yield from _files(root, f"{name}.{entry.name}")
        elif entry.name == "__init__.py":
            yield name, entry
        elif stem.isidentifier() and stem != "__main__" and _is_source(entry):
            yield f"{name}.{stem}", entry


def _is_source(file: Path) -> bool:
    return (file.suffix == ".py" and not _NO_MODULE.fullmatch(file.name)) or file.name.endswith(_EXTENSIONS)


# -- public names ------------------------------------------------------------------------------------------------------


def _publish(found: Listing, asked: frozenset[str]) -> None:
    """Fill in the public classes and functions.

    A name counts if its module and itself are public, or if a public module hands it on: packages often define in
    ``_impl`` what their ``__init__`` exports. A module that was ``asked`` for by name is public, whatever its name.
    """
    by_name = {module.name: module for module in found.modules}
    handed_on = {target for module in found.modules if _is_public(module.name) for target in _handed_on(module)}
    seen: set[tuple[str, str]] = set()
    for module in found.modules:
        listed = _all(module.tree)
        scripts = _of_scripts(module.tree)
        for qualname, nodes in module.definitions.items():
            node = nodes[-1]
            inner = "." in qualname and not isinstance(node, ast.ClassDef)
            if "<locals>" in qualname or inner or id(node) in scripts:
                continue
            top = qualname.partition(".")[0]
            own = (module.name in asked or _is_public(module.name)) and (top in listed if listed is not None else True)
            hidden = any(part.startswith("_") for part in qualname.split("."))
            if hidden or not (own or (module.name, top) in handed_on):
                found.private += 1
                continue
            if (module.name, qualname) in seen:
                continue
            seen.add((module.name, qualname))
            if isinstance(node, ast.ClassDef):
                silent = _silent(node, module, by_name)
                found.classes.append(PublicClass(module.name, qualname, found.file(module), node.lineno, silent))
            else:
                found.functions.append(PublicFunction(module.name, qualname, found.file(module), node.lineno))


def _is_public(module: str) -> bool:
    return not any(part.startswith("_") for part in module.split("."))


def _handed_on(module: Module) -> Iterator[tuple[str, str]]:
    """Yield the names that a module re-exports from others.

    ``__all__`` names them. Without it, a package re-exports all that it imports, and a module what it does not use
    itself.
    """
    listed = _all(module.tree)
    used = frozenset[str]()
    if listed is None and not module.is_package:
        used = frozenset(node.id for node in ast.walk(module.tree) if isinstance(node, ast.Name))
    for name, targets in module.imports.items():
        if name.startswith("_") or name in used or (listed is not None and name not in listed):
            continue
        for target in targets:
            if target.name is not None:
                yield target.module, target.name


def _of_scripts(tree: ast.Module) -> set[int]:
    """Return what is defined only where a module is run: behind ``if __name__ == "__main__"``."""
    guarded = [node for node in tree.body if isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)]
    return {id(inner) for node in guarded for part in node.body for inner in ast.walk(part)}


def _all(tree: ast.Module) -> set[str] | None:
    """Return the names in ``__all__``, as far as they are written down; None if there is none."""
    found: set[str] | None = None
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(each, ast.Name) and each.id == "__all__" for each in targets):
            value = getattr(node, "value", None)
            for part in ast.walk(value) if value is not None else ():
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    found = (found or set()) | {part.value}
    return found


def _silent(node: ast.ClassDef, module: Module, modules: dict[str, Module], depth: int = 8) -> str:
    """Return why threads cannot disturb a class: exceptions, enumerations, descriptions of types; empty for others."""
    for base in node.bases:
        name = ast.unparse(base).partition("[")[0].rpartition(".")[2]
        if name in _SILENT_BASES:
            return _SILENT_BASES[name]
        if name.endswith(("Error", "Exception", "Warning")):
            return "an exception"
        home, known = module, name
        for target in module.imports.get(name, ()):
            if target.module in modules and target.name is not None:
                home, known = modules[target.module], target.name
        above = home.classes(known)
        said = _silent(above[-1], home, modules, depth - 1) if depth and above and above[-1] is not node else ""
        if said and said not in _OWN:
            return said
    return _WITHOUT_STATE if _is_stateless(node) else ""


_WITHOUT_STATE = "an abstract class that keeps nothing"
_OWN = frozenset({_WITHOUT_STATE, _SILENT_BASES["Protocol"]})
"""What a class is by itself only: who inherits from a protocol is an ordinary class again."""


def _is_stateless(node: ast.ClassDef) -> bool:
    """Return whether a class leaves methods to its subclasses, and neither it nor its instances hold anything."""
    bases = {ast.unparse(each).partition("[")[0].rpartition(".")[2] for each in node.bases}
    functions = [each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
    abstract = any("abstract" in ast.unparse(each) for function in functions for each in function.decorator_list)
    stored = any(isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store) for each in ast.walk(node))
    held = [each.value for each in node.body if isinstance(each, ast.Assign | ast.AnnAssign) and each.value is not None]
    plain = all(isinstance(each, ast.Constant | ast.Tuple) for each in held)
    return bases <= {"ABC", "Generic", "object"} and abstract and not stored and plain
