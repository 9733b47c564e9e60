"""The best checkpoint: chosen on one half, confirmed on the other, and kept whatever is deleted."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from training_kit import QUESTIONS, history_at, put

from evalsi.core import DataError
from evalsi.training import RegressionGate
from evalsi.training.best import Part, Tally, choose, half_of, tally_of
from evalsi.training.curve import curve_of
from evalsi.training.keeping import keep_best
from evalsi.training.kept import read_best
from evalsi.training.pins import pin
from evalsi.training.values import StepValues

IDS = tuple(f"r{number}" for number in range(400))


def tally(step, choosing, confirming=0.5, n=200):
    whole = Part(2 * n, (choosing + confirming) / 2)
    return Tally(step, whole, Part(n, choosing), Part(n, confirming))


def test_the_choosing_half_chooses_and_the_other_has_no_say():
    choice = choose([tally(1, 0.5, 0.9), tally(2, 0.6, 0.1)], "higher")

    assert (choice.tally.step, choice.confirmed) == (2, True)


def test_lower_is_better_chooses_the_lowest():
    assert choose([tally(1, 0.5), tally(2, 0.6)], "lower").tally.step == 1


def test_of_a_tie_the_earlier_step_is_the_best():
    assert choose([tally(1, 0.1 + 0.2), tally(2, 0.3), tally(3, 0.3)], "higher").tally.step == 1
    assert choose([tally(1, 0.3), tally(2, 0.1 + 0.2)], "higher").tally.step == 1


@pytest.mark.parametrize(("n", "confirmed"), [(49, False), (50, True)])
def test_halves_need_a_hundred_records(n, confirmed):
    choice = choose([tally(1, 0.5, 0.9, n), tally(2, 0.6, 0.1, n)], "higher")

    assert (choice.confirmed, choice.tally.step) == (confirmed, 2 if confirmed else 1)


def test_a_half_without_a_value_confirms_nothing():
    lone = Tally(1, Part(200, 0.5), Part(200, 0.5), Part(0, 0.0))

    assert not choose([lone], "higher").confirmed


def test_none_is_the_best_of_none():
    assert choose([], "higher") is None


def test_clusters_are_in_one_half():
    clusters = tuple(f"c{number // 4}" for number in range(len(IDS)))
    half = half_of(IDS, clusters).reshape(-1, 4)

    assert half.sum() == 200
    assert (half.all(axis=1) | ~half.any(axis=1)).all()


def test_the_half_that_chose_is_biased_and_the_half_that_confirms_is_not():
    """Twenty checkpoints of one true value, 0.7: the winner's curse, and its cure."""
    rng = np.random.default_rng(7)
    chose, confirmed = [], []
    for _ in range(300):
        steps = [
            tally_of(step, StepValues(IDS, {"m": (rng.random(400) < 0.7) * 1.0}), "m")
            for step in range(20)
        ]
        best = choose(steps, "higher").tally
        chose.append(best.choosing.mean)
        confirmed.append(best.confirming.mean)

    assert np.mean(chose) > 0.75
    assert abs(np.mean(confirmed) - 0.7) < 3 * np.std(confirmed) / np.sqrt(300)


@pytest.fixture
def history(tmp_path):
    return history_at(tmp_path / "logs")


def better(history, step, right, place, n=200, **fields):
    """A step that has the first so many records right."""
    put(history, step, {"m": [1] * right + [0] * (n - right)}, checkpoint=str(place), **fields)


def kept(history, gates=(), places=None):
    with history.writing():
        return keep_best(history, curve_of(history, gates), "m", places)


def held(tmp_path):
    return sorted(path.name for path in tmp_path.glob("out/.evalsi-best/run-*/*"))


