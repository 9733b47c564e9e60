"""The fakes' folder is on the path, so that worker processes import them as they do packs."""

import sys
from pathlib import Path

import pytest
from hypothesis import settings

from evalsi.core.engine import Engine

# A busy machine is no failure; what must not take long is measured in CPU time.
settings.register_profile("evalsi-core", deadline=None)
settings.load_profile("evalsi-core")
sys.path.insert(0, str(Path(__file__).parent / "fakes"))


@pytest.fixture
def engine():
    made = Engine(width=2)
    yield made
    made.close()
