"""Hooks in a plain PyTorch loop; collected where torch is installed."""

from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent

collect_ignore = [] if find_spec("torch") else [path.name for path in HERE.glob("test_*.py")]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What the libraries warn of is theirs."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore"))