def test_the_best_outlives_its_trainers_retention_and_the_former_is_let_go(
    history, tmp_path, checkpoint
):
    first, second = (checkpoint(tmp_path / "out", step) for step in (1, 2))
    better(history, "base", 100, "base")
    better(history, 1, 120, first)
    kept(history)
    assert held(tmp_path) == ["checkpoint-1"]
    shutil.rmtree(first)
    assert (history.folder / "best" / "model.safetensors").read_bytes() == b"weights of 1"

    better(history, 2, 160, second)
    best = kept(history)

    assert held(tmp_path) == ["checkpoint-2"]
    assert (history.folder / "best" / "model.safetensors").read_bytes() == b"weights of 2"
    assert (second / "model.safetensors").stat().st_nlink == 2
    row = json.loads((history.folder / "best.json").read_text())
    assert (row["step"], row["confirmed"], row["note"]) == (2, True, "")
    assert row["choosing"]["n"] + row["confirming"]["n"] == 200
    assert row["value"] == row["confirming"]["mean"] == best.value
    assert row["change"]["n"] == row["confirming"]["n"]
    assert row["change"]["checkpoint_mean"] == row["value"]
    assert read_best(history.folder) == best


def test_a_few_records_choose_unconfirmed_and_say_so(history, tmp_path, checkpoint):
    better(history, 1, 10, checkpoint(tmp_path / "out", 1), n=40)

    best = kept(history)

    assert (best.confirmed, best.confirming, best.value) == (False, None, 0.25)
    assert "Two halves need 100 records, and there are 40" in best.note


def test_what_regressed_failed_or_is_unsure_is_never_the_best(history):
    better(history, "base", 150, "base")
    put(history, 1, {"m": [1] * 100 + [0] * 100}, checkpoint="c1")
    better(history, 2, 190, "c2", gates=({"passed": False, "reason": "too low"},))
    better(history, 3, 190, "c3", error="out of memory")
    better(history, 4, 190, "c4", verdict="none")
    put(history, 5, {"m": [1] * 150 + [None] * 50}, checkpoint="c5")
    put(history, 6, {"m@mini": [1] * 20}, checkpoint="c6", panel="mini", mini={"records": 20})

    assert kept(history, [RegressionGate("m")]) is None
    assert not (history.folder / "best.json").exists()

    better(history, 7, 151, "c7")
    assert kept(history, [RegressionGate("m")]).step == 7


def test_a_name_or_a_checkpoint_that_is_gone_has_no_link(history, tmp_path, checkpoint):
    place = checkpoint(tmp_path / "out", 1)
    better(history, 1, 120, place)
    kept(history)
    better(history, 2, 160, "my-org/my-model")

    best = kept(history)

    assert (best.step, best.kept) == (2, None)
    assert "my-org/my-model is no folder or file here" in best.note
    assert not (history.folder / "best").is_symlink()
    assert held(tmp_path) == []
    assert not (tmp_path / "out" / ".evalsi-best").exists()


def test_a_checkpoint_that_is_no_longer_the_best_is_found_again_where_it_lay(
    history, tmp_path, checkpoint
):
    first, second = (checkpoint(tmp_path / "out", step) for step in (1, 2))
    better(history, 1, 120, first)
    better(history, 2, 160, second)
    assert kept(history).step == 2

    better(history, 2, 160, second, error="measured anew")

    assert kept(history).step == 1
    assert held(tmp_path) == ["checkpoint-1"]


def test_a_model_inside_its_steps_folder_is_kept_beside_that_folder(history, tmp_path):
    place = tmp_path / "out" / "global_step_5" / "actor" / "huggingface"
    place.mkdir(parents=True)
    (place / "config.json").write_text("{}")
    better(history, 5, 160, place)

    best = kept(history)
    shutil.rmtree(tmp_path / "out" / "global_step_5")

    assert held(tmp_path) == ["global_step_5"]
    assert best.kept.endswith("/global_step_5/actor/huggingface")
    assert (history.folder / "best" / "config.json").exists()


