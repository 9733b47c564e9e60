"""Rewards in the real TRL; collected where it is installed, which is in the nox session `trl`.

Models are made here, in seconds; nothing is downloaded.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest

HERE = Path(__file__).parent

_INSTALLED = {found.name for found in distributions()}

collect_ignore = [] if "trl" in _INSTALLED else [path.name for path in HERE.glob("test_*.py")]

if not collect_ignore:
    sys.path.insert(0, str(HERE))  # for the modules beside the tests
    os.environ |= {
        "HF_HUB_OFFLINE": "1",
        "CUDA_VISIBLE_DEVICES": "",
        "TOKENIZERS_PARALLELISM": "false",
        "TRL_EXPERIMENTAL_SILENCE": "1",
    }


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What TRL, torch and transformers warn of is theirs."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore"))
