"""The tutorial of runs, step by step, with the files and the commands that it shows."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from evalsi.core.run.plan import checked

PAGE = Path(__file__).parents[1] / "docs" / "tutorial" / "first-run.md"
BLOCKS = re.findall(r"^```\w+\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
QUESTIONS, ANSWERS, SPEC, RUN, TABLE, GATED, LOST, TARGET = BLOCKS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sums.jsonl").write_text(QUESTIONS, "utf-8")
    (tmp_path / "answers.jsonl").write_text(ANSWERS, "utf-8")
    (tmp_path / "sums.yaml").write_text(SPEC, "utf-8")
    return tmp_path


def do(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    program, *arguments = command.split()
    return subprocess.run(
        [str(Path(sys.executable).parent / program), *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )


def test_the_run_prints_the_table_that_the_tutorial_shows(folder: Path) -> None:
    done = do(RUN, folder)
    assert (done.returncode, done.stdout) == (0, TABLE)
    rows = json.loads((folder / "sums.json").read_text("utf-8"))["records"]
    assert [row["scores"]["math-equiv"]["value"] for row in rows] == [1.0, 0.0, 1.0]


def test_a_gate_that_fails_is_exit_3(folder: Path) -> None:
    do(RUN, folder)
    done = do(GATED, folder)
    assert done.returncode == 3
    assert "gate math-equiv ≥ 0.9: FAILED" in done.stdout


def test_a_lost_answer_is_exit_4_and_no_verdict(folder: Path) -> None:
    (folder / "answers.jsonl").write_text("\n".join(ANSWERS.splitlines()[:-1]), "utf-8")
    done = do(LOST, folder)
    assert done.returncode == 4
    assert "no verdict: 33.3% of the results are errors" in done.stderr


def test_the_models_target_fits_into_the_spec(folder: Path) -> None:
    line = next(line for line in SPEC.splitlines() if "connector: replay" in line)
    whole = SPEC.replace(line, TARGET.rstrip())
    assert checked(whole).target.row["connector"] == "core:openai-compatible"
