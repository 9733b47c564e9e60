"""The folder of a training run: whole files, one writer, one way of measuring."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from training_kit import history_at, put

from evalsi.core import DataError, SpecError
from evalsi.training.history import History
from evalsi.training.values import StepValues

HOLD = """
import sys
from evalsi.training.history import History
with History(sys.argv[1], "run").writing():
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def history(tmp_path):
    return history_at(tmp_path)


def test_what_was_written_is_read_back(history):
    by = {"m": {"version": "1"}}
    put(history, 100, {"m": [1, None, 0.5]}, clusters=("a", None, "b"), trials=2, by=by)

    record, values = history.read(100), history.values(100)

    assert (record.step, record.trials, record.by) == (100, 2, by)
    assert values.ids == ("r0", "r1", "r2")
    assert values.clusters == ("a", None, "b")
    np.testing.assert_array_equal(values.columns["m"], [1, np.nan, 0.5])


def test_another_writer_is_told_who_holds_the_folder(history, tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout.readline() == b"held\n"
        with (
            pytest.raises(DataError, match=f"written by process {other.pid} on"),
            history.writing(),
        ):
            pass
        other.kill()
    with history.writing():
        pass


def test_a_folder_that_cannot_be_written_is_named_with_the_mend(tmp_path):
    (tmp_path / "file").write_text("")
    history = history_at(tmp_path / "file")

    says = "file/run cannot be written: Not a directory; give another --log-dir"
    with pytest.raises(DataError, match=says), history.writing():
        pass


def test_files_that_are_no_steps_are_left_alone(history):
    put(history, 100, {"m": [1, 0]})
    (history.folder / "step-100 (copy).json").write_text("{}")

    assert history.steps() == [100]


def test_a_step_whose_writer_was_killed_before_its_end_is_not_there(history):
    put(history, "base", {"m": [1, 0]})
    StepValues(("r0",), {"m": np.array([1.0])}).save(history.folder / "step-100.npz")
    (history.folder / ".step-100.json.abc").write_text("{")

    assert history.steps() == ["base"]


def test_a_mini_step_has_its_values_until_it_is_a_full_one(history):
    put(history, 1, {"m@mini": [1]}, panel="mini")
    StepValues(("r0", "r1"), {"m": np.array([1.0, 0.0])}).save(history.folder / "step-1.npz")
    assert set(history.values(1).columns) == {"m@mini"}  # its writer was killed before the end

    put(history, 1, {"m": [1, 0]})

    assert set(history.values(1).columns) == {"m"}
    assert sorted(path.name for path in history.folder.glob("*.npz")) == ["step-1.npz"]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 broken", b"not a zip"])
def test_broken_values_are_named_with_the_mend(history, content):
    put(history, 1, {"m": [1]})
    (history.folder / "step-1.npz").write_bytes(content)

    with pytest.raises(DataError, match=r"remove the step's \.json beside it"):
        history.values(1)


@pytest.mark.parametrize("text", ["{", "[]", '{"format": "evalsi.step/9"}'])
def test_a_broken_step_is_named(history, text):
    put(history, 1, {"m": [1]})
    (history.folder / "step-1.json").write_text(text)

    with pytest.raises(DataError, match=r"step-1\.json"):
        history.read(1)


def test_pickles_are_not_loaded(history):
    put(history, 1, {"m": [1]})
    path = history.folder / "step-1.npz"
    np.savez(path, ids=np.array([{"a": 1}], dtype=object), allow_pickle=True)

    with pytest.raises(DataError, match="cannot be read"):
        history.values(1)


def test_a_run_is_measured_in_one_way(history):
    with history.writing():
        history.hold_to({"spec": "a", "data": "b", "evaluators": {}})
        history.hold_to({"spec": "a", "data": "b", "evaluators": {}})
        says = r"another spec and other evaluators.*checkpoints rescore"
        with pytest.raises(DataError, match=says):
            history.hold_to({"spec": "z", "data": "b", "evaluators": {"m": {"version": "2"}}})


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "a" * 129, "a\n"])
def test_a_name_that_is_no_folder_is_refused(name, tmp_path: Path):
    with pytest.raises(SpecError, match="is no name of a training run"):
        History(tmp_path, name)
