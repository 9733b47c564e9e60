"""The tutorial, step by step, with the files and the commands that it shows."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "tutorial" / "first-reward.md"
BLOCKS = re.findall(r"^```\w+\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
ROLLOUTS, SPEC, COMMAND, GATE = BLOCKS
FORMAT = next(line for line in SPEC.splitlines() if "format-check" in line)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rollouts.jsonl").write_text(ROLLOUTS, "utf-8")
    (tmp_path / "reward.yaml").write_text(SPEC, "utf-8")
    return tmp_path


def score(folder: Path) -> subprocess.CompletedProcess[str]:
    program, *arguments = COMMAND.split()
    return subprocess.run(
        [str(Path(sys.executable).parent / program), *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )


def totals(folder: Path) -> dict[str, tuple[float, bool]]:
    rows = [json.loads(line) for line in score(folder).stdout.splitlines()]
    return {row["id"]: (row["total"], row["gated"]) for row in rows}


def test_the_weights_give_what_the_tutorial_says(folder: Path) -> None:
    assert totals(folder) == {"good": (1.0, False), "bare": (0.8, False), "wrong": (0.2, False)}


def test_the_gate_gives_what_the_tutorial_says(folder: Path) -> None:
    (folder / "reward.yaml").write_text(SPEC.replace(FORMAT, GATE.rstrip()), "utf-8")
    assert totals(folder) == {"good": (1.0, False), "bare": (0.0, True), "wrong": (0.2, False)}


def test_a_lost_completion_stops_after_the_rows_before_it(folder: Path) -> None:
    *kept, _ = ROLLOUTS.splitlines()
    [lost] = re.findall(r"`(\{\"id\": \"lost\".*?\})`", PAGE.read_text("utf-8"))
    (folder / "rollouts.jsonl").write_text("\n".join([*kept, lost]), "utf-8")
    done = score(folder)
    assert done.returncode == 2
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["good", "bare"]
    assert "completion" in done.stderr
