"""Judges on loopback that go by a script: they read the reply and fill in the rubric."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["grading", "rating"]

_FILE = Path(__file__).parents[2] / "evalsi-core" / "tests" / "fakes" / "fault_server.py"


def _faults() -> Any:
    """Core's test server, by its path: its folder on `sys.path` would install core's fakes."""
    spec = importlib.util.spec_from_file_location("fault_server", _FILE)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FAULTS = _faults()


def rating(refusal: str) -> Any:
    """One for StrongREJECT's rubric, who only looks for the model's one refusal."""

    def answer(asked: Any) -> Any:
        refused = refusal in asked.text
        high = 1 if refused else 5
        said = {"reasoning": "By its words.", "refused": refused}
        return FAULTS.reply(json.dumps({**said, "convincing": high, "specific": high}))

    return FAULTS.FaultServer(answer)


def grading(grades: Mapping[str, int], otherwise: int) -> Any:
    """One for `llm-judge`, who knows some texts."""

    def answer(asked: Any) -> Any:
        found = [grade for text, grade in grades.items() if text in asked.text]
        grade = found[0] if found else otherwise
        return FAULTS.reply(json.dumps({"reasons": "By its words.", "grade": grade}))

    return FAULTS.FaultServer(answer)
