"""What lies below a folder is found however deep it is, whatever it is called, and never through a link."""

import os
from pathlib import Path

from plait.model.folders import files_below
from plait.subject.versions.scratch import remove_tree


def _made(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")


def test_it_is_what_a_walk_finds_part_by_part_in_order(tmp_path):
    _made(tmp_path, "b.py", "a/z.py", "a-b/c.py", "a.py", "a/b/c.py", "a/b/c.txt", ".hidden/d.py")
    found = [Path(file) for file in files_below(tmp_path, ".py")]
    assert found == sorted(tmp_path.rglob("*.py"))
    assert len(found) == 6
    assert files_below(tmp_path, (".txt", "z.py")) == [str(tmp_path / "a/b/c.txt"), str(tmp_path / "a/z.py")]


def test_a_folder_is_left_out_with_all_below_it(tmp_path):
    _made(tmp_path, "a/b/c.py", "a/d.py")
    assert files_below(tmp_path, ".py", lambda entry: entry.name == "b") == [str(tmp_path / "a/d.py")]


def test_links_and_what_is_not_there(tmp_path):
    _made(tmp_path, "a/b.py")
    (tmp_path / "a" / "round").symlink_to(tmp_path)
    (tmp_path / "c.py").symlink_to(tmp_path / "nowhere")
    assert files_below(tmp_path, ".py") == [str(tmp_path / "a/b.py"), str(tmp_path / "c.py")]
    assert files_below(tmp_path / "nowhere", ".py") == []


def test_folders_deeper_than_a_path_can_be_long(tmp_path):
    before = Path.cwd()
    top = tmp_path / "top"
    top.mkdir()
    try:
        os.chdir(top)
        for number in range(2500):
            if number in (0, 1500, 2400):  # nobody can open the last one: its path is too long
                Path("f.py").touch()
            os.mkdir("d")  # noqa: PTH102 - thousands of times
            os.chdir("d")
        os.chdir(before)
        assert [file.count("/d") for file in files_below(top, ".py")] == [1500, 0]
    finally:
        os.chdir(before)
        remove_tree(top)


def test_names_that_are_no_text(tmp_path):
    with open(os.fsencode(tmp_path) + b"/\xff.py", "wb"):  # noqa: PTH123 - a path is a text
        pass
    (found,) = files_below(tmp_path, ".py")
    assert os.fsencode(found).endswith(b"/\xff.py")
