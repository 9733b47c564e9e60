"""The fakes' folder is on the path."""

import sys
from pathlib import Path

import pytest

for _folder in ("fakes", "with_transformers"):
    sys.path.insert(0, str(Path(__file__).parent / _folder))


@pytest.fixture
def server():
    from model_server import ModelServer

    with ModelServer() as made:
        yield made
