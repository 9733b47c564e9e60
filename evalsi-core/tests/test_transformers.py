"""The connector `transformers` where its libraries are not; with them, see `tests/models`."""

import json
import sys

import pytest
from pydantic import ValidationError
from run_kit import host

from evalsi.core import SpecError
from evalsi.core.connectors.transformers.connector import Transformers
from evalsi.core.connectors.transformers.folder import folder_digest
from evalsi.core.run import run

SPEC = """\
apiVersion: evals.si/v1alpha1
kind: EvalRun
metadata: {name: local}
spec:
  target: {connector: transformers, model: owner/name}
  dataset: {inline: {records: [{input: a}]}}
  evaluators: [{ref: says}]
"""


@pytest.fixture
def alone(monkeypatch):
    """No torch, whatever is installed."""
    monkeypatch.setitem(sys.modules, "torch", None)


def test_without_its_libraries_the_spec_is_refused_with_what_to_install(alone):
    with pytest.raises(SpecError) as caught:
        Transformers.settle(Transformers.Params(model="owner/name"))
    assert "pip install 'evalsi-core[transformers]'" in str(caught.value)


def test_a_run_is_refused_before_anything_is_asked(alone, tmp_path):
    spec = tmp_path / "spec.yaml"
    spec.write_text(SPEC)
    with pytest.raises(
        SpecError, match=r"spec\.yaml:5:\d+: spec\.target: core:transformers: .*pip install"
    ):
        run(spec, host=host())


@pytest.mark.parametrize(
    "wrong",
    [
        {"device": "gpu"},
        {"dtype": "int8"},
        {"temperature": -1},
        {"top_p": 0},
        {"stop": [""]},
        {"batch_size": 0},
        {"timeout_s": 0},
        {"trust_remote_code": True},
    ],
    ids=json.dumps,
)
def test_what_cannot_be_meant_is_refused(wrong):
    params = json.dumps({"model": "owner/name", **wrong})
    with pytest.raises(ValidationError):
        Transformers.Params.model_validate_json(params, strict=True)


def folder_with(folder, **files):
    folder.mkdir()
    for name, text in files.items():
        (folder / name.replace("_", ".", 1)).write_text(text)
    return folder


WEIGHTS = {"config_json": "{}", "model_safetensors": "abc"}


def test_the_same_files_in_another_folder_have_the_same_digest(tmp_path):
    first = folder_with(tmp_path / "first", **WEIGHTS)
    second = folder_with(tmp_path / "second", **WEIGHTS)
    assert folder_digest(first) == folder_digest(second)
    assert folder_digest(first).startswith("sha256:")


@pytest.mark.parametrize(
    "change",
    [{"model_safetensors": "abd"}, {"config_json": "{ }"}, {"tokenizer_json": "{}"}],
    ids=["weights", "settings", "a file more"],
)
def test_any_other_byte_is_another_digest(tmp_path, change):
    first = folder_with(tmp_path / "first", **WEIGHTS)
    second = folder_with(tmp_path / "second", **WEIGHTS | change)
    assert folder_digest(first) != folder_digest(second)


def test_what_a_trainer_leaves_beside_the_weights_does_not_count(tmp_path):
    first = folder_with(tmp_path / "first", **WEIGHTS)
    before = folder_digest(first)
    for name in ("optimizer.pt", "trainer_state.json", "training_args.bin", "README.md"):
        (first / name).write_text("x")
    (first / "global_step100").mkdir()
    assert folder_digest(first) == before


def test_a_byte_that_moves_between_two_files_is_another_digest(tmp_path):
    first = folder_with(tmp_path / "first", a_json="12", b_json="3")
    second = folder_with(tmp_path / "second", a_json="1", b_json="23")
    assert folder_digest(first) != folder_digest(second)
