"""Evaluators that hang, crash, bomb and lie when the record tells them to."""

import ctypes
import os
import re
import sys
import threading
import time
from pathlib import Path

from evalsi.core import Score


class UnpicklableError(Exception):
    def __init__(self):
        super().__init__("no pickle")
        self.lock = threading.Lock()

    def __reduce__(self):
        raise TypeError("never")


class MuteError(Exception):
    def __str__(self):
        raise RuntimeError("no words")


def daemon_that_leaves_its_group():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            marker = os.environ.get("EVALSI_TEST_MARKER")
            if marker:
                Path(marker).write_text(str(os.getpid()))
            time.sleep(600)
        os._exit(0)
    time.sleep(0.2)


def hang_in_python():
    while True:
        pass


def hang_in_c():
    re.fullmatch(r"(a+)+b", "a" * 64)


def hang_without_the_gil():
    ctypes.CDLL(None).sleep(600)


def bomb_memory():
    held = []
    while True:
        held.append(bytearray(64 * 1024 * 1024))


def fork_and_hang():
    for _ in range(5):
        if os.fork() == 0:
            time.sleep(600)
    time.sleep(600)


def threads_that_stay():
    for _ in range(4):
        threading.Thread(target=time.sleep, args=(600,)).start()


def close_everything():
    os.closerange(0, 100)


def write_garbage_everywhere():
    for fd in range(3, 20):
        try:
            os.write(fd, b"\x00\x00\x00\x02{}garbage")
        except OSError:
            continue


def raise_unpicklable():
    raise UnpicklableError


def raise_mute():
    raise MuteError


def exit_quietly():
    sys.exit(0)


def segfault():
    ctypes.string_at(0)


def kill_itself():
    os.kill(os.getpid(), 9)


def print_much():
    print("x" * 100_000)


def traced_by_a_grandchild():
    """Ends, but cannot be reaped while a process outside its group traces it."""
    libc = ctypes.CDLL(None)
    libc.prctl(0x59616D61, ctypes.c_ulong(-1 & (2**64 - 1)), 0, 0, 0)  # PR_SET_PTRACER, anyone
    main = os.getpid()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            libc.ptrace(0x4206, main, None, None)  # PTRACE_SEIZE
            time.sleep(600)
        os._exit(0)
    time.sleep(0.5)
    os._exit(0)


class Hostile:
    """Does what the output names, then answers 1."""

    reads = ("output",)

    def score(self, record):
        deed = globals().get(record.output)
        if callable(deed):
            deed()
        return 1.0


class HostileBatch:
    reads = ("output",)

    def score_batch(self, records):
        for record in records:
            deed = globals().get(record.output)
            if callable(deed):
                deed()
        return [1.0] * len(records)


class Lies:
    """Answers what no evaluator may answer."""

    bounded = True
    reads = ("output",)

    def score(self, record):
        return {
            "none": None,
            "nan": float("nan"),
            "inf": float("inf"),
            "text": "1.0",
            "huge": 10**400,
            "metric": Score(1.0, metrics={"undeclared": 1.0}),
        }[record.output]


class BadAtImport:
    reads = ("output",)

    def __init__(self):
        if os.environ.get("EVALSI_TEST_BAD") == "hang":
            time.sleep(600)
        raise RuntimeError("no model file")

    def score(self, record):
        return 1.0


class EndsAtLoad(BadAtImport):
    def __init__(self):
        os._exit(3)
