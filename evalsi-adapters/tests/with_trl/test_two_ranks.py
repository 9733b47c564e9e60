"""Two processes under torchrun: each scores its own slice, and a group may lie on both."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from advantages import grpo
from trl_fakes.evaluators import is_away

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What the two ranks found."""
    folder = tmp_path_factory.mktemp("ranks")
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    done = subprocess.run(
        [*launcher, str(HERE / "two_ranks.py"), str(folder)],
        env=os.environ | {"PYTHONPATH": str(HERE.parent / "fakes"), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return [json.loads((folder / f"{rank}.json").read_text("utf-8")) for rank in range(2)]


def test_each_rank_gives_the_rewards_of_its_slice_and_the_group_has_one_baseline(
    ranks: list[dict[str, Any]],
) -> None:
    first, second = (rank["split"]["batches"] for rank in ranks)
    assert len(first) == len(second) == 2
    for ours, theirs in zip(first, second, strict=True):
        assert (len(ours["texts"]), len(theirs["texts"])) == (2, 2)
        wanted = grpo(ours["texts"] + theirs["texts"])
        assert ours["advantages"] + theirs["advantages"] == pytest.approx(wanted, abs=1e-4)
    gone = [
        advantage
        for batch in first + second
        for text, advantage in zip(batch["texts"], batch["advantages"], strict=True)
        if is_away(text)
    ]
    assert gone
    assert gone == [0.0] * len(gone)


def test_the_log_holds_every_component(ranks: list[dict[str, Any]]) -> None:
    log = ranks[0]["split"]["log"]
    names = ("reward", "reward/flaky", "reward/letters")
    assert [name for name in names if f"rewards/{name}/mean" not in log] == []


def test_a_verifier_of_group_scope_sees_whole_groups(ranks: list[dict[str, Any]]) -> None:
    sizes = [
        total
        for rank in ranks
        for batch in rank["whole group"]["batches"]
        for total, *_ in batch["rewards"]
    ]
    assert set(sizes) == {4.0}


def test_a_verifier_of_group_scope_refuses_a_split_group(ranks: list[dict[str, Any]]) -> None:
    for rank in ranks:
        assert "holds 2 rollouts in groups of 4" in rank["split group"]["error"]
