"""Results in real trackers; collected where mlflow, wandb and tensorboard are installed."""

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent

_NEEDED = ("mlflow", "wandb", "tensorboard")
collect_ignore = [] if all(map(find_spec, _NEEDED)) else [p.name for p in HERE.glob("test_*.py")]

os.environ |= {
    "DO_NOT_TRACK": "true",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "WANDB_ERROR_REPORTING": "false",
    "WANDB_SILENT": "true",
    "WANDB__DISABLE_STATS": "true",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What the libraries warn of is theirs."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore"))
