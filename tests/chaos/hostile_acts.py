"""Acts of code under test that must not succeed, as data: a name, the code, how to see that it got through.

Each act has a folder of its own, ``here``, with one ``file`` ("precious", mode 0600), that belongs to the user who
commits it. What the code finds besides:

- ``victim``: the number of another process of the same user, whose environment holds a secret;
- ``port``, ``place``: a TCP port and the path of a socket that somebody listens at;
- ``call(name, ...)``: a system call, as an extension module would make it; raises `OSError`. Where success would harm
  the machine, the arguments are senseless, and an error that says so counts as success;
- ``sub(code)``: runs code in another interpreter of this process.

``files`` acts got through if the folder is not as it was. ``done`` acts got through if their code came to its end: it
raises where the act was refused. Those that ``root`` alone could commit count for root alone.
"""

from typing import NamedTuple

import shared_acts


class Act(NamedTuple):
    name: str
    code: str
    seen: str = "files"
    root: bool = False
    varies: bool = False


def _files(**codes):
    return [Act(name.replace("_", " "), code) for name, code in codes.items()]


def _done(*, root=False, **codes):
    return [Act(name.replace("_", " "), code, "done", root) for name, code in codes.items()]


_FLIPPING = """
class Path:
    asked = 0
    def __fspath__(self):
        self.asked += 1
        return {first} if self.asked == 1 else {then}
"""

# -- files -----------------------------------------------------------------------------------------------------------

