"""Findings that are mended in one place are one group; what users reach with ordinary calls comes first."""

from dataclasses import replace

from plait.commands.check.causes import weight
from plait.judge.oracle.causes import code_to_mend, effort_to_reach, grouped
from plait.model.finding import AccessStep, Finding, Gap
from plait.model.result import Result
from plait.model.test import Test
from plait.report.check_text import check_statement, check_text
from plait.report.layout import as_text
from plait.subject.interface.concurrent import mentions_threads


def found(summary, *methods, function=None, calls=("x.put(1)", "x.get(1)"), **more):
    gap = None if function is None else Gap(1, "/a/shop.py", function, 1, 2)
    test = Test.from_lines([], ["x = Shop()"], [[calls[0]], [calls[1]]])
    names = [f"Shop.{name}" for name in methods]
    reachable = {"gil": True, "free-threaded": True}
    return Finding("wrong-result", summary, names, test=test, gap=gap, reachable=reachable, **more)


def row(function, line=1):
    return AccessStep(1, "/a/shop.py", line, function, "", "read", "Shop.a")


def test_the_interrupted_function_is_to_mend():
    assert code_to_mend(found("a", "put", "get", function="Shop._add")) == "shop.py: Shop._add"
    both = found("a", "put", race=[row("Shop.put"), row("Shop.get")])
    assert code_to_mend(both) == "shop.py: Shop.get and shop.py: Shop.put"
    assert code_to_mend(found("a", "put", race=[row("Shop.put"), row("Shop.put", 2)])) == "shop.py: Shop.put"
    assert code_to_mend(found("a", "put", "get")) == "get and put"


def test_the_function_that_ignores_the_lock_is_to_mend():
    """Whoever interrupts it: a reader that takes no lock is one place, however many writers it can meet."""
    reading = replace(row("Shop.report", 30), thread=2)
    for writer in ("Shop.put", "Shop.clear"):
        held = [replace(row(writer, line), verb="write", locks=("Shop._lock",)) for line in (1, 2)]
        steps = [held[0], reading, held[1]]
        seen = found("a", "report", function=writer, race=steps[1:], interleaving=steps)
        assert code_to_mend(seen) == "shop.py: Shop.report"


def stuck(*methods, taken, **more):
    steps = []
    for thread, (holds, wants) in enumerate(taken, 1):
        steps.append(AccessStep(thread, "shop.py", thread, "Shop.f", "", "acquire", holds))
        steps.append(AccessStep(thread, "shop.py", thread, "Shop.f", "", "find busy", wants, locks=(holds,)))
    names = [f"Shop.{name}" for name in methods]
    return Finding("deadlock", "stuck", names, interleaving=steps, waiting=["thread 1 holds ..."], **more)


def test_deadlocks_over_the_same_locks_are_one_place():
    there, back = ("Shop.a", "Shop.b"), ("Shop.b", "Shop.a")
    said = "the order in which Shop.a and Shop.b are taken"
    assert code_to_mend(stuck("move", "back", taken=[there, back])) == said
    assert code_to_mend(stuck("total", "back", taken=[back, there])) == said
    assert code_to_mend(stuck("total", "back", taken=[there, ("Shop.b", "Shop.c"), ("Shop.c", "Shop.a")])) != said


def test_locks_of_one_name_are_told_by_the_methods():
    own = ("Account.lock", "Account.lock")
    assert code_to_mend(stuck("move", "take", taken=[own, own])) == "locks taken by move, take"
    alone = stuck("move", "take", taken=[("Shop.a", "Shop.b")])
    assert code_to_mend(alone) == "locks taken by move, take"


def test_groups_stand_together_and_the_nearest_comes_first():
    far = found("far", "__eq__", function="Shop._add")
    near = found("near", "put", function="Shop._add")
    other = found("other", "get", function="Shop.get", calls=("x.get(Recorder('g', 1))", "x.get(1)"))
    ordered = grouped([far, other, near], weight)
    assert [each.summary for each in ordered] == ["near", "far", "other"]
    assert [each.group for each in ordered] == [1, 1, 2]
    assert ordered[1].as_json()["group"] == 1
    assert ordered[1].as_json()["mend"] == "shop.py: Shop._add"
    assert Finding.from_json(ordered[1].as_json()) == ordered[1]


def test_the_simplest_finding_of_a_group_comes_first():
    """That is the one with few switches, then few methods, then few calls, whatever its sentence begins with."""
    other = found("after put and get", "get", "put", function="Shop._add")
    longer = replace(
        found("after three calls of put", "put", function="Shop._add"),
        test=Test.from_lines([], ["x = Shop()"], [["x.put(1)"], ["x.put(1)", "x.put(1)"]]),
    )
    twins = found("with two calls of put", "put", function="Shop._add", calls=("x.put(1)", "x.put(1)"))
    switching = found("a third way", "put", function="Shop._add", preemptions=2)
    ordered = grouped([other, switching, longer, twins], weight)
    assert ordered == [twins, longer, other, switching]


def test_stand_ins_are_no_ordinary_arguments():
    assert effort_to_reach(found("a", "put", calls=("x.put(Recorder('g', 1))", "x.put(1)"))) == (0, 1)
    assert effort_to_reach(found("a", "__eq__", "put")) == (1, 0)


def test_one_finding_of_a_group_is_shown_in_full():
    stats = {"tests": 4, "schedules": 9, "method_pairs": 3, "method_pairs_covered": 3}
    findings = grouped([found(f"way {number}", "put", function="Shop._add") for number in range(4)], weight)
    result = Result("check", "shop:Shop", "violation", findings=findings, stats=stats, more={"mentions_threads": False})
    shown = as_text(check_text(result))
    assert shown.startswith("Shop does not claim to be thread-safe: there is no lock and no word of threads")
    assert "[1/4] way 0" in shown
    assert "way 1" not in shown
    assert "To mend: shop.py: Shop._add. Findings 2 to 4 reach it in other ways (--full shows them)." in shown
    assert check_statement(result)[0].startswith("4 thread-safety violations, to be mended in 1 place, in shop:Shop")
    result.more["mentions_threads"] = True
    assert as_text(check_text(result)).startswith("[1/4] way 0")


def test_who_says_anything_about_threads(tmp_path):
    module = tmp_path / "shop.py"
    module.write_text("class Shop:\n    def put(self): self.block = 'clocked'\n")
    assert not mentions_threads([module], tmp_path, "shop")
    (tmp_path / "README.md").write_text("Shops may be shared by several threads.\n")
    assert mentions_threads([module], tmp_path, "shop")
    (tmp_path / "README.md").unlink()
    module.write_text("from threading import RLock\n")
    assert mentions_threads([module], tmp_path, "shop")
    assert mentions_threads([tmp_path / "nowhere.py"], tmp_path, "shop")
