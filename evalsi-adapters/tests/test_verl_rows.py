"""A row of verl as a record: ground truth, extra_info as parquet holds it, and what verl adds."""

import logging
from types import MappingProxyType

import pytest

from evalsi.core import DataError
from evalsi.core.engine.digest import digest
from evalsi.core.records import record_of
from evalsi.rewards import verl_rows
from evalsi.rewards.verl_rows import rollout_of


def record(ground_truth="42", extra_info=None, field=None):
    row = rollout_of("gsm8k", "is it 42", ground_truth, extra_info, reference_field=field)
    return record_of(row, 1, field)


def test_completion_reference_and_source_are_those_of_the_row():
    found = record()
    assert (found.output, found.reference) == ("is it 42", "42")
    assert found.metadata == {"data_source": "gsm8k"}


def test_the_ground_truth_is_the_reference_whatever_extra_info_is_called():
    found = record(extra_info={"reference": "1", "answer": "2", "label": "3"})
    assert found.reference == "42"
    assert found.metadata["answer"] == "2"


def test_a_referencefield_of_extra_info_is_the_reference():
    assert record(extra_info={"answer": "2"}, field="answer").reference == "2"


def test_a_referencefield_that_a_row_lacks_leaves_the_ground_truth():
    assert record(extra_info={"answer": None}, field="answer").reference == "42"


def test_a_ground_truth_that_is_a_json_object_is_a_row():
    found = record('{"inputs": ["1"], "outputs": ["2"]}')
    assert (found.metadata["inputs"], found.metadata["outputs"]) == (["1"], ["2"])


def test_the_reference_of_such_a_row_does_not_lose_to_extra_info():
    assert record({"answer": "7"}, {"reference": "1", "ground_truth": "2"}).reference == "7"


@pytest.mark.parametrize(
    ("extra_info", "prompt"),
    [
        ({"question": "6*7?"}, "6*7?"),
        ({"prompt": "p", "question": "q"}, "p"),
        ({"input": "i", "question": "q"}, "i"),
        ({"prompt": [{"role": "user", "content": "p"}]}, "p"),
        ({}, ""),
    ],
)
def test_the_prompt_comes_from_extra_info(extra_info, prompt):
    assert record(extra_info=extra_info).input == prompt


def test_the_index_of_a_row_names_it_in_messages():
    assert record(extra_info={"index": 17}).id == "17"


def test_null_fields_are_left_out_so_that_ragged_rows_have_their_own_fields_only():
    assert record(extra_info={"tests": None, "split": "train"}).metadata == {
        "data_source": "gsm8k",
        "split": "train",
    }


def test_nested_rows_lose_their_nulls_and_json_objects_are_read():
    settings = {"a": 1, "b": None, "c": {"d": None}}
    found = record(extra_info={"settings": settings, "limits": '{"n": null}', "note": "{no"})
    assert found.metadata["settings"] == {"a": 1, "c": {}}
    assert found.metadata["limits"] == {"n": None}
    assert found.metadata["note"] == "{no"


@pytest.mark.parametrize("name", ["prompt", "answer", "wanted"])
def test_prompt_and_reference_stay_as_they_are(name):
    found = record(extra_info={name: '{"a": 1}'}, field="wanted")
    assert '{"a": 1}' in {found.input, found.reference, found.metadata.get("answer")}


def test_what_verl_adds_breaks_neither_record_nor_cache_key():
    added = {
        "num_turns": 2,
        "rollout_reward_scores": {"r": object()},
        "tool_extra_fields": object(),
        "reward_router_address": "localhost:1",
        "reward_model_tokenizer": object(),
    }
    found = record(extra_info={"split": "train", **added})
    assert found.metadata == {"split": "train", "num_turns": 2, "data_source": "gsm8k"}
    assert digest(dict(found.metadata)) is not None


def test_a_token_count_of_the_dataset_is_not_that_of_the_completion():
    assert record(extra_info={"completion_tokens": 9, "completion_ids": [1]}).output_tokens is None


def test_what_is_no_plain_data_is_left_out_and_told_once(caplog, monkeypatch):
    monkeypatch.setattr(verl_rows, "_told", set())
    with caplog.at_level(logging.WARNING, "evalsi.rewards"):
        metadata = [record(extra_info={"image": b"png"}).metadata for _ in range(3)]
    assert metadata == [{"data_source": "gsm8k"}] * 3
    assert caplog.messages == ["extra_info.image holds bytes: it is not handed to evaluators"]


def test_a_ground_truth_that_is_no_plain_data_is_an_error():
    with pytest.raises(DataError, match=r"ground_truth.* holds bytes"):
        record(b"42")


def test_extra_info_is_a_mapping_of_any_kind():
    assert record(extra_info=MappingProxyType({"a": 1})).metadata["a"] == 1
    with pytest.raises(DataError, match="extra_info is str"):
        record(extra_info="a")