FILES = [
    *_files(
        open_to_write="open(file, 'w')",
        open_to_append="open(file, 'a').write('more')",
        open_in_place="open(file, 'r+').write('other')",
        open_exclusively="open(new, 'x')",
        open_bytes="open(os.fsencode(new), 'wb')",
        open_unbuffered="open(file, 'r+b', 0).write(b'x')",
        os_open="os.write(os.open(file, os.O_WRONLY), b'x')",
        os_open_to_create="os.open(new, os.O_CREAT)",
        os_open_to_truncate="os.open(file, os.O_TRUNC)",
        os_open_below_a_folder="os.open('new', os.O_CREAT | os.O_WRONLY, dir_fd=os.open(here, os.O_RDONLY))",
        os_open_below_an_open_folder=(
            "folder = os.open(here, os.O_RDONLY)\nos.close(os.open('file', os.O_WRONLY | os.O_TRUNC, dir_fd=folder))"
        ),
        os_open_in_place_below_a_folder=(
            "f = os.open('file', os.O_RDWR, dir_fd=os.open(here, os.O_RDONLY))\nos.write(f, b'x')"
        ),
        unnamed_file_given_a_name=(
            "f = os.open(here, os.O_TMPFILE | os.O_WRONLY)\nos.link(f'/proc/self/fd/{f}', new, follow_symlinks=True)"
        ),
        write_through_a_link="os.symlink(file, 'link')\nopen('link', 'w').write('x')",
        write_through_a_linked_folder="os.symlink(here, 'folder')\nopen('folder/new', 'w')",
        write_by_descriptor_path="f = os.open(file, os.O_RDONLY)\nopen(f'/proc/self/fd/{f}', 'w').write('x')",
        write_by_thread_descriptor_path="f = os.open(file, os.O_RDONLY)\nopen(f'/proc/thread-self/fd/{f}', 'w')",
        write_by_root_of_process="open(f'/proc/self/root{file}', 'w')",
        write_by_folder_of_victim="open(f'/proc/{victim}/root{file}', 'w')",
        io_fileio="import io\nio.FileIO(file, 'w')",
        io_open_code_then_reopen="import io\nf = io.open_code(file)\nopen(f'/proc/self/fd/{f.fileno()}', 'w')",
        pathlib_touch="import pathlib\npathlib.Path(new).touch()",
        remove="os.remove(file)",
        remove_below_a_folder="os.remove('file', dir_fd=os.open(here, os.O_RDONLY))",
        remove_tree="import shutil\nshutil.rmtree(here)",
        remove_folder="os.remove(file)\nos.rmdir(here)",
        rename="os.rename(file, new)",
        rename_into_own_folder="os.rename(file, 'mine')",
        rename_over="open('mine', 'w').close()\nos.replace('mine', file)",
        rename_below_a_folder="f = os.open(here, os.O_RDONLY)\nos.rename('file', 'new', src_dir_fd=f, dst_dir_fd=f)",
        move="import shutil\nshutil.move(file, new)",
        copy="import shutil\nshutil.copy('/etc/hostname', new)",
        make_folder="os.mkdir(new)",
        make_folders="os.makedirs(f'{new}/a/b')",
        make_folder_below_a_folder="os.mkdir('new', dir_fd=os.open(here, os.O_RDONLY))",
        make_temporary_file="import tempfile\ntempfile.mkstemp(dir=here)",
        make_temporary_folder="import tempfile\ntempfile.mkdtemp(dir=here)",
        hard_link="os.link(file, new)",
        hard_link_of_own_file="open('mine', 'w').close()\nos.link('mine', new)",
        hard_link_into_own_folder="os.link(file, 'mine')\nopen('mine', 'w').write('x')",
        symbolic_link="os.symlink('/etc/passwd', new)",
        symbolic_link_below_a_folder="os.symlink('x', 'new', dir_fd=os.open(here, os.O_RDONLY))",
        truncate="os.truncate(file, 0)",
        truncate_by_descriptor="os.truncate(os.open(file, os.O_RDONLY), 0)",
        change_mode="os.chmod(file, 0o777)",
        change_mode_by_descriptor="os.fchmod(os.open(file, os.O_RDONLY), 0o777)",
        change_mode_of_folder="os.chmod(here, 0o777)",
        change_mode_below_a_folder="os.chmod('file', 0o777, dir_fd=os.open(here, os.O_RDONLY))",
        change_times="os.utime(file, (1, 1))",
        change_times_by_descriptor="os.utime(os.open(file, os.O_RDONLY), (1, 1))",
        change_times_below_a_folder="os.utime('file', (1, 1), dir_fd=os.open(here, os.O_RDONLY))",
        set_attribute="os.setxattr(file, 'user.plait', b'x')",
        set_attribute_by_descriptor="os.setxattr(os.open(file, os.O_RDONLY), 'user.plait', b'x')",
        make_node="os.mknod(new)",
        make_node_below_a_folder="os.mknod('new', dir_fd=os.open(here, os.O_RDONLY))",
        make_pipe="os.mkfifo(new)",
        make_pipe_below_a_folder="os.mkfifo('new', dir_fd=os.open(here, os.O_RDONLY))",
        sqlite_connect="import sqlite3\nsqlite3.connect(new).execute('create table t (x)')",
        sqlite_connect_by_address=(
            "import sqlite3\nsqlite3.connect(f'file:{new}', uri=True).execute('create table t (x)')"
        ),
        sqlite_connect_that_looks_read_only=(
            "import sqlite3\nsqlite3.connect(f'file:{new}?x=mode=ro', uri=True).execute('create table t (x)')"
        ),
        sqlite_connect_to_a_name_with_mode_ro=(
            "import sqlite3\nsqlite3.connect(f'{here}/mode=ro').execute('create table t (x)')"
        ),
        sqlite_attach=(
            "import sqlite3\nc = sqlite3.connect(':memory:')\nc.execute('attach ? as other', (new,))\n"
            "c.execute('create table other.t (x)')"
        ),
        sqlite_vacuum_into="import sqlite3\nsqlite3.connect(':memory:').execute('vacuum into ?', (new,))",
        sqlite_backup=(
            "import sqlite3\nc = sqlite3.connect(':memory:')\nc.execute('attach ? as o', (new,))\n"
            "c.execute('create table o.t (x)')\nc.commit()"
        ),
        dbm_dumb="import dbm.dumb\ndbm.dumb.open(new, 'c')['a'] = 'b'",
        readline_history="import readline\nreadline.add_history('x')\nreadline.write_history_file(new)",
        logging_handler="import logging\nlogging.FileHandler(new).close()",
        zip_file="import zipfile\nzipfile.ZipFile(new, 'w').close()",
        shelf="import shelve\nshelve.open(new, 'c')",
        source_compiled="import py_compile\nopen('m.py', 'w').close()\npy_compile.compile('m.py', cfile=new)",
        memory_map="import mmap\nf = open(file, 'r+b')\nmmap.mmap(f.fileno(), 1)[0] = 120",
        trace_of_faults="import faulthandler\nfaulthandler.dump_traceback(open(new, 'w'))",
        in_a_thread="import threading\nt = threading.Thread(target=open, args=(new, 'w'))\nt.start()\nt.join()",
        in_a_low_level_thread=(
            "import _thread, time\n_thread.start_new_thread(lambda: os.mkfifo(new), ())\ntime.sleep(0.05)"
        ),
        in_another_interpreter='sub(f\'open({new!r}, "w").write("x")\')',
        in_a_destructor="class D:\n    def __del__(self):\n        open(new, 'w')\nd = D()\ndel d",
        at_a_signal=(
            "import signal\nsignal.signal(signal.SIGUSR1, lambda *_: os.mkfifo(new))\n"
            "signal.raise_signal(signal.SIGUSR1)"
        ),
        in_a_trace_function=(
            "import sys\ndef trace(*_):\n    sys.settrace(None)\n    os.mkfifo(new)\nsys.settrace(trace)\n(lambda: 0)()"
        ),
        path_that_changes_when_removed=(_FLIPPING.format(first="file", then="'nothing'") + "os.remove(Path())"),
        path_that_changes_when_made=_FLIPPING.format(first="new", then="'mine2'") + "os.mkdir(Path())",
        path_that_changes_when_opened=(
            _FLIPPING.format(first="file", then="'mine'") + "os.close(os.open(Path(), os.O_WRONLY | os.O_TRUNC))"
        ),
        realpath_replaced="import os.path\nold = os.path.realpath\nos.path.realpath = lambda *_: os.getcwd()\n"
        "try:\n    open(new, 'w')\nfinally:\n    os.path.realpath = old",
        guard_replaced="from plait.workers import guard\nold = guard._outside\n"
        "guard._outside = lambda *_, **__: False\ntry:\n    open(new, 'w')\nfinally:\n    guard._outside = old",
        path_repaired_by_a_text="class S(str):\n    def startswith(self, *_):\n        return True\nopen(S(new), 'w')",
        python_function_by_ctypes=(
            "import ctypes\nf = ctypes.pythonapi._Py_open_noraise\nf(os.fsencode(file), os.O_WRONLY | os.O_TRUNC)"
        ),
        python_runs_text_by_ctypes=(
            "import ctypes\nctypes.pythonapi.PyRun_SimpleString(f'import os; os.mkfifo({new!r})'.encode())"
        ),
        system_call_open="call('openat', -100, new, os.O_CREAT | os.O_WRONLY, 0o600)",
        system_call_unlink="call('unlinkat', -100, file, 0)",
        system_call_rename="call('renameat2', -100, file, -100, new, 0)",
        system_call_truncate="call('truncate', file, 0)",
        system_call_mkdir="call('mkdirat', -100, new, 0o700)",
        system_call_symlink="call('symlinkat', 'x', -100, new)",
        system_call_link="call('linkat', -100, file, -100, new, 0)",
        system_call_mknod="call('mknodat', -100, new, 0o10600, 0)",
        system_call_chmod="call('fchmodat', -100, file, 0o777)",
        system_call_chmod_newer="call('fchmodat2', -100, file, 0o777, 0)",
        system_call_setxattr="call('setxattr', file, 'user.plait', 'x', 1, 0)",
        system_call_utimes="call('utimensat', -100, file, None, 0)",
        bound_socket="import socket\nsocket.socket(socket.AF_UNIX).bind(new)",
        open_by_a_path_descriptor="f = os.open(file, os.O_PATH)\nopen(f'/proc/self/fd/{f}', 'w').write('x')",
        system_call_open_newer="import struct\ncall('openat2', -100, new, struct.pack('QQQ', 0o101, 0o600, 0), 24)",
        system_call_create="call('creat', new, 0o600)",
        system_call_open_older="call('open', new, os.O_CREAT | os.O_WRONLY, 0o600)",
        system_call_rename_older="call('rename', file, new)",
        system_call_chmod_older="call('chmod', file, 0o777)",
        system_call_utime="call('utime', file, None)",
        system_call_utimes_older="call('utimes', file, None)",
        system_call_setxattr_of_a_link="call('lsetxattr', file, 'user.plait', 'x', 1, 0)",
        version_of_a_file="import fcntl, struct\nf = os.open(file, os.O_RDONLY)\n"
        "fcntl.ioctl(f, 0x40087602, struct.pack('l', 7))",
        copied_by_the_kernel=(
            "f, d = os.open(file, os.O_RDONLY), os.open(here, os.O_RDONLY)\n"
            "o = os.open('new', os.O_CREAT | os.O_WRONLY, dir_fd=d)\nos.sendfile(o, f, 0, 8)"
        ),
        in_a_collection="import gc\ndef made(*_):\n    gc.callbacks.remove(made)\n    os.mkfifo(new)\n"
        "gc.callbacks.append(made)\ngc.collect()",
        in_a_profile_function="import sys\ndef profile(*_):\n    sys.setprofile(None)\n    os.mkfifo(new)\n"
        "sys.setprofile(profile)\n(lambda: 0)()",
        in_a_finaliser="import weakref\nclass D:\n    pass\nd = D()\nweakref.finalize(d, os.mkfifo, new)\ndel d",
        at_the_end_of_the_process="import atexit\natexit.register(os.mkfifo, new)\natexit._run_exitfuncs()",
        in_a_codec="import codecs\ndef search(name):\n    codecs.unregister(search)\n    os.mkfifo(new)\n"
        "codecs.register(search)\nb'x'.decode('plait hostile')",
        in_an_error_handler="import codecs\ncodecs.register_error('plait', lambda e: os.mkfifo(new) or ('', e.end))\n"
        "b'\\xff'.decode('ascii', 'plait')",
        in_an_import="import sys\nclass F:\n    def find_spec(self, *_):\n        sys.meta_path.remove(self)\n"
        "        os.mkfifo(new)\nsys.meta_path.insert(0, F())\nimport plait_hostile_module",
        in_a_path_hook="import sys\ndef hook(p):\n    sys.path_hooks.remove(hook)\n    os.mkfifo(new)\n"
        "    raise ImportError\nsys.path_hooks.insert(0, hook)\nsys.path.append('/plait/hostile')\n"
        "try:\n    import plait_hostile_module\nfinally:\n    sys.path.remove('/plait/hostile')",
        in_an_unpickled_value="import pickle\npickle.loads(b'cos\\nmkfifo\\n(V' + new.encode() + b'\\ntR.')",
        in_an_unraisable_hook="import sys\nold = sys.unraisablehook\nsys.unraisablehook = lambda _: os.mkfifo(new)\n"
        "class D:\n    def __del__(self):\n        raise ValueError\n"
        "try:\n    D()\nfinally:\n    sys.unraisablehook = old",
        in_a_hook_of_threads="import threading\nold = threading.excepthook\n"
        "threading.excepthook = lambda _: os.mkfifo(new)\n"
        "try:\n    t = threading.Thread(target=int, args=('x',))\n    t.start()\n    t.join()\n"
        "finally:\n    threading.excepthook = old",
        in_an_audit_hook="import sys\ndef hook(*_, done=[], make=os.mkfifo, new=new):\n    if not done:\n"
        "        done.append(1)\n        make(new)\nsys.addaudithook(hook)\nos.listdir('.')",
        in_a_timer="import threading\nt = threading.Timer(0, os.mkfifo, (new,))\nt.start()\nt.join()",
        at_an_alarm="import signal, time\nsignal.signal(signal.SIGALRM, lambda *_: os.mkfifo(new))\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.01)\ntime.sleep(0.1)",
        in_a_pool_of_threads=(
            "import concurrent.futures\nwith concurrent.futures.ThreadPoolExecutor(1) as e:\n"
            "    e.submit(os.mkfifo, new).result()"
        ),
        in_an_event_loop="import asyncio\nasync def run():\n    await asyncio.to_thread(os.mkfifo, new)\n"
        "asyncio.run(run())",
        in_a_greenlet="import greenlet\ngreenlet.greenlet(os.mkfifo).switch(new)",
        path_file_of_an_environment="import site\nopen('x.pth', 'w').write(f'import os; os.mkfifo({new!r})')\n"
        "site.addpackage(os.getcwd(), 'x.pth', None)",
        package_with_an_entry="import importlib.metadata as m, pathlib\nos.mkdir('p.egg-info')\n"
        "open('p.egg-info/entry_points.txt', 'w').write('[pytest11]\\na = os:mkfifo')\n"
        "[e] = m.PathDistribution(pathlib.Path('p.egg-info')).entry_points\ne.load()(new)",
        archive_with_links="import tarfile, io\nwith tarfile.open('a.tar', 'w') as t:\n    i = tarfile.TarInfo('l')\n"
        "    i.type, i.linkname = tarfile.SYMTYPE, here\n    t.addfile(i)\n"
        "    t.addfile(tarfile.TarInfo('l/new'), io.BytesIO())\ntarfile.open('a.tar').extractall()",
        archive_with_absolute_names="import tarfile, io\nwith tarfile.open('a.tar', 'w') as t:\n"
        "    i = tarfile.TarInfo(new)\n    t.addfile(i, io.BytesIO())\nt = tarfile.open('a.tar')\n"
        "t.extractall('/')",
        environment_of_its_own="import venv\nvenv.create(new, with_pip=False)",
        bytes_compiled="import compileall\nopen('m.py', 'w').close()\nos.symlink(here, '__pycache__')\n"
        "compileall.compile_file('m.py')",
        trace_left="import tracemalloc\ntracemalloc.start()\ntry:\n    tracemalloc.take_snapshot().dump(new)\n"
        "finally:\n    tracemalloc.stop()",
        profile_left="import cProfile\np = cProfile.Profile()\np.runcall(int)\np.dump_stats(new)",
        rules_of_the_guard_emptied="import gc\n[rules] = [o for o in gc.get_objects() if type(o) is dict"
        " and 'os.remove' in o and type(o['os.remove']) is tuple]\nold = dict(rules)\nrules.clear()\n"
        "try:\n    open(new, 'w')\nfinally:\n    rules.update(old)",
        code_of_the_guard_replaced="import gc\nfrom plait.workers import guard\n"
        "[hook] = [o for o in gc.get_objects() if type(o) is type(guard._place) and o.__name__ == 'hook'"
        " and o.__module__ == guard.__name__]\n"
        "names = ', '.join(hook.__code__.co_freevars)\nspace = {}\n"
        "exec(f'def make({names}):\\n    def hook(event, args):\\n        ({names})\\n    return hook', space)\n"
        "old, count = hook.__code__, len(hook.__code__.co_freevars)\n"
        "hook.__code__ = space['make'](*[0] * count).__code__\n"
        "try:\n    open(new, 'w')\nfinally:\n    hook.__code__ = old",
        functions_of_the_guard_emptied="import gc\nfrom plait.workers import guard\nold = guard._outside.__code__\n"
        "guard._outside.__code__ = (lambda path, folder, work, *, follow: False).__code__\n"
        "try:\n    open(new, 'w')\nfinally:\n    guard._outside.__code__ = old",
        frames_of_the_guard_read="import gc, sys\n"
        "def profile(frame, event, arg):\n    if frame.f_code.co_name == 'hook' and event == 'call':\n"
        "        sys.setprofile(None)\n        raise KeyboardInterrupt\nsys.setprofile(profile)\n"
        "try:\n    open(new, 'w')\nexcept KeyboardInterrupt:\n    open(new, 'w')\nfinally:\n    sys.setprofile(None)",
        recursion_used_up="def fall():\n    try:\n        fall()\n    except RecursionError:\n"
        "        open(new, 'w')\nfall()",
        memory_used_up_in_the_guard="class S(str):\n    def __len__(self):\n        raise MemoryError\n"
        "    __getitem__ = __repr__ = __len__\nopen(S(new), 'w')",
        class_of_the_path_lies="class P:\n    __class__ = int\n    def __fspath__(self):\n        return new\n"
        "open(P(), 'w')",
        flags_of_a_class="class F(int):\n    def __and__(self, other):\n        return 0\n    __rand__ = __and__\n"
        "os.close(os.open(new, F(os.O_CREAT | os.O_WRONLY)))",
        path_through_its_own_link="os.symlink(here, 'mine')\nos.rename('mine', 'later')\n"
        "open('later/../later/new', 'w')",
        folder_changed_under_a_thread="import threading\nos.mkdir('a')\nos.mkdir('b')\n"
        "os.symlink(here, 'b/c')\nstop = []\n"
        "def flip():\n    while not stop:\n        os.rename('a', 'c')\n        os.rename('b', 'a')\n"
        "        os.rename('a', 'b')\n        os.rename('c', 'a')\n"
        "t = threading.Thread(target=flip)\nt.start()\n"
        "try:\n    for _ in range(300):\n        try:\n            open('a/c/new', 'w').close()\n"
        "        except OSError:\n            pass\nfinally:\n    stop.append(1)\n    t.join()",
        system_call_link_of_an_open_file="call('linkat', os.open(file, os.O_PATH), '', -100, new, 0x1000)",
        system_call_exchange="open('mine', 'w').close()\n"
        "call('renameat2', -100, os.path.abspath('mine'), -100, file, 2)",
        folder_of_another_by_descriptor="f = os.open(f'/proc/{victim}/root', os.O_PATH)\n"
        "os.close(os.open(new[1:], os.O_CREAT | os.O_WRONLY, dir_fd=f))",
        path_that_changes_for_a_file_object=_FLIPPING.format(first="file", then="'mine'")
        + "import io\nio.FileIO(Path(), 'w')",
        class_of_the_path_of_a_file_object_lies="import io\nclass P:\n    __class__ = int\n    def __fspath__(self):\n"
        "        return new\nio.FileIO(P(), 'w')",
        path_of_bytes_that_lie="class B(bytes):\n    def decode(self, *_):\n        return 'mine'\n"
        "open(B(os.fsencode(new)), 'w')",
        sqlite_text_that_lies="import sqlite3\nclass S(str):\n    def startswith(self, *_):\n        return True\n"
        "    def removeprefix(self, *_):\n        return ':memory:'\n"
        "sqlite3.connect(S(new)).execute('create table t (x)')",
        log_configured="import logging.config\nlogging.config.dictConfig({'version': 1, 'handlers': {'f':"
        " {'class': 'logging.FileHandler', 'filename': new}}, 'root': {'handlers': ['f']}})",
        temporary_folder_moved="import tempfile\nold = tempfile.tempdir\ntempfile.tempdir = here\n"
        "try:\n    tempfile.NamedTemporaryFile(delete=False).close()\nfinally:\n    tempfile.tempdir = old",
    ),
    Act("change owner", "os.chown(file, 1, 1)", "files", root=True),
    Act("change owner by descriptor", "os.fchown(os.open(file, os.O_RDONLY), 1, 1)", "files", root=True),
    Act("system call chown", "call('fchownat', -100, file, 1, 1, 0)", "files", root=True),
    Act("make device", "os.mknod(new, 0o20600, os.makedev(1, 3))", "files", root=True),
    Act("mount", "call('mount', 'x', here, 'tmpfs', 0, None)", "done", root=True),
    Act(
        "remount",
        "try:\n    call('mount', None, here, None, 0x20 | 0x1000, None)\n"
        "except OSError as error:\n    assert error.errno == 22",
        "done",
        root=True,
    ),  # fmt: skip
    *_done(
        shared_memory_of_others="import _posixshmem\n_posixshmem.shm_unlink(shared)",
        shared_memory_left_behind=(
            "import _posixshmem\n_posixshmem.shm_open(left, os.O_CREAT | os.O_RDWR, mode=0o600)\n"
            "assert outside_sees_shared_memory(left)"
        ),
        writes_to_the_kernels_settings="open('/proc/self/oom_score_adj', 'w').write('900')",
        writes_to_its_own_memory="f = open('/proc/self/mem', 'r+b')",
        writes_to_a_terminal="open('/dev/ptmx', 'r+b')",
        flags_of_a_file="import fcntl, struct\nf = os.open(file, os.O_RDONLY)\n"
        "fcntl.ioctl(f, 0x40086602, struct.pack('l', 0x40))",
        system_log="import syslog\nsyslog.syslog('x')",
        disk_filled_by_one_file="os.posix_fallocate(os.open('big', os.O_CREAT | os.O_WRONLY), 0, 1 << 30)",
        disk_filled_by_many_files=(
            "for n in range(5):\n    os.posix_fallocate(os.open(f'big{n}', os.O_CREAT | os.O_WRONLY), 0, 1 << 27)"
        ),
        descriptors_used_up="kept = [os.dup(0) for _ in range(100_000)]",
        limit_raised="import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (200_000, 200_000))",
        queue_left_behind="call('msgget', 0x706C6169, 0o1600)\nassert outside_sees_queue(0x706C6169)",
        memory_file="os.memfd_create('plait')",
        secret_memory_file="call('memfd_secret', 0)",
        shared_segment="call('shmget', 0, 4096, 0o1600)",
        semaphores_of_the_system="call('semget', 0, 1, 0o1600)",
        queue_of_the_system="call('msgget', 0, 0o1600)",
        terminal_read="os.open(terminal, os.O_RDONLY | os.O_NOCTTY)",
        terminal_of_its_own="os.openpty()",
        lease_on_a_file="import fcntl\nfcntl.fcntl(os.open(file, os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_RDLCK)",
        signal_at_changes="import fcntl, signal\nsignal.signal(signal.SIGIO, signal.SIG_IGN)\n"
        "fcntl.fcntl(os.open(here, os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_MODIFY)",
        dies_with_nobody="call('prctl', 1, 0, 0, 0, 0)",
        posix_queue_left_behind="call('mq_open', 'plait-hostile', os.O_CREAT | os.O_RDWR, 0o600, None)\n"
        "assert outside_sees_posix_queue('plait-hostile')",
        keystroke_pushed="import fcntl\ntry:\n    fcntl.ioctl(os.pipe()[0], 0x5412, b'x')\n"
        "except OSError as error:\n    assert error.errno == 25",
        terminal_taken="import fcntl\ntry:\n    fcntl.ioctl(os.pipe()[0], 0x540E, 1)\n"
        "except OSError as error:\n    assert error.errno == 25",
        another_dies_first="call('openat', -100, f'/proc/{victim}/oom_score_adj', os.O_WRONLY)",
    ),
    *_done(
        root=True,
        unmounted="try:\n    call('umount2', '/nowhere/at/all', 2)\nexcept OSError as error:\n"
        "    assert error.errno == 2",
        root_exchanged="try:\n    call('pivot_root', '/nowhere/at/all', '/nowhere/at/all')\n"
        "except OSError as error:\n    assert error.errno == 2",
        mounts_writable_again="import struct\ntry:\n"
        "    call('mount_setattr', -100, '/nowhere/at/all', 0, struct.pack('QQQQ', 0, 1, 0, 0), 32)\n"
        "except OSError as error:\n    assert error.errno == 2",
        settings_of_the_kernel="call('openat', -100, '/proc/sys/kernel/core_pattern', os.O_WRONLY)",
        keys_of_the_kernel="call('openat', -100, '/proc/sysrq-trigger', os.O_WRONLY)",
        group_of_processes_left="call('openat', -100, '/sys/fs/cgroup/cgroup.procs', os.O_WRONLY)",
        own_priority_raised="os.setpriority(os.PRIO_PROCESS, 0, -20)\nos.setpriority(os.PRIO_PROCESS, 0, 0)",
        real_time_of_its_own="os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))\n"
        "os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))",
        memory_locked="call('mlockall', 1)\ncall('munlockall')",
        memory_of_the_machine="os.open('/proc/kcore', os.O_RDONLY)",
        network_device="os.open('/dev/net/tun', os.O_RDWR)",
    ),
]

