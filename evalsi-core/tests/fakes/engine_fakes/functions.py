"""Functions for workers that hang, crash, bomb and lie when the payload tells them to."""

import os
import time
from pathlib import Path

from engine_fakes import hostile

KEPT = []
WARM = []


def double(payload):
    return payload * 2


def where(payload):
    begun = time.monotonic()
    time.sleep(payload)
    return [os.getpid(), begun, time.monotonic()]


def deed(payload):
    """Does what it is told, and answers "done" when it comes back."""
    if payload != "calm":
        getattr(hostile, payload)()
    return "done"


def die_at_first(marker):
    """Takes its process with it, unless it has done so before."""
    if not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), 9)
    return "done"


def keep(megabytes):
    KEPT.append(bytearray(megabytes << 20))
    return len(KEPT)


def not_plain(payload):
    return {1, 2, payload}


def slow_warm_up():
    time.sleep(0.8)
    WARM.append(os.getpid())


def warmed_by(payload):
    return [*WARM, os.getpid()]


def computes_among_others(seconds):
    """Computes `alone` seconds on the one core that `with_others` of its children want as well."""
    core = min(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    begun = time.monotonic()
    for _ in range(seconds["with_others"]):
        if os.fork() == 0:
            while True:
                pass
    while time.process_time() < seconds["alone"]:
        pass
    return time.monotonic() - begun