def test_a_pin_is_what_is_kept_of_a_checkpoint_that_is_deleted_and_another_is_not(
    history, tmp_path, checkpoint
):
    place = checkpoint(tmp_path / "out", 1)
    other = checkpoint(tmp_path / "other", 1)
    pinned = pin(place)
    shutil.rmtree(place)
    better(history, 1, 120, place)

    assert kept(history, places={1: str(other)}).kept is None
    assert kept(history, places={1: str(pinned)}).kept is not None


def test_what_a_kill_left_is_swept(history, tmp_path, checkpoint):
    better(history, 1, 120, checkpoint(tmp_path / "out", 1))
    folder = Path(kept(history).kept).parent
    (folder / "checkpoint-9").mkdir(parents=True)
    (folder / "checkpoint-1.half").mkdir()
    (history.folder / ".best.link").symlink_to(folder)

    kept(history)

    assert held(tmp_path) == ["checkpoint-1"]
    assert not (history.folder / ".best.link").is_symlink()


def test_two_log_folders_with_runs_of_one_name_keep_each_its_own(tmp_path, checkpoint):
    for number in (1, 2):
        other = history_at(tmp_path / f"logs-{number}")
        better(other, number, 120, checkpoint(tmp_path / "out", number))
        kept(other)

    assert held(tmp_path) == ["checkpoint-1", "checkpoint-2"]


def test_a_relative_place_is_kept_when_the_next_call_is_made_elsewhere(
    history, tmp_path, checkpoint, monkeypatch
):
    checkpoint(tmp_path / "out", 1)
    monkeypatch.chdir(tmp_path)
    better(history, 1, 120, "out/checkpoint-1")
    first = kept(history)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")

    assert kept(history) == first
    assert held(tmp_path) == ["checkpoint-1"]


def test_a_broken_file_is_named_with_the_mend(history):
    better(history, 1, 120, "c1")
    (history.folder / "best.json").write_text("{")

    with pytest.raises(DataError, match=r"best\.json cannot be read.*remove it"):
        curve_of(history)


def test_the_command_line_keeps_the_best_and_the_curve_shows_it(
    tmp_path, server, command, checkpoint
):
    for step, count in ((1, 10), (2, 20), (3, 15)):
        server.knows[f"checkpoint-{step}"] = set(QUESTIONS[:count])
        checkpoint(tmp_path / "out", step)

    found = command("watch", tmp_path / "out", "--settle", "0", "--once")
    shutil.rmtree(tmp_path / "out" / "checkpoint-2")

    assert found.exit_code == 0, found.output
    lines = command("curve").stdout.splitlines()
    assert [line.endswith("(best)") for line in lines[1:4]] == [False, True, False]
    assert any(line.startswith("best: step 2, right 0.500, unconfirmed; kept") for line in lines)
    row = json.loads(command("curve", "--format", "json").stdout)
    assert (row["best"]["step"], row["best"]["value"]) == (2, 0.5)
    link = tmp_path / "logs" / "run" / "best" / "model.safetensors"
    assert link.read_bytes() == b"weights of 2"
    assert not (tmp_path / "out" / ".evalsi-pins").exists()


def test_a_copy_of_a_training_run_leaves_the_best_of_its_original_alone(
    history, tmp_path, checkpoint
):
    place = checkpoint(tmp_path / "out", 1)
    better(history, 1, 120, place)
    first = Path(kept(history).kept)
    shutil.copytree(tmp_path / "logs", tmp_path / "copy", symlinks=True)
    shutil.rmtree(place)

    copy = history_at(tmp_path / "copy")
    second = Path(kept(copy).kept)
    assert (second / "model.safetensors").read_bytes() == b"weights of 1"
    better(copy, 2, 160, checkpoint(tmp_path / "out", 2))
    kept(copy)

    assert not second.exists()
    assert (first / "model.safetensors").read_bytes() == b"weights of 1"


def test_halves_that_would_cut_a_cluster_are_none_and_the_note_says_so(history, tmp_path):
    better(history, 1, 120, tmp_path, clusters=["a"] * 200)

    assert kept(history).note.startswith("Two halves would cut a cluster")
