"""Methods that share a fault: those that the shown ones call, and those that show the same race."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from plait.model.finding import Finding


def names_of(methods: Iterable[str]) -> frozenset[str]:
    """Methods without their class."""
    return frozenset(name.rpartition(".")[2] for name in methods)


def inside(finding: Finding, public: Collection[str]) -> list[str]:
    """Public methods whose code runs in the finding although its test does not call them: the shown ones wrap them."""
    ran = {row["function"].rpartition(".")[2] for row in finding.interleaving if "." in row["function"]}
    return _of_class(finding, (ran & set(public)) - names_of(finding.methods))


def others(finding: Finding, seen: Iterable[frozenset[str]]) -> list[list[str]]:
    """The methods, and pairs of them, that showed the finding's race by themselves, but for its own."""
    kept = [names_of(finding.methods)]
    for names in sorted(seen, key=lambda each: (len(each), sorted(each))):
        if len(names) <= 2 and not any(names >= known for known in kept):
            kept.append(names)
    return [_of_class(finding, names) for names in kept[1:]]


def _of_class(finding: Finding, names: Iterable[str]) -> list[str]:
    owner = finding.methods[0].rpartition(".")[0] if finding.methods else ""
    return sorted(f"{owner}.{name}" for name in names)
