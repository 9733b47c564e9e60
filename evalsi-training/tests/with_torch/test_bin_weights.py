"""NaN in weights that torch pickled: found without running what the file holds."""

import pytest
import torch

from evalsi.training import ServingError
from evalsi.training.serving.models import model_at

NAN = float("nan")


def folder(tmp_path, state, name="pytorch_model.bin"):
    (tmp_path / "config.json").write_text("{}")
    torch.save(state, tmp_path / name)
    return str(tmp_path)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("bad", [True, False], ids=["nan", "whole"])
def test_weights_that_are_nan_are_refused(tmp_path, dtype, bad):
    layer = torch.arange(-64, 64, dtype=dtype).reshape(8, 16)
    if bad:
        layer[3, 5] = NAN
    state = {"norm": torch.ones(4, dtype=dtype), "layer": layer, "other": layer, "steps": 3}
    state["inf"] = torch.tensor([float("inf")], dtype=dtype)
    place = folder(tmp_path, state)

    if not bad:
        assert model_at(place)
        return
    with pytest.raises(ServingError, match=r"pytorch_model\.bin holds NaN in storage 1"):
        model_at(place)


def test_a_state_of_many_tensors_is_read_through(tmp_path):
    state = {f"layer.{number}": torch.zeros(2) for number in range(600)}
    state["layer.599"][1] = NAN

    with pytest.raises(ServingError, match="storage 599"):
        model_at(folder(tmp_path, state, "pytorch_model-00001-of-00002.bin"))


def test_an_adapter_is_read_too(tmp_path):
    with pytest.raises(ServingError, match=r"adapter_model\.bin holds NaN"):
        model_at(folder(tmp_path, {"lora_A": torch.full((2, 2), NAN)}, "adapter_model.bin"))


class Runs:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (self.path, "w")


def test_nothing_that_the_file_holds_is_run(tmp_path):
    place = folder(tmp_path, {"a": Runs(str(tmp_path / "ran")), "w": torch.tensor([NAN])})

    with pytest.raises(ServingError, match="holds NaN"):
        model_at(place)
    assert not (tmp_path / "ran").exists()


def test_what_is_no_zip_is_left_to_the_server(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    state = {"w": torch.tensor([NAN])}
    torch.save(state, tmp_path / "pytorch_model.bin", _use_new_zipfile_serialization=False)

    assert model_at(str(tmp_path))


def test_a_file_that_is_cut_off_is_refused(tmp_path):
    place = folder(tmp_path, {"w": torch.zeros(100)})
    file = tmp_path / "pytorch_model.bin"
    whole = file.read_bytes()
    file.write_bytes(whole[:200] + b"\xff" * 60 + whole[260:])

    with pytest.raises(ServingError, match="cannot be read as what torch saves"):
        model_at(place)
