"""What honest programs do, and harnesses often break."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from evalsi.core.sandbox import Limits, Outcome, Rung
from evalsi_sandbox.namespaced import NamespacedRung

PROGRAMS = {
    "readline": ("import sys\nfor line in sys.stdin: print(line.strip()[::-1])", "ba\ndc\n"),
    "buffer": ("import sys; sys.stdout.buffer.write(sys.stdin.buffer.read()[::-1])", "\ndc\nba"),
    "open zero": ("print(open(0).read().split())", "['ab', 'cd']\n"),
    "os.read": ("import os; os.write(1, os.read(0, 9)[:2])", "ab"),
    "dev fd": ("print(open('/dev/fd/0').readline(), end='')", "ab\n"),
    "exit": ("print('x'); exit()", "x\n"),
    "quit": ("print('x'); quit(0)", "x\n"),
    "os._exit": ("import os; os.write(1, b'x'); os._exit(0)", "x"),
    "atexit": ("import atexit; atexit.register(print, 'bye')", "bye\n"),
    "unicode": ("print('ünï', '\\U0001f600')", "ünï \U0001f600\n"),
    "hash seed": ("print({'b', 'a', 'c'} == set('abc'))", "True\n"),
    "encoding": ("import locale; print(locale.getpreferredencoding().lower())", "utf-8\n"),
    "thread": (
        "import threading; t = threading.Thread(target=print, args=('in',)); t.start(); t.join()",
        "in\n",
    ),
    "pool": (
        (
            "import concurrent.futures as c\n"
            "with c.ThreadPoolExecutor(16) as pool: print(sum(pool.map(abs, range(-9, 1))))"
        ),
        "45\n",
    ),
    "queue": (
        (
            "import multiprocessing as m\nc = m.get_context('fork')\nq = c.Queue()\n"
            "p = c.Process(target=q.put, args=(5,)); p.start(); print(q.get()); p.join()"
        ),
        "5\n",
    ),
    "shell": ("import subprocess; print(subprocess.getoutput('echo hi | tr a-z A-Z'))", "HI\n"),
    "tempfile": (
        "import tempfile, os\nwith tempfile.TemporaryDirectory() as d: print(os.listdir(d))",
        "[]\n",
    ),
    "recursion": (
        "import sys; sys.setrecursionlimit(20000)\ndef f(n): return n and f(n - 1)\nprint(f(9000))",
        "0\n",
    ),
    "child's signal": (
        (
            "import os\npid = os.fork()\nif pid == 0: os.kill(os.getpid(), 9)\n"
            "print(os.waitstatus_to_exitcode(os.wait()[1]))"
        ),
        "-9\n",
    ),
    "own group": ("import os; print(os.getpgid(0) == os.getpid() == os.getsid(0))", "True\n"),
    "localhost": ("import socket; print(socket.gethostbyname('localhost'))", "127.0.0.1\n"),
    "who am I": (
        (
            "import getpass, os, pwd, grp; user = pwd.getpwuid(os.getuid())\n"
            "print(getpass.getuser() == user.pw_name, bool(grp.getgrgid(os.getgid()).gr_name))"
        ),
        "True True\n",
    ),
    "many threads": (
        (
            "import concurrent.futures as c, threading; b = threading.Barrier(32)\n"
            "def f(n): b.wait(); return n\n"
            "with c.ThreadPoolExecutor(32) as pool: print(sum(pool.map(f, range(32))))"
        ),
        "496\n",
    ),
    "epoll": (
        (
            "import select, os; e = select.epoll(); e.register(0)\n"
            "print(e.poll(1)[0][0], os.read(0, 2))"
        ),
        "0 b'ab'\n",
    ),
    "pipe of asyncio": (
        (
            "import asyncio, sys\nasync def main():\n    reader = asyncio.StreamReader()\n"
            "    protocol = asyncio.StreamReaderProtocol(reader)\n"
            "    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)\n"
            "    print(await reader.read())\nasyncio.run(main())"
        ),
        "b'ab\\ncd\\n'\n",
    ),
    "dev stdin": ("print(open('/dev/stdin').read().split())", "['ab', 'cd']\n"),
    "asyncio": ("import asyncio; print(asyncio.run(asyncio.sleep(0, 'done')))", "done\n"),
}


@pytest.mark.parametrize(("source", "expected"), PROGRAMS.values(), ids=PROGRAMS)
def test_an_honest_program_says_the_same_as_outside(
    rung: Rung, run: Callable[..., Outcome], source: str, expected: str
) -> None:
    outcome = run(rung, source, b"ab\ncd\n", Limits(memory_mb=256))

    assert (outcome.stdout.decode(), outcome.ended, outcome.status) == (expected, "exited", 0), (
        outcome.stderr.decode()
    )


@pytest.mark.parametrize("size", [0, 65_536, 65_537, 10_000_000])
def test_input_of_any_size_arrives_whole(
    rung: Rung, run: Callable[..., Outcome], size: int
) -> None:
    source = (
        "import sys; data = sys.stdin.buffer.read(); print(len(data), data == b'x' * len(data))"
    )

    assert run(rung, source, b"x" * size).stdout.decode() == f"{size} True\n"


def test_shared_memory_works(namespaced: NamespacedRung, run: Callable[..., Outcome]) -> None:
    source = (
        "from multiprocessing import shared_memory as s\n"
        "m = s.SharedMemory(create=True, size=1 << 20); m.buf[0] = 7\n"
        "n = s.SharedMemory(m.name); print(n.buf[0], m.size); n.close(); m.close(); m.unlink()"
    )

    assert run(namespaced, source).stdout.startswith(b"7 1048576")


def test_the_interpreter_is_the_one_that_runs_us(rung: Rung, run: Callable[..., Outcome]) -> None:
    outcome = run(rung, "import sys; print(sys.version)")

    assert outcome.stdout.decode().strip() == sys.version
