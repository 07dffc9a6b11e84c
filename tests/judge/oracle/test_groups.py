"""Findings that are mended in one place are one group; what users reach with ordinary calls comes first."""

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
    return AccessStep(1, "shop.py", line, function, "", "read", "Shop.a")


def test_the_interrupted_function_is_to_mend():
    assert code_to_mend(found("a", "put", "get", function="Shop._add")) == "shop.py: Shop._add"
    both = found("a", "put", race=[row("Shop.put"), row("Shop.get")])
    assert code_to_mend(both) == "shop.py: Shop.get and shop.py: Shop.put"
    assert code_to_mend(found("a", "put", race=[row("Shop.put"), row("Shop.put", 2)])) == "shop.py: Shop.put"
    assert code_to_mend(found("a", "put", "get")) == "get and put"


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