# -- network ---------------------------------------------------------------------------------------------------------

NETWORK = _done(
    connect="import socket\nsocket.create_connection(('127.0.0.1', port), 1)",
    connect_by_system_call=(
        "import socket, struct\ns = socket.socket()\n"
        "to = struct.pack('=H', 2) + struct.pack('!H', port) + bytes([127, 0, 0, 1] + [0] * 8)\n"
        "call('connect', s.fileno(), to, 16)"
    ),
    connect_ex="import socket\nassert socket.socket().connect_ex(('127.0.0.1', port)) == 0",
    bind="import socket\nsocket.socket().bind(('127.0.0.1', 0))",
    bind_every_address="import socket\nsocket.socket(socket.AF_INET6).bind(('::', 0))",
    listen_without_bind="import socket\nsocket.socket().listen()",
    listen_by_system_call="import socket\ns = socket.socket()\ncall('listen', s.fileno(), 5)",
    create_server="import socket\nsocket.create_server(('127.0.0.1', 0))",
    send_datagram="import socket\nsocket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', port))",
    send_message="import socket\nsocket.socket(type=socket.SOCK_DGRAM).sendmsg([b'x'], [], 0, ('127.0.0.1', port))",
    send_by_system_call=(
        "import socket, struct\ns = socket.socket(type=socket.SOCK_DGRAM)\n"
        "to = struct.pack('=H', 2) + struct.pack('!H', port) + bytes([127, 0, 0, 1] + [0] * 8)\n"
        "call('sendto', s.fileno(), 'x', 1, 0, to, 16)"
    ),
    fast_open="import socket\nsocket.socket().sendto(b'x', 0x20000000, ('127.0.0.1', port))",
    netlink="import socket\nsocket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)",
    netlink_of_datagrams="import socket\nsocket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, 0)",
    virtual_machine_socket="import socket\nsocket.socket(40, socket.SOCK_STREAM)",
    kernel_cipher_socket="import socket\nsocket.socket(38, socket.SOCK_SEQPACKET)",
    unix_socket="import socket\nsocket.socket(socket.AF_UNIX).connect(place)",
    unix_socket_by_system_call=(
        "import socket, struct\ns = socket.socket(socket.AF_UNIX)\n"
        "to = struct.pack('=H', 1) + place.encode() + bytes(1)\ncall('connect', s.fileno(), to, len(to))"
    ),
    abstract_socket="import socket\nsocket.socket(socket.AF_UNIX).connect(abstract)",
    abstract_server="import socket\ns = socket.socket(socket.AF_UNIX)\ns.bind('\\0plait hostile')\ns.listen()",
    multicast_group=(
        "import socket\nsocket.socket(type=socket.SOCK_DGRAM).setsockopt("
        "socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, bytes([224, 0, 0, 251, 127, 0, 0, 1]))"
    ),
    look_up_name="import socket\nsocket.gethostbyname('localhost')",
    connect_in_another_interpreter="sub(f\"import socket; socket.create_connection(('127.0.0.1', {port}), 1)\")",
    connect_in_a_thread=(
        "import socket, threading\nmade = []\n"
        "t = threading.Thread(target=lambda: made.append(socket.create_connection(('127.0.0.1', port), 1)))\n"
        "t.start()\nt.join()\nassert made"
    ),
    datagram_of_a_local_socket="import socket\nsocket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', place)",
    packets_on_a_local_socket="import socket\nsocket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).connect(place)",
    several_paths="import socket, struct\ns = socket.socket(2, 1, 262)\n"
    "to = struct.pack('=H', 2) + struct.pack('!H', port) + bytes([127, 0, 0, 1] + [0] * 8)\n"
    "call('connect', s.fileno(), to, 16)",
    send_many_by_system_call="import socket\nsocket.socket(type=socket.SOCK_DGRAM)\ncall('sendmmsg', 0, None, 0, 0)",
    group_of_the_newer_protocol=(
        "import socket, struct\ns = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)\n"
        "s.setsockopt(41, 20, socket.inet_pton(socket.AF_INET6, 'ff02::1') + struct.pack('I', 1))"
    ),
    bus_of_the_car="import socket\nsocket.socket(29, socket.SOCK_RAW, 1)",
    descriptor_sent_by_socket=("import socket\na, b = socket.socketpair()\nsocket.send_fds(a, [b'x'], [0])"),
    asyncio_server=(
        "import asyncio\nasync def serve():\n    await asyncio.start_server(lambda *_: None, '127.0.0.1', 0)\n"
        "asyncio.run(serve())"
    ),
) + _done(
    root=True,
    packet_socket="import socket\nsocket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)",
    packet_socket_of_datagrams="import socket\nsocket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0)",
    raw_socket="import socket\nsocket.socket(socket.AF_INET, socket.SOCK_RAW, 1)",
)

