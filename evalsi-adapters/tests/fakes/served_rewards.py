"""The real server of rewards, in a process of its own on loopback."""

import contextlib
import os
import re
import subprocess
import sys
from pathlib import Path

_LISTENING = re.compile(r"listening on (http://\S+)")


@contextlib.contextmanager
def serving(spec, *options):
    """`evalsi rewards serve` for a spec; gives its base URL, and what ends it."""
    words = [sys.executable, "-m", "evalsi.core.cli", "rewards", "serve", "--spec", str(spec)]
    server = subprocess.Popen(
        [*words, "--port", "0", *options],
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
    )
    told = []
    try:
        for line in server.stderr:
            told.append(line)
            if found := _LISTENING.search(line):
                yield found[1], server.kill
                return
        raise AssertionError(f"the server ended:\n{''.join(told)}")
    finally:
        server.kill()
        server.wait()
        server.stderr.close()
