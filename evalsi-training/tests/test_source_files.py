"""Which files of a remote checkpoint are downloaded, and what a client's errors become."""

import pytest

from evalsi.core.errors import DataError
from evalsi.training.sources import SourceError
from evalsi.training.sources.files import RemoteFile, asking, needed

MODEL = ("config.json", "model.safetensors", "tokenizer.json", "chat_template.jinja")


def names(*given):
    return set(needed({name: RemoteFile(1) for name in given}))


def test_what_serving_needs_is_downloaded():
    shards = [f"model-0000{n}-of-00002.safetensors" for n in (1, 2)]
    files = {*MODEL, *shards, "model.safetensors.index.json", "vocab.txt", "modeling_acme.py"}

    assert names(*files) == files


@pytest.mark.parametrize(
    "name",
    [
        "optimizer.pt",
        "optimizer.bin",
        "scheduler.pt",
        "rng_state_0.pth",
        "rng_state.pth",
        "random_states_0.pkl",
        "scaler.pt",
        "training_args.bin",
        "trainer_state.json",
        "global_step100/mp_rank_00_model_states.pt",
        "pytorch_model_fsdp_0/__0_0.distcp",
        "runs/events.out.tfevents.1",
        "README.md",
    ],
)
def test_the_trainers_state_is_not(name):
    assert names(*MODEL, name) == set(MODEL)


def test_of_weights_in_two_forms_the_safetensors_are():
    assert names(*MODEL, "pytorch_model.bin") == set(MODEL)
    assert "pytorch_model.bin" in names("config.json", "pytorch_model.bin")
    adapter = {"adapter_config.json", "adapter_model.bin"}
    assert names(*adapter) == adapter
    assert names(*adapter, "adapter_model.safetensors") == {
        "adapter_config.json",
        "adapter_model.safetensors",
    }


@pytest.mark.parametrize(
    "name",
    [
        "../config.json",
        "..",
        "/etc/passwd.json",
        "a/../../b.json",
        ".bashrc.json",
        "a\\..\\b.json",
        "a\nb.json",
        "a\0.json",
        "-rf.json",
        "x" * 300 + ".json",
    ],
)
def test_a_hostile_name_is_no_file(name):
    assert names(*MODEL, name) == set(MODEL)


def test_a_clients_error_is_a_source_error_on_one_line_without_signatures():
    with pytest.raises(SourceError) as raised, asking("s3://b/run"):
        raise ConnectionError("GET http://h/k?X-Amz-Signature=abc\nfailed")

    assert str(raised.value) == "s3://b/run: ConnectionError: GET http://h/k?… failed"


def test_an_error_of_ours_stays_what_it_is():
    with pytest.raises(DataError), asking("s3://b/run"):
        raise DataError("no")


def test_a_clients_error_shows_no_password():
    with pytest.raises(SourceError) as raised, asking("mlflow:m"):
        raise ConnectionError("API request to http://me:secret@host/api failed")

    assert str(raised.value) == "mlflow:m: ConnectionError: API request to http://host/api failed"