# -- processes -------------------------------------------------------------------------------------------------------

PROCESSES = _done(
    run="import subprocess\nsubprocess.run(['true'], check=True)",
    shell="assert os.system('true') == 0",
    popen="assert os.popen('echo x').read()",
    fork="p = os.fork()\np or os._exit(0)",
    fork_with_terminal="import pty\np, _ = os.forkpty()\np or os._exit(0)",
    spawn="os.posix_spawn('/bin/true', ['true'], {})",
    spawn_by_name="os.spawnv(os.P_WAIT, '/bin/true', ['true'])",
    execute="try:\n    os.execve('/nowhere/at/all', ['x'], {})\nexcept FileNotFoundError:\n    pass",
    low_level_start="import subprocess, inspect\nstart_by(subprocess._fork_exec)",
    low_level_start_from_a_closure=(
        "import _posixsubprocess\nstart_by(next(c.cell_contents for c in _posixsubprocess.fork_exec.__closure__ or ()"
        " if callable(c.cell_contents)))"
    ),
    low_level_start_imported_anew=(
        "import sys, importlib\nold = sys.modules.pop('_posixsubprocess')\n"
        "try:\n    start_by(importlib.import_module('_posixsubprocess').fork_exec)\n"
        "finally:\n    sys.modules['_posixsubprocess'] = old"
    ),
    start_in_another_interpreter='sub(\'import os; os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)\')',
    multiprocessing_process="import multiprocessing\nmultiprocessing.get_context('fork').Process(target=print).start()",
    process_pool=(
        "import concurrent.futures, multiprocessing\n"
        "e = concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context('fork'))\ne.submit(int).result(5)"
    ),
    asyncio_process=(
        "import asyncio\nasync def run():\n    p = await asyncio.create_subprocess_exec('true')\n    await p.wait()\n"
        "asyncio.run(run())"
    ),
    system_call_fork="call('clone', 17, 0, 0, 0, 0) or os._exit(0)",
    system_call_execute=(
        "try:\n    call('execveat', -100, '/nowhere/at/all', None, None, 0)\nexcept FileNotFoundError:\n    pass"
    ),
    system_call_fork_older="call('fork') or os._exit(0)",
    system_call_fork_newer="import struct\n"
    "call('clone3', struct.pack('QQQQQQQQ', 0, 0, 0, 0, 17, 0, 0, 0), 64) or os._exit(0)",
    program_of_a_memory_file="f = os.memfd_create('x')\nos.write(f, open('/bin/true', 'rb').read())\n"
    "os.waitpid(os.posix_spawn(f'/proc/self/fd/{f}', ['x'], {}), 0)",
    program_of_its_own="import shutil\nshutil.copy('/bin/true', 'mine')\n"
    "os.waitpid(os.posix_spawn('./mine', ['x'], {}), 0)",
    interpreter_started="import sys\nos.waitpid(os.posix_spawn(sys.executable, ['python', '-c', ''], {}), 0)",
    pager_started="import pydoc\npydoc.pipepager('x', 'true')\nassert os.popen('echo x').read()",
    browser_started="import webbrowser\nassert webbrowser.GenericBrowser('true').open('x')",
    service_started="import socketserver\n"
    "class S(socketserver.ForkingMixIn, socketserver.BaseServer):\n    pass\n"
    "S.process_request(S(None, None), None, None)",
    signal_to_a_thread_by_value="import struct\n"
    "call('rt_tgsigqueueinfo', victim, victim, 18, struct.pack('iii', 18, 0, -1) + bytes(116))",
    signal_to_a_thread_of_another="import fcntl, struct\na, b = os.pipe()\n"
    "fcntl.fcntl(a, 15, struct.pack('ii', 0, victim))",
    scheduling_of_another_by_attributes=(
        "import struct\ncall('sched_setattr', victim, struct.pack('IIQiIQQQ', 48, 3, 0, 19, 0, 0, 0, 0), 0)"
    ),
    priority_of_a_group="try:\n    os.setpriority(os.PRIO_PGRP, 4_000_000, 19)\nexcept ProcessLookupError:\n    pass",
    pages_of_another="call('move_pages', victim, 0, None, None, None, 0)",
    pages_of_another_moved="import struct\ncall('migrate_pages', victim, 64, struct.pack('Q', 1), struct.pack('Q', 1))",
    kill="os.kill(victim, 0)",
    kill_everybody="os.kill(-1, 0)",
    kill_group="os.killpg(os.getpgid(victim), 0)",
    kill_by_descriptor="import signal\nsignal.pidfd_send_signal(os.pidfd_open(victim), 0)",
    kill_thread_of_another="call('tkill', victim, 0)",
    kill_thread_group_of_another="call('tgkill', victim, victim, 0)",
    kill_with_value="import struct\ncall('rt_sigqueueinfo', victim, 18, struct.pack('iii', 18, 0, -1) + bytes(116))",
    kill_by_system_call="call('kill', victim, 0)",
    signal_by_chosen_number="import fcntl\na, b = os.pipe()\nfcntl.fcntl(a, 10, 9)",
    signal_by_socket_owner=(
        "import fcntl, socket, struct\na, b = socket.socketpair()\nfcntl.ioctl(a, 0x8901, struct.pack('i', victim))"
    ),
    limits_of_another="import resource\nresource.prlimit(victim, resource.RLIMIT_NOFILE, (64, 64))",
    priority_of_another="os.setpriority(os.PRIO_PROCESS, victim, 19)",
    priority_of_a_user=("try:\n    os.setpriority(os.PRIO_USER, 4_000_000, 19)\nexcept ProcessLookupError:\n    pass"),
    processors_of_another="os.sched_setaffinity(victim, os.sched_getaffinity(victim))",
    scheduling_of_another="os.sched_setscheduler(victim, os.SCHED_BATCH, os.sched_param(0))",
    disk_priority_of_another="call('ioprio_set', 1, victim, 3 << 13)",
)

