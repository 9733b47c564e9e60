"""The limits of a command, one by one: every rung's promises."""

from __future__ import annotations

import time
from typing import Final

from evalsi.core.sandbox import Limits, Rung
from evalsi.core.testing.rung_trial import Trials, require, require_ended, run, told

__all__ = ["LIMITED"]

LIMITED: Final = Trials()


@LIMITED.add("wall-limit")
def _wall(rung: Rung) -> None:
    started = time.monotonic()
    outcome = run(rung, "import time; time.sleep(60)", limits=Limits(wall_s=0.5))
    require_ended(outcome, "wall", "A program that sleeps past its wall limit")
    took = time.monotonic() - started
    require(took < 5, f"A wall limit of 0.5 s must be kept promptly; it took {took:.1f} s.")


@LIMITED.add("cpu-limit")
def _cpu(rung: Rung) -> None:
    outcome = run(rung, "while True: pass", limits=Limits(cpu_s=1, wall_s=30))
    require_ended(outcome, "cpu", "A program that burns CPU past its limit")


@LIMITED.add("stubborn-cpu-limit")
def _stubborn_cpu(rung: Rung) -> None:
    source = "import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass"
    outcome = run(rung, source, limits=Limits(cpu_s=1, wall_s=30))
    require_ended(outcome, "cpu", "A program that ignores SIGXCPU")


@LIMITED.add("output-limit")
def _output(rung: Rung) -> None:
    source = "import sys\nwhile True: sys.{}.write('x' * 65536)"
    limits = Limits(output_bytes=100_000, wall_s=30)
    for stream in ("stdout", "stderr"):
        outcome = run(rung, source.format(stream), limits=limits)
        require_ended(outcome, "output", f"A program that writes to {stream} without end")
        kept = len(getattr(outcome, stream))
        require(kept == 100_000, f"Output must be kept up to its limit; {stream} has {kept}.")


@LIMITED.add("memory-limit")
def _memory(rung: Rung) -> None:
    source = "data = bytearray(b'x') * (%d << 20)\nprint('survived')"
    outcome = run(rung, source % 16, limits=Limits(memory_mb=128))
    require(
        outcome.stdout == b"survived\n",
        f"A program must hold 16 MiB under a limit of 128 MiB, but {told(outcome)}.",
    )
    outcome = run(rung, source % 400, limits=Limits(memory_mb=128))
    require(
        b"survived" not in outcome.stdout,
        "A program must not hold 400 MiB under a limit of 128 MiB, but it did.",
    )


@LIMITED.add("process-limit")
def _processes(rung: Rung) -> None:
    source = (
        "import os, signal\nmade = []\ntry:\n    for _ in range(64):\n"
        "        pid = os.fork()\n        if pid == 0: signal.pause()\n"
        "        made.append(pid)\nexcept OSError: pass\nprint(len(made))"
    )
    outcome = run(rung, source, limits=Limits(processes=16))
    made = int(outcome.stdout or b"-1")
    require(0 < made < 17, f"A cap of 16 processes must hold; {made} children were made.")


@LIMITED.add("file-size-limit")
def _file_size(rung: Rung) -> None:
    source = (
        "with open('big', 'wb', 0) as file:\n"
        "    try:\n        for _ in range(8): file.write(b'x' * (1 << 20))\n"
        "    except OSError: print('refused')"
    )
    outcome = run(rung, source, limits=Limits(file_mb=2))
    require(
        outcome.stdout == b"refused\n",
        f"A file must not grow past file_mb, but {told(outcome)}.",
    )


@LIMITED.add("open-files-limit")
def _open_files(rung: Rung) -> None:
    source = "held = [open('/dev/null') for _ in range(100)]"
    outcome = run(rung, source, limits=Limits(open_files=32))
    require(
        b"Too many open files" in outcome.stderr,
        f"A program must not open 100 files under a limit of 32, but {told(outcome)}.",
    )
