"""Which checkpoints a directory holds, and when one is whole."""

import inspect
import json
import os
import shutil
import time
from pathlib import Path

import pytest

from evalsi.training.pins import pins_of
from evalsi.training.sources import Directory, SourceError
from evalsi.training.sources.whole import is_whole


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def model(folder, *files, config=True):
    folder.mkdir(parents=True, exist_ok=True)
    if config:
        (folder / "config.json").write_text("{}")
    for name in files or ("model.safetensors",):
        (folder / name).write_bytes(b"weights")
    return folder


def index(folder, *shards):
    weights = {f"layer.{number}": name for number, name in enumerate(shards)}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weights}))


def steps(source):
    return [found.step for found in source.scan()]


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("checkpoint-400", 400),
        ("global_step_12", 12),
        ("global_step12", 12),
        ("step-7", 7),
        ("step_7", 7),
        ("checkpoint-0010", 10),
        ("checkpoint-last", None),
        ("tmp-checkpoint-3", None),
        ("checkpoint-3.tmp", None),
        ("runs", None),
    ],
)
def test_a_checkpoint_is_known_by_its_name(tmp_path, name, step):
    model(tmp_path / name)

    assert steps(Directory(tmp_path, settle=0)) == ([] if step is None else [step])


def test_steps_are_in_the_order_of_their_numbers(tmp_path):
    for number in (1000, 20, 3):
        model(tmp_path / f"checkpoint-{number}")

    assert steps(Directory(tmp_path, settle=0)) == [3, 20, 1000]


def test_a_half_written_checkpoint_waits_for_its_last_shard(tmp_path):
    folder = model(tmp_path / "checkpoint-1", "model-1-of-2.safetensors")
    source = Directory(tmp_path, settle=0)
    assert steps(source) == []
    index(folder, "model-1-of-2.safetensors", "model-2-of-2.safetensors")
    assert steps(source) == []
    (folder / "model-2-of-2.safetensors").write_bytes(b"")
    assert steps(source) == []

    (folder / "model-2-of-2.safetensors").write_bytes(b"weights")

    assert steps(source) == [1]


@pytest.mark.parametrize(
    ("files", "config", "whole"),
    [
        (["model.safetensors"], True, True),
        (["pytorch_model.bin"], True, True),
        (["model.safetensors"], False, False),
        (["optimizer.pt", "scheduler.pt"], True, False),
        (["adapter_model.safetensors", "adapter_config.json"], False, True),
        (["adapter_config.json"], False, False),
        (["model.pt"], True, False),
    ],
)
def test_a_model_or_an_adapter_is_a_checkpoint_and_a_state_is_none(tmp_path, files, config, whole):
    assert is_whole(model(tmp_path / "c", *files, config=config)) is whole


@pytest.mark.parametrize("text", ["{", "[]", '{"weight_map": {}}', '{"weight_map": 3}'])
def test_a_broken_index_is_no_model_yet(tmp_path, text):
    folder = model(tmp_path / "c", "model-1-of-2.safetensors")
    (folder / "model.safetensors.index.json").write_text(text)

    assert not is_whole(folder)


def test_an_index_names_files_of_its_own_folder_alone(tmp_path):
    folder = model(tmp_path / "c", "part.bin")
    (tmp_path / "outside.safetensors").write_bytes(b"x")
    index(folder, "../outside.safetensors")

    assert not is_whole(folder)


def test_it_must_have_been_still(tmp_path):
    clock = Clock()
    folder = model(tmp_path / "checkpoint-1")
    source = Directory(tmp_path, settle=30, clock=clock)
    assert (steps(source), source.unsettled) == ([], True)
    clock.now = 29
    (folder / "model.safetensors").write_bytes(b"more weights")
    assert steps(source) == []
    clock.now = 58
    assert steps(source) == []
    clock.now = 59

    assert (steps(source), source.unsettled) == ([1], False)


def test_a_jump_of_the_wall_clock_settles_nothing(tmp_path):
    clock = Clock()
    folder = model(tmp_path / "checkpoint-1")
    long_ago = time.time() - 10**6
    os.utime(folder / "model.safetensors", (long_ago, long_ago))
    source = Directory(tmp_path, settle=30, clock=clock)

    assert steps(source) == []
    future = time.time() + 10**6
    os.utime(folder / "config.json", (future, future))
    clock.now = 30
    assert steps(source) == []
    clock.now = 60
    assert steps(source) == [1]


def test_a_marker_says_that_it_is_done(tmp_path):
    folder = model(tmp_path / "checkpoint-1")
    source = Directory(tmp_path, settle=30, marker="STABLE")
    assert steps(source) == []

    (folder / "STABLE").touch()

    assert steps(source) == [1]


def test_a_directory_that_is_not_there_yet_holds_nothing(tmp_path):
    source = Directory(tmp_path / "out", settle=0)
    assert steps(source) == []

    model(tmp_path / "out" / "checkpoint-1")

    assert steps(source) == [1]


def test_a_source_that_disappears_is_told_and_comes_back(tmp_path):
    place = tmp_path / "mount" / "out"
    model(place / "checkpoint-1")
    source = Directory(place, settle=0)
    assert steps(source) == [1]
    shutil.rmtree(tmp_path / "mount")

    with pytest.raises(SourceError, match="its parent are not there"):
        source.scan()

    model(place / "checkpoint-1")
    assert steps(source) == [1]


def test_a_checkpoint_that_is_deleted_before_it_settles_is_forgotten(tmp_path):
    folder: Path = model(tmp_path / "checkpoint-1")
    source = Directory(tmp_path, settle=30)
    assert (steps(source), source.unsettled) == ([], True)
    shutil.rmtree(folder)

    assert (steps(source), source.unsettled) == ([], False)


def test_steps_that_are_done_are_not_looked_at(tmp_path):
    model(tmp_path / "checkpoint-1")
    model(tmp_path / "checkpoint-2")

    assert [found.step for found in Directory(tmp_path, settle=0).scan({1})] == [2]


@pytest.mark.parametrize("place", ["actor/huggingface", "actor/model/huggingface"])
def test_a_model_that_verl_saved_within_a_checkpoint_is_what_is_served(tmp_path, place):
    model(tmp_path / "global_step_7" / place)
    (tmp_path / "global_step_7" / "actor" / "model_world_size_1_rank_0.pt").write_bytes(b"shard")
    pinned = str(pins_of(tmp_path) / "global_step_7" / place)
    source = Directory(tmp_path, settle=0)

    assert [found.location for found in source.scan()] == [pinned]
    assert [found.location for found in source.scan()] == [pinned]
    assert source.scan({7}) == []


def test_shards_of_verl_without_a_model_are_no_checkpoint(tmp_path):
    model(tmp_path / "global_step_7" / "actor", "model_world_size_1_rank_0.pt")

    assert steps(Directory(tmp_path, settle=0)) == []


def test_the_clock_is_one_that_nobody_sets():
    assert inspect.signature(Directory).parameters["clock"].default is time.monotonic
