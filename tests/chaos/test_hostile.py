"""Hostile code: with the kernel's layers nothing of it succeeds; without them, what docs/security.md says.

All acts of `hostile_acts` are committed in one process each for root (if the tests run as root) and for an ordinary
user, with the kernel's layers and with the audit hook alone.
"""

import ast
import contextlib
import ctypes
import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hostile_acts import ACTS

from plait.run.native import kernel, seccomp
from plait.run.native.kernel import kernel_source
from plait.workers.pool import Workers
from plait.workers.protocol import WorkerSpec

HERE = Path(__file__).parent
SECURITY = HERE.parents[1] / "docs" / "security.md"
NOBODY = 65534
WATCHED = {"disk filled by many files"}
"""Acts that the worker's parent ends, where there is no mount namespace; see `test_too_much`."""
USERS = (0, NOBODY) if os.geteuid() == 0 else (os.geteuid(),)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is the audit hook alone")


def _picture(folder):
    """Everything that an act could change about a folder."""
    found = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        status = path.lstat()
        regular = stat.S_ISREG(status.st_mode)
        found[str(path.relative_to(folder))] = (
            status.st_mode, status.st_uid, status.st_nlink, status.st_dev, round(status.st_mtime, 3),
            os.listxattr(path, follow_symlinks=False), path.read_bytes() if regular else b"",
        )  # fmt: skip
    return found


@contextlib.contextmanager
def _surroundings(user):
    """A folder for each act, somebody who listens, a shared memory; all of them the user's."""
    folder = Path(tempfile.mkdtemp(prefix="plait-hostile-"))
    folder.chmod(0o755)
    shared = f"/plait-hostile-{os.getpid()}"
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        local = stack.enter_context(socket.socket(socket.AF_UNIX))
        local.bind(str(folder / "socket"))
        local.listen(50)
        hidden = stack.enter_context(socket.socket(socket.AF_UNIX))
        hidden.bind(f"\0plait hostile {os.getpid()}")
        hidden.listen(50)
        memory = Path("/dev/shm" + shared)  # noqa: S108
        memory.write_bytes(b"x")
        stack.callback(memory.unlink, missing_ok=True)
        ours, theirs = os.openpty()
        stack.callback(os.close, ours)
        stack.callback(os.close, theirs)
        given = {
            "terminal": os.ttyname(theirs),
            "port": tcp.getsockname()[1], "place": str(folder / "socket"), "abstract": hidden.getsockname().decode(),
            "shared": shared, "left": f"{shared}-left",
        }  # fmt: skip
        (folder / "given.json").write_text(json.dumps(given))
        (folder / "acts").mkdir()
        (folder / "home").mkdir()
        for act in ACTS:
            here = folder / "acts" / act.name
            here.mkdir()
            (here / "file").write_text("precious")
            (here / "file").chmod(0o600)
        if os.geteuid() == 0:
            for path in [memory, os.ttyname(theirs), folder, *folder.rglob("*")]:
                os.chown(path, user, user)
        yield folder


_known = {}


def _committed(layers, user):
    """What came of each act (the exception, or "done"), the names of those that got through, and the layers."""
    if (layers, user) not in _known:
        with _surroundings(user) as folder:
            before = {act.name: _picture(folder / "acts" / act.name) for act in ACTS}
            with (folder / "output").open("w") as output:
                process = subprocess.Popen(
                    [sys.executable, str(HERE / "hostile_process.py"), str(folder), layers, str(user)],
                    stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True,
                    env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"},
                )  # fmt: skip
            try:
                process.wait(120)
            finally:
                with contextlib.suppress(OSError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            assert (folder / "told.json").stat().st_size, (folder / "output").read_text()
            told = json.loads((folder / "told.json").read_text())
            ctypes.CDLL(None).umount2(os.fsencode(folder / "acts" / "mount"), 2)
            through = {
                act.name for act in ACTS
                if (told["results"][act.name] == "done" if act.seen == "done"
                    else _picture(folder / "acts" / act.name) != before[act.name])
            }  # fmt: skip
            _known[layers, user] = told["results"], through, told["layers"]
    return _known[layers, user]


def _layers(user):
    return _committed("kernel", user)[2]["in_force"]


@pytest.mark.parametrize("user", USERS)
def test_nothing_gets_through_where_the_kernel_enforces(user):
    results, through, layers = _committed("kernel", user)
    if not {"landlock", "seccomp"} <= set(layers["in_force"]):
        pytest.skip(f"this kernel does not: {layers['missing']}")
    if "mounts" not in layers["in_force"].get("namespaces", ""):
        through = through - WATCHED
    assert {name: results[name] for name in through} == {}


@pytest.mark.parametrize("user", USERS)
def test_what_the_hook_alone_does_not_stop_is_said(user):
    results, through, _ = _committed("hook", user)
    told = _told()
    assert told <= {act.name for act in ACTS}
    assert {name: results[name] for name in through - told} == {}
    certain = {act.name for act in ACTS if not act.varies and (user == 0 or not act.root)}
    if sys.version_info >= (3, 14):  # which tells the hook of every call through ctypes
        certain = {name for name in certain if "a call of a native function by address" not in results[name]}
    assert {name: results[name] for name in (told & certain) - through} == {}


def _told():
    """The list in docs/security.md."""
    text = SECURITY.read_text(encoding="utf-8")
    (block,) = re.findall(r"<!-- acts -->\n(.*?)<!-- end -->", text, re.DOTALL)
    return {" ".join(name.split()) for name in re.findall(r"`([^`]+)`", block)}


def test_the_list_is_long_enough():
    names = [act.name for act in ACTS]
    assert len(names) == len(set(names)) >= 150


def test_what_is_put_together_as_one_source_defines_no_name_twice():
    """A measuring process gets both files as one text."""
    names = [
        {target.id for node in ast.parse(Path(module.__file__).read_text()).body for target in ast.walk(node)
         if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store) and target.col_offset == 0}
        for module in (kernel, seccomp)
    ]  # fmt: skip
    assert len(names[0]) > 10
    assert len(names[1]) > 10
    assert names[0] & names[1] == set()


def test_every_process_that_runs_code_under_test_says_its_layers(tmp_path):
    """A worker and a measuring process get the same as the hostile one."""
    expected = _layers(USERS[0])
    with Workers(WorkerSpec(), count=1) as workers:
        workers.submit(os.getpid, timeout=60).result()
        (worker,) = [slot._worker.layers() for slot in workers._slots]
    assert worker["in_force"] == expected
    source = f"{kernel_source()}\nimport json\nprint(json.dumps(confine({str(tmp_path)!r}, ()).as_json()))"
    done = subprocess.run([sys.executable, "-I", "-c", source], capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    assert told["in_force"] == expected, told["missing"]