# -- other processes' secrets, and the kernel ------------------------------------------------------------------------

SECRETS = _done(
    environment_of_another="assert b'hostile' in open(f'/proc/{victim}/environ', 'rb').read()",
    memory_of_another="open(f'/proc/{victim}/mem', 'rb')",
    map_of_another="assert open(f'/proc/{victim}/maps').read()",
    descriptors_of_another="os.listdir(f'/proc/{victim}/fd') and os.readlink(f'/proc/{victim}/fd/0')",
    folder_of_another="os.readlink(f'/proc/{victim}/cwd')",
    memory_read_by_system_call=(
        "import ctypes\nb = ctypes.create_string_buffer(8)\n"
        "call('process_vm_readv', victim, ctypes.byref((ctypes.c_void_p * 2)(ctypes.addressof(b), 8)), 1,"
        " ctypes.byref((ctypes.c_void_p * 2)(stack_of_victim, 8)), 1, 0)"
    ),
    traced="call('ptrace', 16, victim, 0, 0)",
    traced_without_a_stop="call('ptrace', 0x4206, victim, 0, 0)",
    robust_list_of_another="import ctypes\np, n = ctypes.c_void_p(), ctypes.c_size_t()\n"
    "call('get_robust_list', victim, ctypes.byref(p), ctypes.byref(n))",
    memory_written_by_system_call=(
        "import ctypes\nb = ctypes.create_string_buffer(1)\n"
        "call('process_vm_writev', victim, ctypes.byref((ctypes.c_void_p * 2)(ctypes.addressof(b), 0)), 1,"
        " ctypes.byref((ctypes.c_void_p * 2)(stack_of_victim, 0)), 1, 0)"
    ),
    memory_of_another_advised=(
        "import ctypes\ncall('process_madvise', os.pidfd_open(victim),"
        " ctypes.byref((ctypes.c_void_p * 2)(stack_of_victim, 4096)), 1, 20, 0)"
    ),
    counts_of_another="assert open(f'/proc/{victim}/syscall').read()",
    stack_of_another="assert open(f'/proc/{victim}/stack').read()",
    maps_of_pages_of_another="open(f'/proc/{victim}/pagemap', 'rb')",
    names_of_another="os.readlink(f'/proc/{victim}/ns/net')",
    environment_of_another_by_its_thread="assert b'hostile' in open(f'/proc/{victim}/task/{victim}/environ', "
    "'rb').read()",
    root_of_another="os.listdir(f'/proc/{victim}/root')",
    file_of_another="os.open(f'/proc/{victim}/fd/0', os.O_RDONLY)",
    limits_of_another_written="call('openat', -100, f'/proc/{victim}/timerslack_ns', os.O_WRONLY)",
    memory_of_another_opened="call('openat', -100, f'/proc/{victim}/mem', os.O_RDWR)",
    session_of_keys="call('keyctl', 1, None)",
    key_asked_for="try:\n    call('request_key', 'user', 'plait nothing', None, 0)\n"
    "except OSError as error:\n    assert error.errno == 126",
    faults_of_pages="call('userfaultfd', 1)",
    handle_on_a_tree="call('open_tree', -100, here, 0)",
    segments_of_the_processor="import ctypes\ncall('modify_ldt', 0, ctypes.create_string_buffer(64), 64)",
    descriptor_taken="call('pidfd_getfd', os.pidfd_open(victim), 0, 0)",
    processes_compared="call('kcmp', os.getpid(), victim, 0, 0, 0)",
    key_ring="call('add_key', 'user', 'plait hostile', 'x', 1, -2)",
    ring_of_input_and_output="import ctypes\ncall('io_uring_setup', 4, ctypes.create_string_buffer(120))",
    counters_of_the_processor=(
        "import struct\ncall('perf_event_open', struct.pack('IIQ', 1, 112, 9) + bytes(24)"
        " + struct.pack('Q', 0x60) + bytes(64), 0, -1, -1, 0)"
    ),
    cache_poisoned=(
        "from plait.run.importing.world import cache_folder\nopen(os.path.join(cache_folder(), 'hostile'), 'w')"
    ),
    cache_poisoned_by_its_own_function=(
        "from plait.run.importing.world import cache_folder\nfrom plait.run.rewrite import cache\n"
        "made = cache.compile_anew(cache.Request('x = 1', 'm', 'm.py'))\n"
        "cache._write(cache_folder() / 'hostile', made)\nassert (cache_folder() / 'hostile').exists()"
    ),
    cache_poisoned_through_the_keeper=(
        "from plait.run.importing.world import cache_folder\nfrom plait.run.rewrite import cache\n"
        "folder = cache_folder()\nvictim_request = cache.Request('queue = 1', 'queue', 'queue.py')\n"
        "lie = cache.Request('queue = 666', 'queue', 'queue.py')\n"
        "cache._CacheWriter.ask(folder, lie)\ncache._CacheWriter.ask(folder, victim_request)\n"
        "found = cache._read(folder / cache._key(victim_request), 'queue', 'queue.py')\n"
        "assert found is not None and 666 in found.code.co_consts"
    ),
) + _done(
    root=True,
    capabilities_regained="import ctypes, struct\nh = struct.pack('=Ii', 0x20080522, 0)\n"
    "b = ctypes.create_string_buffer(24)\ncall('capget', h, b)\nhave = [*struct.unpack('=IIIIII', b.raw)]\n"
    "have[0] |= 1 << 21\nhave[1] |= 1 << 21\n"
    "call('capset', h, struct.pack('=IIIIII', *have))",
    names_of_another_entered="call('setns', os.pidfd_open(victim), 0x40000000)",
    file_system_opened="call('fsopen', 'tmpfs', 0)",
    tree_of_mounts_cloned="call('open_tree', -100, here, 1)",
    module_unloaded="try:\n    call('delete_module', 'plait_nothing', 0o4000)\n"
    "except OSError as error:\n    assert error.errno == 2",
    accounting="try:\n    call('acct', '/nowhere/at/all')\nexcept OSError as error:\n    assert error.errno == 2",
    swap_taken_away="try:\n    call('swapoff', '/nowhere/at/all')\n"
    "except OSError as error:\n    assert error.errno == 2",
    restart="try:\n    call('reboot', 0, 0, 0, None)\nexcept OSError as error:\n    assert error.errno == 22",
    ports_of_the_processor="call('iopl', 3)",
    some_ports_of_the_processor="call('ioperm', 0x80, 1, 1)",
    another_domain_name="call('setdomainname', 'x', 1)",
    another_time="try:\n    call('settimeofday', 1, None)\nexcept OSError as error:\n    assert error.errno == 14",
    another_user_by_number="os.setresuid(-1, -1, -1)",
    other_groups="os.setgroups(os.getgroups())",
    disk_read="import glob\nos.open((glob.glob('/dev/[vs]d[a-z]') + glob.glob('/dev/nvme?n?'))[0], os.O_RDONLY)",
    kernels_messages_read="os.open('/dev/kmsg', os.O_RDONLY)",
    another_host_name="import socket\nsocket.sethostname(socket.gethostname())",
    another_host_name_by_system_call="import socket\nn = socket.gethostname()\ncall('sethostname', n, len(n))",
    another_root="os.chroot('/')",
    other_mounts="call('unshare', 0x20000)",
    other_names="call('unshare', 0x4000000)",
    program_in_the_kernel="import struct\ncall('bpf', 0, struct.pack('IIII', 2, 4, 8, 1) + bytes(104), 120)",
    watch_on_all_files="call('fanotify_init', 0, 0)",
    kernels_log="call('syslog', 10, None, 0)",
    file_by_handle=(
        "import ctypes\nh, n = ctypes.create_string_buffer(b'\\x80', 136), ctypes.create_string_buffer(8)\n"
        "call('name_to_handle_at', -100, file, h, n, 0)\n"
        "call('open_by_handle_at', os.open(here, os.O_RDONLY), h, os.O_RDONLY)"
    ),
    clock="try:\n    call('clock_settime', 0, None)\nexcept OSError as error:\n    assert error.errno == 14",
    another_user="os.setreuid(-1, 0)",
)

