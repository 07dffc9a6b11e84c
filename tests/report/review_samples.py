"""Reviews, written down: what the reports of a review are made from in tests."""

from report_samples import checked, compared, comparison, explored

from plait.judge.review import ClassReview
from plait.model.result import Result
from plait.subject.changes.change import Change, ChangedStatement
from plait.subject.changes.locks import LockChange
from plait.subject.changes.survey import TouchedClass
from plait.subject.name import Subject


def touched(name, *methods, new=False):
    module, _, qualname = name.partition(":")
    reasons = {method: (f"{module}:{qualname}.{method}",) for method in methods}
    statement_ = ChangedStatement(f"{module}.py", 28, 28, f"{qualname}.{methods[0]}" if methods else "", "added")
    change = Change(
        name, (), (statement_,), (), (), tuple(way[0] for way in reasons.values()), frozenset(methods),
        frozenset(methods), frozenset(methods), frozenset(), frozenset(), reasons=reasons,
    )  # fmt: skip
    return TouchedClass(Subject(module, qualname), "uses threading.Lock", None if new else change)


def account():
    """A lock that became narrower: faster, and wrong."""
    faster = comparison("improvement")
    faster.subject, faster.focus = "account:Account", ["get"]
    return ClassReview(
        touched("account:Account", "withdraw"), "src", [LockChange("narrowed", ("withdraw",))], compared(), checked(),
        faster,
    )  # fmt: skip


def cache():
    """A lock that became wider: slower; behaviour is what it was."""
    slower = comparison("regression")
    slower.focus = ["load"]
    return ClassReview(
        touched("cache:Cache", "load"), "", [LockChange("widened", ("load",))], compared("none"), checked(found=False),
        slower,
    )  # fmt: skip


def clean():
    same = comparison("none")
    return ClassReview(
        touched("shop:Stock", "put", "take", "count"), "", [], compared("none"), checked(found=False), same,
        [explored(failed=False)],
    )  # fmt: skip


def unusable():
    why = "shop:Gate cannot be built from its signature"
    return ClassReview(touched("shop:Gate", new=True), notes=[f"check: {why}"], problem=why)


def result(classes):
    found = any(each.brought() for each in classes)
    return Result(
        "review", "shop", "findings" if found else "clean", {"old": "main (0123456789)", "new": "worktree"},
        stats={"classes": len(classes)}, elapsed_s=141.0, more={"repository": "/r"},
    )  # fmt: skip


def whole():
    """A review with everything in it: its result and its classes."""
    classes = [account(), cache(), clean(), unusable()]
    return result(classes), classes
