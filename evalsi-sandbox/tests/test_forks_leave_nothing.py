"""What a case leaves is invisible to the next one, of its own program and of any other."""

from __future__ import annotations

import os
from contextlib import closing

import pytest

from evalsi.core.sandbox import Limits, Outcome, Program
from evalsi_sandbox.namespaced.forks import JailForks

# Each program leaves something on standard input "leave", and says on "look" what it finds.
LEFTOVERS = {
    "file": "open('/tmp/x', 'w').write('x')|print(os.listdir('/tmp'))",
    "hidden folder": "os.makedirs('/tmp/.a/b')|print(os.listdir('/tmp'))",
    "shared memory": "open('/dev/shm/x', 'w').write('x')|print(os.listdir('/dev/shm'))",
    "mode of /tmp": "os.chmod('/tmp', 0o700)|print(oct(os.stat('/tmp').st_mode))",
    "times of /tmp": "os.utime('/tmp', (5, 5))|print(os.stat('/tmp').st_mtime > 99)",
    "attribute of /tmp": (
        "\n try: os.setxattr('/tmp', 'user.x', b'1')\n except OSError: pass\n|"
        "print([a for a in os.listxattr('/tmp') if a.startswith('user')])"
    ),
    "filled /tmp": (
        "\n try:\n  with open('/tmp/x', 'wb') as f:\n   while True: f.write(bytes(1 << 20))\n"
        " except OSError: pass\n|print(os.statvfs('/tmp').f_bfree == os.statvfs('/tmp').f_blocks)"
    ),
    "process": (
        "os.fork() or (os.setsid(), time.sleep(99))|"
        "print([p for p in os.listdir('/proc') if p.isdigit() and int(p) not in (1, os.getpid())])"
    ),
    "environment": "os.environ.update(LEFT='1')|print('LEFT' in os.environ)",
    "imported module": "import this|print('this' in sys.modules)",
    "changed module": "json.left = 1|print(hasattr(json, 'left'))",
    "changed builtin": "builtins.print = None|sys.stdout.write(str(print)[:9])",
    "random state": "random.seed(5)|random.seed(6); print(random.random())",
    "working folder": "os.chdir('/')|print(os.getcwd())",
    "mask": "os.umask(0)|print(os.umask(0))",
    "niceness": "os.nice(5)|print(os.nice(0))",
    "affinity": "os.sched_setaffinity(0, {0})|print(len(os.sched_getaffinity(0)))",
    "limits": (
        "resource.setrlimit(resource.RLIMIT_NOFILE, (9, 9))|"
        "print(resource.getrlimit(resource.RLIMIT_NOFILE))"
    ),
    "alarm": "signal.alarm(1)|time.sleep(1.2); print('slept')",
    "handler": "signal.signal(2, signal.SIG_IGN)|print(signal.getsignal(2).__name__)",
    "abstract socket": (
        "s = socket.socket(socket.AF_UNIX); s.bind('\\0x'); s.listen()|"
        "s = socket.socket(socket.AF_UNIX); s.bind('\\0x'); print('free')"
    ),
    "lingering connection": (
        "\n l = socket.create_server(('127.0.0.1', 7000)); c = socket.create_connection("
        "('127.0.0.1', 7000)); a, _ = l.accept(); a.close(); c.recv(1); c.close()\n|"
        "\n l = socket.socket(); l.bind(('127.0.0.1', 7000)); print('free')"
    ),
    "semaphore": "CALL(SEMGET, 77, 1, 0o1666)|print(CALL(SEMGET, 77, 1, 0o666))",
    "message queue": "CALL(MQ_OPEN, b'left', 0o102, 0o666, None)|print(CALL(MQ_OPEN, b'left', 2))",
    "key": (
        "CALL(ADD_KEY, b'user', b'k', b'v', 1, -3)|print(CALL(KEYCTL, 10, -3, b'user', b'k', 0))"
    ),
    "oom score": "open('/proc/self/oom_score_adj', 'w').write('999')|print('same')",
}
HEAD = """
import builtins, ctypes, json, os, platform, random, resource, signal, socket, sys, time
X86 = platform.machine() == 'x86_64'
SEMGET, MQ_OPEN, ADD_KEY, KEYCTL = (64, 240, 248, 250) if X86 else (190, 180, 217, 219)
CALL = ctypes.CDLL(None).syscall
if input() == 'leave':
 {}
else:
 {}
"""


def _text(program: str) -> str:
    leave, look = program.split("|")
    return HEAD.format(leave, look)


def _run(forks: JailForks, text: str, words: list[bytes]) -> Outcome:
    with closing(forks.load(Program(text))) as loaded:
        for word in words:
            outcome = loaded.case(word, Limits(wall_s=8.0))
            assert loaded._jail is not None  # type: ignore[attr-defined]
        return outcome


