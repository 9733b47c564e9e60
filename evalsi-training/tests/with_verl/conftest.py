"""verl's own trainer with our callback; collected where verl and its trainer's needs are."""

from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent

_HERE = find_spec("verl") and find_spec("transfer_queue")
collect_ignore = [] if _HERE else [path.name for path in HERE.glob("test_*.py")]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What the libraries warn of is theirs."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore"))
