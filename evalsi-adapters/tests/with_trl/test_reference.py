"""The code of the reference page, as it stands there."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trl
from datasets import Dataset
from lessons import SUM, SUMS, lessons
from training import FINETUNING, Pupil

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "trl.md").read_text("utf-8")
BLOCKS = re.findall(r"^```py\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_blocks_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pupil = Pupil(lessons(SUM, SUMS))
    # What a small model on a CPU needs beside what the page shows.
    settings = {"output_dir": str(tmp_path), "use_cpu": True, "bf16": False, "report_to": "none"}
    monkeypatch.setattr(trl, "GRPOConfig", partial(trl.GRPOConfig, **settings))
    trainer = partial(trl.GRPOTrainer, processing_class=pupil.tokenizer)
    monkeypatch.setattr(trl, "GRPOTrainer", trainer)
    monkeypatch.chdir(FINETUNING)
    rows = Dataset.from_list([{"prompt": SUM, "answer": "42"}] * 8)
    names: dict[str, Any] = {"model": pupil.model, "dataset": rows}
    for block in BLOCKS:
        exec(block, names)
    assert names["trainer"].reward_func_names == [
        "code-grpo",
        "code-grpo/format",
        "code-grpo/tests",
    ]
    assert names["args"].reward_weights == [0.0, 0.1, 1.0, 1.0]
