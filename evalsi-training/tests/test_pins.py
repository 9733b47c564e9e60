"""A checkpoint that waits is kept, whatever its trainer deletes."""

import os
import shutil
from pathlib import Path

import pytest

from evalsi.training.pins import original_of, pin, pins_of, unpin
from evalsi.training.sources import Directory


@pytest.fixture
def checkpoint(tmp_path):
    folder = tmp_path / "checkpoint-1"
    (folder / "nested").mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"weights")
    (folder / "nested" / "more").write_text("more")
    return folder


def test_a_pin_takes_no_space_and_outlives_the_checkpoint(checkpoint, tmp_path):
    place = pin(checkpoint)
    assert (place / "model.safetensors").stat().st_nlink == 2
    shutil.rmtree(checkpoint)

    assert (place / "model.safetensors").read_bytes() == b"weights"
    assert (place / "nested" / "more").read_text() == "more"
    assert original_of(str(place)) == str(checkpoint)

    unpin(place)
    assert list(tmp_path.iterdir()) == []


def test_unpinning_leaves_the_checkpoint_alone(checkpoint):
    unpin(pin(checkpoint))
    unpin(checkpoint)

    assert (checkpoint / "model.safetensors").read_bytes() == b"weights"
    assert not pins_of(checkpoint.parent).exists()


def test_a_file_system_without_hard_links_gets_a_copy(checkpoint, monkeypatch):
    def refuse(*_):
        raise PermissionError("no hard links")

    monkeypatch.setattr(os, "link", refuse)

    assert (pin(checkpoint) / "model.safetensors").read_bytes() == b"weights"


def test_a_single_file_is_pinned(tmp_path):
    state = tmp_path / "step-1.pt"
    state.write_bytes(b"state")
    place = pin(state)
    state.unlink()

    assert place.read_bytes() == b"state"
    unpin(place)
    assert list(tmp_path.iterdir()) == []


def test_what_a_kill_left_half_pinned_is_pinned_anew(checkpoint):
    half = pins_of(checkpoint.parent) / "checkpoint-1.half"
    half.mkdir(parents=True)
    (half / "config.json").write_text("old")

    assert (pin(checkpoint) / "config.json").read_text() == "{}"
    assert not half.exists()


def test_a_pin_of_what_bore_the_name_before_is_made_anew(checkpoint):
    pin(checkpoint)
    shutil.rmtree(checkpoint)
    checkpoint.mkdir()
    (checkpoint / "model.safetensors").write_bytes(b"of a training that was resumed")

    place = pin(checkpoint)

    assert [path.name for path in place.iterdir()] == ["model.safetensors"]
    assert (place / "model.safetensors").read_bytes() == b"of a training that was resumed"


def test_a_directory_keeps_what_waits_until_it_is_done(checkpoint, tmp_path):
    source = Directory(tmp_path, settle=0)
    [found] = source.scan()
    shutil.rmtree(checkpoint)

    assert source.scan() == [found]
    assert Directory(tmp_path, settle=0).scan() == [found]
    assert source.scan({1}) == []
    assert list(tmp_path.iterdir()) == []


def test_one_run_does_not_let_go_of_what_waits_for_another(checkpoint, tmp_path):
    first, second = (Directory(tmp_path, settle=0, training_run=run) for run in ("a", "b"))
    assert first.scan() != second.scan()
    shutil.rmtree(checkpoint)

    assert first.scan({1}) == []
    [found] = second.scan()
    assert original_of(found.location) == str(checkpoint)
    assert (Path(found.location) / "model.safetensors").read_bytes() == b"weights"

    assert second.scan({1}) == []
    assert list(tmp_path.iterdir()) == []


def test_a_link_in_a_checkpoint_is_pinned_as_what_it_points_to(checkpoint, tmp_path):
    weights = tmp_path / "weights"
    (checkpoint / "model.safetensors").rename(weights)
    (checkpoint / "model.safetensors").symlink_to("../weights")
    place = pin(checkpoint)
    weights.unlink()

    assert (place / "model.safetensors").read_bytes() == b"weights"


def test_what_is_saved_again_while_it_waits_is_what_counts_once_it_is_still(checkpoint, tmp_path):
    now = [0.0]
    source = Directory(tmp_path, settle=30, clock=lambda: now[0])
    source.scan()
    now[0] = 30
    [found] = source.scan()
    shutil.rmtree(checkpoint)  # a training that was resumed from before it
    assert source.scan() == [found]
    checkpoint.mkdir()
    (checkpoint / "config.json").write_text("{}")
    (checkpoint / "model.safetensors").write_bytes(b"half")
    assert source.scan() == []

    now[0] = 50
    (checkpoint / "model.safetensors").write_bytes(b"of the second time")
    assert source.scan() == []
    now[0] = 80

    assert source.scan() == [found]
    assert (Path(found.location) / "model.safetensors").read_bytes() == b"of the second time"


def test_what_its_trainer_is_deleting_is_not_saved_again(checkpoint, tmp_path):
    [found] = Directory(tmp_path, settle=0).scan()
    (checkpoint / "config.json").unlink()

    assert Directory(tmp_path, settle=30).scan() == [found]


def test_a_copy_that_bears_another_time_is_not_made_again_at_each_look(
    checkpoint, tmp_path, monkeypatch
):
    def refuse(*_):
        raise PermissionError("no hard links")

    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr(shutil, "copy2", shutil.copyfile)
    source = Directory(tmp_path, settle=0)
    [found] = source.scan()
    place = Path(found.location) / "model.safetensors"
    made = place.stat()

    assert source.scan() == [found]
    assert place.stat() == made
