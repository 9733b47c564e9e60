"""Hooks in a Lightning trainer; collected where lightning is installed."""

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent

NEEDS = {
    "test_lightning.py": ("lightning",),
    "test_relay.py": ("lightning", "tensorboard", "wandb"),
    "test_served.py": ("lightning", "transformers", "uvicorn"),
}
collect_ignore = [name for name, needs in NEEDS.items() if not all(map(find_spec, needs))]

os.environ |= {"HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What the libraries warn of is theirs."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore"))