# What changes the process that commits it, or ends the other one, comes last.
LAST = _done(
    signal_by_descriptor_owner=(
        "import fcntl\na, b = os.pipe()\nfcntl.fcntl(a, fcntl.F_SETOWN, victim)\n"
        "fcntl.fcntl(a, fcntl.F_SETFL, os.O_ASYNC)"
    ),
    user_namespace="call('unshare', 0x10000000)",
)

VARYING = frozenset({
    "counters of the processor", "ring of input and output", "key ring", "virtual machine socket", "limit raised",
    "user namespace", "descriptors used up", "kernel cipher socket", "system call chmod newer", "queue left behind",
    "system call setxattr", "writes to a terminal", "processes compared", "memory read by system call",
    "low level start imported anew", "file by handle", "in another interpreter", "connect in another interpreter",
    "start in another interpreter", "shelf", "secret memory file", "lease on a file", "faults of pages", "disk read",
    "session of keys", "key asked for", "stack of another", "bus of the car", "several paths", "in a greenlet",
    "group of the newer protocol", "system call setxattr of a link", "version of a file", "memory of another advised",
    "pages of another", "pages of another moved", "kernels messages read", "module unloaded", "accounting",
    "swap taken away", "segments of the processor", "archive with links", "archive with absolute names",
    "program of a memory file", "program of its own", "interpreter started", "environment of its own",
    "package with an entry", "counts of another", "traced without a stop", "handle on a tree",
    "folder changed under a thread", "system call link of an open file", "system call exchange",
    "posix queue left behind", "real time of its own", "memory locked", "settings of the kernel", "keys of the kernel",
    "group of processes left", "memory of the machine", "own priority raised", "mounts writable again",
    "root exchanged", "unmounted", *shared_acts.VARYING,
})  # fmt: skip
"""What some kernels lack or forbid anyway, what needs files that an ordinary user may not be able to read, and a shelf,
which is a file of the interpreter's or of a C library, whichever there is."""
MORE = [
    *(Act(name, code) for name, code in shared_acts.FILES.items()),
    *(Act(name, code, "done") for name, code in {**shared_acts.SHARED, **shared_acts.SOCKETS}.items()),
]
ACTS = [
    act._replace(varies=act.name in VARYING) for act in (*FILES, *NETWORK, *SECRETS, *PROCESSES, *MORE, *LAST)
]  # fmt: skip
