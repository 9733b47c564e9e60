"""Where the program of a server is."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from evalsi.training.serving.contract import ServingError

__all__ = ["program_at"]


def program_at(name: str, install: str) -> str:
    """The path of a program: as a shell finds it, else beside this Python.

    Args:
        name: or a path.
        install: what installs it.

    Raises:
        ServingError: it is nowhere.
    """
    beside = Path(sys.executable).parent  # of an environment that need not be active
    found = shutil.which(name) or shutil.which(name, path=os.fspath(beside))
    if found is None:
        raise ServingError(f"{name} is not installed; install it: pip install {install}")
    return found
