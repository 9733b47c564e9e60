"""The fakes' folder is on the path, so that worker processes import them as they do packs."""

import sys
from pathlib import Path

import pytest

from evalsi.core.engine import Engine

sys.path.insert(0, str(Path(__file__).parent / "fakes"))


@pytest.fixture
def engine():
    made = Engine(width=2)
    yield made
    made.close()
