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
    "start in another interpreter", "shelf",
})  # fmt: skip
"""What some kernels lack or forbid anyway, what needs files that an ordinary user may not be able to read, and a shelf,
which is a file of the interpreter's or of a C library, whichever there is."""
ACTS = [
    act._replace(varies=act.name in VARYING) for act in (*FILES, *NETWORK, *SECRETS, *PROCESSES, *LAST)
]  # fmt: skip
