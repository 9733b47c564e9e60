"""Scripts with two ranks on this machine, as torchrun starts them."""

import re
import subprocess
import sys


def two_ranks(script, *words):
    """What a script came to on both; its output is that of both, in no order."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    return subprocess.run(
        [*command, str(script), *map(str, words)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def said(done):
    """What the ranks said of themselves, in their order; the ends of their lines may come late."""
    return sorted(re.findall(r"rank \d.*?(?=rank \d|$)", done.stdout, re.MULTILINE))
