"""What is refused before a server is started for it."""

import numpy as np
import pytest
from serving_kit import model, safetensors

from evalsi.training import ServingError
from evalsi.training.serving.models import model_at, whole_model_at


def refusal(checkpoint, of=model_at):
    with pytest.raises(ServingError) as caught:
        of(str(checkpoint))
    return str(caught.value)


@pytest.mark.parametrize("name", ["model.pt", "epoch.ckpt", "weights.pth", "model.safetensors"])
def test_a_file_of_a_state_dictionary_is_refused_with_the_mend(tmp_path, name):
    (tmp_path / name).write_bytes(b"")

    told = refusal(tmp_path / name)

    assert f"{name} holds a state dictionary" in told
    assert told.endswith("or give a strategy that reads state dictionaries")


def test_a_folder_of_state_dictionaries_is_refused_alike(tmp_path):
    (tmp_path / "model.pt").write_bytes(b"")

    assert "model.pt holds a state dictionary" in refusal(tmp_path)


def test_a_folder_without_a_model_is_refused(tmp_path):
    (tmp_path / "optimizer").write_bytes(b"")

    assert "holds no model: there is no config.json" in refusal(tmp_path)


def test_a_path_that_is_not_there_is_no_name_of_a_hub():
    assert refusal("/nowhere/checkpoint-1").endswith("is not there, and is no name of a model")
    assert model_at("Qwen/Qwen3-8B") == "Qwen/Qwen3-8B"


def test_an_adapter_is_no_whole_model(tmp_path):
    (tmp_path / "adapter_config.json").write_text("{}")

    assert "is an adapter; --serve lora serves it" in refusal(tmp_path, whole_model_at)
    assert model_at(str(tmp_path)) == str(tmp_path)


@pytest.mark.parametrize(
    ("dtype", "bad", "good"),
    [
        ("F32", np.array([1, np.nan], "<f4"), np.array([1, -np.inf], "<f4")),
        ("F16", np.array([1, np.nan], "<f2"), np.array([1, 65504], "<f2")),
        ("F64", np.array([1, np.nan], "<f8"), np.array([1, 2], "<f8")),
        ("BF16", np.array([0x3F80, 0xFFC0], "<u2"), np.array([0x3F80, 0xFF80], "<u2")),
    ],
)
def test_weights_that_are_nan_are_refused(tmp_path, dtype, bad, good):
    folder = model(tmp_path)
    file = folder / "model-00001-of-00001.safetensors"
    safetensors(file, norm=(dtype, good.tobytes()), ids=("I64", b"\xff" * 8))
    assert model_at(str(folder)) == str(folder)

    safetensors(file, norm=(dtype, good.tobytes()), head=(dtype, bad.tobytes()))

    assert f"{file} holds NaN in head: its training diverged" == refusal(folder)


def test_the_smallest_tensors_are_looked_at_first_and_no_more_than_so_many_bytes(
    tmp_path, monkeypatch
):
    from evalsi.training.serving import weights

    monkeypatch.setattr(weights, "_MOST", 16)
    folder = model(tmp_path)
    nan, fine = np.full(4, np.nan, "<f4").tobytes(), np.ones(1, "<f4").tobytes()

    safetensors(folder / "model.safetensors", large=("F32", nan), small=("F32", fine))
    assert model_at(str(folder)) == str(folder)
    safetensors(folder / "model.safetensors", large=("F32", fine * 4), small=("F32", nan[:4]))
    assert "holds NaN in small" in refusal(folder)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff" * 20,
        b"\2\0\0\0\0\0\0\0[]",
        b'\x09\0\0\0\0\0\0\0{"a": {}}',
        b"\2\0\0\0\0\0\0\0{,",
        b'\x2f\0\0\0\0\0\0\0{"a": {"dtype": "F32", "data_offsets": [8, 4]}}',
    ],
)
def test_a_file_that_is_no_safetensors_is_refused(tmp_path, data):
    folder = model(tmp_path)
    (folder / "model.safetensors").write_bytes(data)

    assert "model.safetensors cannot be read as safetensors" in refusal(folder)
