"""The fakes' folder is on the path, so that they are found as an installed pack is.

Tests that need a trainer are collected where it is installed: in the nox session of its name.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "fakes"))

_TRAINERS = ("verl", "openrlhf")
collect_ignore = [f"with_{name}" for name in _TRAINERS if find_spec(name) is None]
