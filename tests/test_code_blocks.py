"""Code in the documentation is code: Python blocks run, YAML specs load."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from evalsi.core.plugins import default_host
from evalsi.core.reward import load_reward
from evalsi.core.run.spec import EvalRun
from evalsi.core.spec import load

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md"), *ROOT.glob("evalsi-*/README.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language: str, holding: str = "") -> list[object]:
    """Every block of a language, named by its page and its place there."""
    return [
        pytest.param(body, id=f"{page.relative_to(ROOT)}:{place}")
        for page in PAGES
        for place, (kind, body) in enumerate(BLOCK.findall(page.read_text("utf-8")), start=1)
        if kind == language and holding in body
    ]


@pytest.mark.parametrize("body", blocks("python"))
def test_a_python_block_runs(body: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", body],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("body", blocks("yaml", "kind: RewardSpec"))
def test_a_whole_reward_spec_loads(body: str, tmp_path: Path) -> None:
    path = tmp_path / "reward.yaml"
    path.write_text(body, "utf-8")
    assert load_reward(path).components


@pytest.mark.parametrize("body", blocks("yaml", "kind: EvalRun"))
def test_a_whole_eval_run_is_sound(body: str, tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text(body, "utf-8")
    # Files that a page speaks of are not here, so params are not bound.
    refs = load(path, EvalRun).spec.refs()
    assert [default_host().find("evaluator", ref.ref) for ref in refs]
