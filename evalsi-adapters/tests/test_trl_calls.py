"""A call of TRL is read strictly: its own keywords, the dataset's columns, and nothing else."""

from __future__ import annotations

import pickle
import sys
import threading
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from evalsi.core import DataError
from evalsi.rewards.trl import reward_funcs

STATE = SimpleNamespace(global_step=1)


def functions(*components: Any, **body: Any) -> list[Any]:
    return reward_funcs({"components": list(components) or ["trl-fakes:says"], **body})[0]


class Trainer:
    """As much of GRPO's trainer as is behind `log_extra`."""

    def __init__(self, columns: list[str] | None = None, num_generations: int = 4) -> None:
        self.train_dataset = SimpleNamespace(column_names=columns)
        self.num_generations = num_generations
        self.num_generations_eval = 1
        self.model = SimpleNamespace(training=True)

    def log_extra(self, column: str, values: list[Any]) -> None: ...

    def says(self) -> dict[str, Any]:
        return {"trainer_state": STATE, "log_extra": self.log_extra, "log_metric": print}


def test_what_trl_passes_is_taken() -> None:
    total, _ = functions()
    own = Trainer(["prompt", "answer"]).says() | {"environments": [object()]}
    assert total(prompts=["?"], completions=["1"], completion_ids=[[7]], **own) == [1.0]


def test_the_tokens_are_counted() -> None:
    total, _ = functions({"ref": "trl-fakes:tokens", "name": "tokens"})
    assert total(completions=["a", "b"], completion_ids=[[1, 2, 3], []]) == [3.0, 0.0]


@pytest.mark.parametrize("name", ["trainer_state", "log_extra", "log_metric", "environments"])
def test_a_column_that_bears_a_name_of_trls_is_refused(name: str) -> None:
    total, _ = functions()
    with pytest.raises(DataError, match=f"column '{name}'.*rename"):
        total(completions=["1"], **{name: ["mine"]})


@pytest.mark.parametrize("name", ["trainer_state", "log_metric", "completion_ids"])
def test_a_column_that_trl_has_overwritten_is_found_in_the_dataset(name: str) -> None:
    total, _ = functions()
    with pytest.raises(DataError, match=f"column '{name}'.*rename"):
        total(completions=["1"], **Trainer(["prompt", name]).says())


@pytest.mark.parametrize("name", ["prompts", "completions"])
def test_a_column_that_trl_passes_twice_is_explained(name: str) -> None:
    total, _ = functions()
    call: Callable[..., Any] = total
    with pytest.raises(TypeError, match="rename a column of the dataset"):
        call(prompts=["?"], completions=["1"], **{name: ["mine"]})


@pytest.mark.parametrize("given", [3, "text", print, {"a": 1}], ids=["int", "str", "call", "dict"])
def test_a_keyword_that_no_tested_version_passes_is_refused(given: object) -> None:
    total, _ = functions()
    with pytest.raises(DataError, match=r"`temperature`.*no tested version"):
        total(completions=["1"], temperature=given)


@pytest.mark.parametrize(
    "columns",
    [
        {"prompts": ["?"]},
        {"prompts": ["?"] * 2, "answer": ["1"]},
        {"prompts": ["?"] * 2, "completion_ids": [[1]] * 3},
    ],
    ids=["prompts", "column", "tokens"],
)
def test_a_column_of_another_length_is_refused(columns: dict[str, Any]) -> None:
    total, _ = functions()
    with pytest.raises(DataError, match="rows for 2 completions"):
        total(completions=["1", "2"], **columns)


def test_no_completions_are_refused() -> None:
    total, _ = functions()
    with pytest.raises(DataError, match="completions"):
        total(prompts=["?"])


def test_a_column_never_takes_the_place_of_the_completions() -> None:
    total, _ = functions()
    with pytest.raises(DataError, match="column 'completion' beside completions; rename it"):
        total(completions=["1"], completion=["2"])


