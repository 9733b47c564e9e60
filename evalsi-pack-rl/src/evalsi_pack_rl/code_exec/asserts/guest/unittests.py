"""What of `unittest` a test may hold: asked of what is loaded, since plain asserts load none."""

from __future__ import annotations

import sys
from typing import Any


def is_mock(value: Any) -> bool:
    """Whether a value is a mock."""
    mock = sys.modules.get("unittest.mock")
    return mock is not None and isinstance(value, mock.NonCallableMock)


def of_mocks() -> frozenset[str]:
    """The public names that every mock has, which are the test's."""
    mock = sys.modules["unittest.mock"]
    both = {*dir(mock.MagicMock), *dir(mock.AsyncMock)}
    return frozenset(name for name in both if not name.startswith("_"))


def is_of_cases(value: Any, name: str) -> bool:
    """Whether a name is one that every `TestCase` has."""
    module = sys.modules.get("unittest")
    return (
        module is not None and isinstance(value, module.TestCase) and hasattr(module.TestCase, name)
    )
