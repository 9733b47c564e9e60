"""A checkpoint that waits is kept, whatever its trainer deletes."""

import os
import shutil

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


def test_a_directory_keeps_what_waits_until_it_is_done(checkpoint, tmp_path):
    source = Directory(tmp_path, settle=0)
    [found] = source.scan()
    shutil.rmtree(checkpoint)

    assert source.scan() == [found]
    assert Directory(tmp_path, settle=0).scan() == [found]
    assert source.scan({1}) == []
    assert list(tmp_path.iterdir()) == []
