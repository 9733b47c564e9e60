"""What a zygote does to its own memory: the code stays what it was, and a program runs on it."""

from __future__ import annotations

import subprocess
import sys

from evalsi.core.sandbox import Limits, Program
from evalsi_sandbox.namespaced.forks import JailForks

ENLARGED = """
import hashlib, json, re
from evalsi_sandbox.namespaced import zygote_memory as memory

def content(first, end):
    with open("/proc/self/mem", "rb") as file:
        file.seek(first)
        return hashlib.sha256(file.read(end - first)).hexdigest()

parts = memory.code()
before = [content(*part) for part in parts]
memory.enlarge()
memory.fold()
smaps = open("/proc/self/smaps").read()
huge = re.findall(r"r-xp 00000000 00:00 0 *\\n(?:.*\\n)*?AnonHugePages: +(\\d+)", smaps)
print(json.dumps([before == [content(*part) for part in parts], sum(map(int, huge))]))
memory.HUGE = 1 << 40
memory.enlarge()
print(json.dumps(sorted({"b": 1, "a": 2})))
"""


def test_code_in_huge_pages_is_the_same_code() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ENLARGED], capture_output=True, text=True, check=True
    )

    same, kib = done.stdout.splitlines()[0].removeprefix("[").removesuffix("]").split(", ")
    assert same == "true"
    assert int(kib) % 2048 == 0  # none where the kernel gives none, or no code is that large
    assert done.stdout.splitlines()[1] == '["a", "b"]'


def test_a_program_runs_on_that_code(forks: JailForks) -> None:
    source = "import decimal, re, json\nprint(decimal.Decimal(1) / 7, re.sub('a', 'b', 'aa'))"

    loaded = forks.load(Program(source))
    outcome = loaded.case(b"", Limits())
    loaded.close()

    assert outcome.stdout == b"0.1428571428571428571428571429 bb\n"