def test_tokens_that_the_dataset_counted_are_not_the_completions() -> None:
    total, _ = functions({"ref": "trl-fakes:tokens", "name": "tokens"})
    assert total(completions=["a"], completion_ids=[[1, 2]], completion_tokens=[9]) == [2.0]


def test_keys_that_arrow_filled_with_null_are_not_there() -> None:
    total, _ = functions({"ref": "trl-fakes:settings", "name": "settings"})
    ragged = [{"x": 1, "y": None, "in": {"z": None}}, {"x": 1, "y": "s", "in": {"z": 2}}]
    assert total(completions=["1", "2"], settings=ragged) == [1.0, 3.0]


def test_settings_may_come_as_json_text() -> None:
    total, _ = functions({"ref": "trl-fakes:settings", "name": "settings"})
    assert total(completions=["1", "2"], settings=['{"x": 1}', '{"y": null, "z": 2}']) == [1.0, 2.0]


def test_a_reference_that_looks_like_json_stays_the_text_that_it_is() -> None:
    total, _ = functions({"ref": "trl-fakes:reference", "name": "reference"})
    assert total(completions=["1"], answer=['{"x": 1}']) == [8.0]


def test_a_trainer_that_reads_none_as_0_gets_an_error() -> None:
    total, _ = functions(onError="none")
    with pytest.raises(DataError, match="would train on 0"):
        total(completions=["1", "away"], trainer_state=STATE)


def test_a_group_that_is_whole_is_ranked() -> None:
    total, _ = functions({"ref": "trl-fakes:group-size", "name": "size"})
    asked = ["a"] * 4 + ["b"] * 4
    assert total(prompts=asked, completions=["1"] * 8, **Trainer().says()) == [4.0] * 8


def test_a_group_that_is_split_over_ranks_is_refused() -> None:
    total, _ = functions({"ref": "trl-fakes:group-size", "name": "size"})
    with pytest.raises(DataError, match=r"holds 2 rollouts in groups of 4.*multiple of"):
        total(prompts=["a"] * 2, completions=["1"] * 2, **Trainer().says())


def test_an_evaluation_has_groups_of_its_own_size() -> None:
    total, _ = functions({"ref": "trl-fakes:group-size", "name": "size"})
    trainer = Trainer()
    trainer.model.training = False
    assert total(prompts=["a"] * 2, completions=["1"] * 2, **trainer.says()) == [2.0] * 2


def test_where_nothing_says_that_groups_are_whole_many_ranks_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    total, _ = functions({"ref": "trl-fakes:group-size", "name": "size"})
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(DataError, match="one process"):
        total(prompts=["a"] * 2, completions=["1"] * 2, trainer_state=STATE)


@pytest.fixture
def async_grpo(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Calls as AsyncGRPO's scoring process does: from a thread, without a state."""
    name = "trl.experimental.async_grpo.async_rollout_worker"
    monkeypatch.setitem(sys.modules, name, ModuleType(name))

    def call(function: Any, **columns: Any) -> Any:
        answers: list[Any] = []
        thread = threading.Thread(target=lambda: answers.append(tried(function, columns)))
        thread.start()
        thread.join()
        return answers[0]

    return call


def tried(function: Any, columns: dict[str, Any]) -> Any:
    try:
        return function(**columns)
    except DataError as error:
        return error


def test_async_grpo_which_knows_no_weights_gets_the_total_alone(
    async_grpo: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    both = pickle.loads(pickle.dumps(functions()))
    found = [async_grpo(function, completions=["1", "2"]) for function in both * 2]
    assert found == [[1.0, 2.0], [None, None]] * 2
    assert caplog.messages == ["AsyncGRPO adds up every function: reward/says gives None there"]


def test_async_grpo_refuses_weights(async_grpo: Callable[..., Any]) -> None:
    components = [{"ref": "trl-fakes:says", "weight": 0.5}]
    (_, half), _ = reward_funcs({"components": components}, multi_objective=True)
    assert "AsyncGRPO has no reward weights" in str(async_grpo(half, completions=["1"]))
