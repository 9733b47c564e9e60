"""Callbacks in a transformers trainer; collected where transformers and torch are installed."""

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent

_HERE = find_spec("transformers") and find_spec("torch")
collect_ignore = [] if _HERE else [path.name for path in HERE.glob("test_*.py")]

os.environ |= {"HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What the libraries warn of is theirs."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore"))
