"""The blocks of a page that need a trainer: fenced `py`, and run where it is installed."""

import re
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).parents[3]


def blocks(page):
    text = (_ROOT / "docs" / "reference" / f"{page}.md").read_text("utf-8")
    return re.findall(r"^```py\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def run(block):
    """Runs it in the repository's folder, as its reader would; raises when it fails."""
    subprocess.run([sys.executable, "-c", block], cwd=_ROOT, check=True, timeout=300)