@pytest.mark.parametrize("program", LEFTOVERS.values(), ids=LEFTOVERS)
def test_the_next_case_of_the_program_finds_nothing(forks: JailForks, program: str) -> None:
    text = _text(program)
    clean = _run(forks, text, [b"look"])
    assert clean.clean, clean.stderr

    after = _run(forks, text, [b"leave", b"look"])

    assert (after.stdout, after.status) == (clean.stdout, 0), after.stderr


@pytest.mark.parametrize("program", LEFTOVERS.values(), ids=LEFTOVERS)
def test_the_next_program_finds_nothing(forks: JailForks, program: str) -> None:
    text = _text(program)
    clean = _run(forks, text, [b"look"])

    _run(forks, text, [b"leave"])
    after = _run(forks, text + "# another\n", [b"look"])

    assert (after.stdout, after.status) == (clean.stdout, 0), after.stderr


def test_random_numbers_differ_from_case_to_case(forks: JailForks) -> None:
    text = "import random; print(random.random())"

    with closing(forks.load(Program(text))) as loaded:
        said = {loaded.case(b"", Limits()).stdout for _ in range(4)}

    assert len(said) == 4


def test_no_copy_of_what_an_earlier_case_printed_is_in_memory(forks: JailForks) -> None:
    text = (
        "secret = input()\nprint(secret.upper() * 3)\n"
        "needle = bytes(c - 1 for c in b'TFDSFU.TFDSFU')\nfound = 0\n"
        "with open('/proc/self/maps') as maps, open('/proc/self/mem', 'rb', 0) as memory:\n"
        "  for line in maps:\n"
        "    a, b = (int(x, 16) for x in line.split()[0].split('-'))\n"
        "    if ' rw' in line and b - a < 1 << 26:\n"
        "      memory.seek(a); found += memory.read(b - a).count(needle)\n"
        "print(found)"
    )
    with closing(forks.load(Program(text))) as loaded:
        fresh = loaded.case(b"\n", Limits(wall_s=20.0))
        for secret in (b"secret-secret" * 9 + b"\n",) * 2:
            loaded.case(secret, Limits(wall_s=20.0))
        after = loaded.case(b"\n", Limits(wall_s=20.0))

    assert fresh.clean
    assert after.stdout == fresh.stdout


FIRST_PROCESS = {
    "interrupt": "[os.kill(1, s) for s in (2, 15, 10, 19, 20, 18, 9, 17)]",
    "interrupt all": "[os.kill(-1, s) for s in (2, 19, 9)]",
    "limits": "resource.prlimit(1, resource.RLIMIT_CPU, (1, 1))",
    "descriptors": "resource.prlimit(1, resource.RLIMIT_NOFILE, (3, 3))",
    "niceness": "os.setpriority(os.PRIO_PROCESS, 1, 19)",
    "niceness of the user": "os.setpriority(os.PRIO_USER, os.getuid(), 19)",
    "affinity": "os.sched_setaffinity(1, {0})",
    "policy": "os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0))",
    "memory": "open('/proc/1/mem', 'r+b')",
    "oom score": "open('/proc/1/oom_score_adj', 'w').write('1000')",
    "descriptor by pidfd": "signal.pidfd_send_signal(os.pidfd_open(1), 9)",
    "shared page": "1 / sum(' rw-s' in line for line in open('/proc/self/maps'))",
}  # fmt: skip


@pytest.mark.parametrize("attack", FIRST_PROCESS.values(), ids=FIRST_PROCESS)
def test_a_case_does_not_reach_its_holder(forks: JailForks, attack: str) -> None:
    text = (
        "import os, resource, signal\nif input() == 'leave':\n"
        f"    try: {attack}\n    except Exception as error: print(type(error).__name__)\n"
        "else: print(os.getpriority(os.PRIO_PROCESS, 1) == os.nice(0), os.sched_getscheduler(1))"
    )

    after = _run(forks, text, [b"leave", b"look"])

    assert after.stdout == b"True 0\n", after


def test_a_case_does_not_move_its_holder(forks: JailForks) -> None:
    text = (
        "import os\nfor one in os.sched_getaffinity(0):\n"
        "    try: os.sched_setaffinity(1, {one}); print('moved')\n"
        "    except PermissionError: print('refused')\n"
    )

    outcome = _run(forks, text, [b""])

    assert outcome.stdout == b"refused\n" * len(os.sched_getaffinity(0)), outcome


def test_a_writing_end_sent_away_delays_nothing(forks: JailForks) -> None:
    import socket
    import time

    text = (
        "import array, os, socket\ns = socket.socket(fileno=3)\n"
        "s.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [1, 2]))])\n"
        "print('done')"
    )
    ours, theirs = socket.socketpair()
    with ours, theirs, closing(forks.load(Program(text))) as loaded:
        begun = time.monotonic()
        outcome = loaded.case(b"", Limits(), wire=theirs)

        assert time.monotonic() - begun < 3
        assert outcome.stdout == b"done\n"
