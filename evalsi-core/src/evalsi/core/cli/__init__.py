"""The command line `evalsi`."""

from __future__ import annotations

import os
import sys

__all__ = ["main"]


def main() -> None:
    """Runs the command line; ends the process with one of the codes in `exits`."""
    from evalsi.core.cli.root import root

    _open_standard_streams()
    root.main(prog_name="evalsi")


def _open_standard_streams() -> None:
    """Puts /dev/null where the caller closed a standard stream, so that no socket lands there."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            null = os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
            mode = "r" if number == 0 else "w"
            setattr(sys, name, os.fdopen(null, mode, closefd=False))
