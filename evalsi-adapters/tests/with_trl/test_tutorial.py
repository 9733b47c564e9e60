"""The tutorial, with the files that it shows: the reward rises, and its plot is the one shown."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs" / "tutorial"
PAGE = (DOCS / "train-with-trl.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
MEANS = re.compile(r"mean reward: (\d\.\d+) at step 1, (\d\.\d+) at step 30\n")


def blocks(language: str) -> list[str]:
    return [body for kind, body in BLOCKS if kind == language]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the tutorial was followed; `said` holds what it printed."""
    where = tmp_path_factory.mktemp("tutorial")
    [spec] = blocks("yaml")
    (where / "layout.yaml").write_text(spec, "utf-8")
    (where / "train.py").write_text("\n".join(blocks("py")), "utf-8")
    done = subprocess.run(
        [sys.executable, "train.py"],
        cwd=where,
        env=os.environ | {"MPLCONFIGDIR": str(where)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    (where / "said").write_text(done.stdout, "utf-8")
    return where


def means(text: str) -> list[float]:
    found = MEANS.search(text)
    assert found is not None
    return [float(mean) for mean in found.groups()]


def test_the_reward_rises_in_30_steps(folder: Path) -> None:
    first, last = means((folder / "said").read_text("utf-8"))
    assert first < 0.1
    assert last > 0.8
    # Another build of torch draws other samples, and ends near the same place.
    assert [first, last] == pytest.approx(means(blocks("text")[0]), abs=0.1)


def test_the_plot_that_is_shown_is_the_tutorials_own(folder: Path) -> None:
    made, shown = (folder / "curve.svg", DOCS / "train-with-trl.svg")
    names = [f"layout{name}" for name in ("", "/opens", "/closes", "/whole")]
    for plot in (made, shown):
        text = plot.read_text("utf-8")
        assert [name for name in names if f">{name}</text>" not in text] == []
