"""TRL's reward functions: names, weights, one evaluation a batch, and what never leaves."""

from __future__ import annotations

import asyncio
import logging
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from trl_fakes.evaluators import Says

from evalsi.core import DataError, RewardError, SpecError
from evalsi.rewards import trl
from evalsi.rewards.trl import reward_funcs

SAYS = "trl-fakes:says"
HALF = {"ref": SAYS, "name": "half", "weight": 0.5}


def spec(*components: Any, **body: Any) -> dict[str, Any]:
    return {
        "apiVersion": "evals.si/v1alpha1",
        "kind": "RewardSpec",
        "metadata": {"name": "sums"},
        "spec": {"components": list(components) or [SAYS, HALF], **body},
    }


@pytest.fixture(autouse=True)
def _counts() -> None:
    Says.calls = 0


def numbers(functions: Any, *completions: str) -> list[list[float | None]]:
    """What every function gives for one batch: one list of completions for all, as TRL does."""
    batch = list(completions)
    return [function(prompts=["?"] * len(batch), completions=batch) for function in functions]


def test_the_total_has_weight_1_and_every_component_0() -> None:
    functions, weights = reward_funcs(spec())
    assert [function.__name__ for function in functions] == ["sums", "sums/says", "sums/half"]
    assert weights == [1.0, 0.0, 0.0]


def test_every_function_gives_its_own_numbers() -> None:
    functions, _ = reward_funcs(spec())
    assert numbers(functions, "1", "0.5") == [[1.5, 0.75], [1.0, 0.5], [1.0, 0.5]]


def test_without_a_breakdown_there_is_the_total_alone() -> None:
    functions, weights = reward_funcs(spec(), breakdown=False)
    assert ([function.__name__ for function in functions], weights) == (["sums"], [1.0])
    assert numbers(functions, "1") == [[1.5]]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)], ids=str)
def test_the_batch_is_computed_once_whichever_function_comes_first(order: tuple[int, ...]) -> None:
    functions, _ = reward_funcs(spec())
    numbers([functions[place] for place in order], "1", "0.5")
    assert Says.calls == 2 * 2  # outputs times components


def test_the_next_batch_is_computed_even_if_it_is_equal() -> None:
    functions, _ = reward_funcs(spec())
    assert numbers(functions, "1") == numbers(functions, "1")
    assert Says.calls == 2 * 2


def test_a_component_alone_scores_the_batch_that_the_total_has_not_seen() -> None:
    functions, _ = reward_funcs(spec())
    assert numbers(functions[2:], "0.5") == [[0.5]]


def test_a_list_that_was_changed_is_another_batch() -> None:
    functions, _ = reward_funcs(spec())
    batch = ["1", "1"]
    functions[0](completions=batch)
    batch[1] = "0.5"
    assert functions[1](completions=batch) == [1.0, 0.5]


def test_a_message_that_was_changed_in_its_place_is_another_batch() -> None:
    functions, _ = reward_funcs(spec())
    batch = [[{"role": "assistant", "content": "1"}]]
    functions[0](completions=batch)
    batch[0][0]["content"] = "0.5"
    assert functions[1](completions=batch) == [0.5]


def test_a_column_makes_another_batch() -> None:
    functions, _ = reward_funcs(spec())
    functions[0](completions=["1"], answer=["1"])
    functions[1](completions=["1"], answer=[1])
    assert Says.calls == 2 * 2


def test_an_object_in_a_column_is_known_by_its_identity() -> None:
    functions, _ = reward_funcs(spec())
    image = object()
    functions[0](completions=["1"], image=[image])
    functions[1](completions=["1"], image=[image])
    functions[2](completions=["1"], image=[object()])
    assert Says.calls == 2 * 2


def test_batches_of_many_threads_are_told_apart() -> None:
    functions, _ = reward_funcs(spec())
    with ThreadPoolExecutor(12) as pool:
        calls = [
            [pool.submit(function, completions=[str(n)]) for function in functions]
            for n in range(50)
        ]
        found = [[call.result() for call in batch] for batch in calls]
    assert found == [[[1.5 * n], [float(n)], [float(n)]] for n in range(50)]
    assert Says.calls == 50 * 2


def test_functions_work_from_within_a_running_loop() -> None:
    functions, _ = reward_funcs(spec())

    async def gathered() -> list[list[float | None]]:
        return await asyncio.gather(
            *(asyncio.to_thread(function, completions=["1"]) for function in functions)
        )

    assert asyncio.run(gathered()) == [[1.5], [1.0], [1.0]]
    assert Says.calls == 2


def test_a_row_without_a_total_is_none_in_every_function(caplog: pytest.LogCaptureFixture) -> None:
    flawed = {"ref": "trl-fakes:flaky", "name": "flaky", "weight": 0.0}
    functions, _ = reward_funcs(spec(SAYS, flawed, onError="none"))
    with caplog.at_level(logging.WARNING):
        found = numbers(functions, "1", "2")
    assert found == [[None, 2.0], [None, 2.0], [None, 0.0]]
    assert "1 of 2 rollouts have no total" in caplog.text
    assert "component flaky: no rung is usable" in caplog.text


def test_a_skipped_component_is_none_where_the_total_is_not() -> None:
    functions, _ = reward_funcs(spec(SAYS, "trl-fakes:letters"))
    assert numbers(functions, "skip") == [[1.0], [None], [1.0]]


def test_under_raise_the_first_function_raises_and_the_next_tries_again() -> None:
    functions, _ = reward_funcs(spec())
    for function in functions:
        with pytest.raises(RewardError, match="no rung is usable"):
            function(completions=["away"])
    assert Says.calls == 3 * 2


def test_a_number_that_32_bits_do_not_hold_never_leaves() -> None:
    functions, _ = reward_funcs(spec(SAYS))
    with pytest.raises(DataError, match=r"infinite in TRL's 32 bits; lower the weights"):
        numbers(functions, "1e39")


def test_under_none_such_a_row_has_no_number(caplog: pytest.LogCaptureFixture) -> None:
    functions, _ = reward_funcs(spec(SAYS, onError="none"))
    assert numbers(functions, "1e39", "3.4e38") == [[None, 3.4e38], [None, 3.4e38]]
    assert "rollout 1 has a number that becomes infinite" in caplog.text


def test_a_function_shows_its_name() -> None:
    functions, _ = reward_funcs(spec(SAYS))
    assert repr(functions) == "[<TRL reward 'sums'>, <TRL reward 'sums/says'>]"


def test_functions_pickle_together_and_still_compute_a_batch_once() -> None:
    functions, _ = reward_funcs(spec())
    copies = pickle.loads(pickle.dumps(functions))
    assert [copy.__name__ for copy in copies] == ["sums", "sums/says", "sums/half"]
    assert numbers(copies, "1") == [[1.5], [1.0], [1.0]]
    assert Says.calls == 2


def test_results_that_nobody_takes_do_not_pile_up() -> None:
    functions, _ = reward_funcs(spec())
    for n in range(100):
        functions[0](completions=[str(n)])
    assert len(functions[0]._scoring._once._entries) <= 16


def test_multi_objective_weighs_the_components_and_not_the_total() -> None:
    functions, weights = reward_funcs(spec(), multi_objective=True)
    assert [function.__name__ for function in functions] == ["sums", "sums/says", "sums/half"]
    assert weights == [0.0, 1.0, 0.5]


def test_multi_objective_without_a_breakdown_is_the_components_alone() -> None:
    functions, weights = reward_funcs(spec(), multi_objective=True, breakdown=False)
    assert [function.__name__ for function in functions] == ["sums/says", "sums/half"]
    assert weights == [1.0, 0.5]
    assert numbers(functions, "1") == [[1.0], [1.0]]
    assert Says.calls == 2


def test_multi_objective_refuses_the_rules_of_a_total() -> None:
    gated = {"ref": SAYS, "name": "layout", "gate": True}
    with pytest.raises(SpecError) as caught:
        reward_funcs(spec(gated, SAYS, clip=[0, 1]), multi_objective=True)
    gate, clip = caught.value.issues
    assert "'layout' is a gate" in gate
    assert "`clip`" in clip


def test_an_untested_version_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trl, "installed", lambda _: "7.0.1")
    with pytest.warns(UserWarning, match=r"tested with TRL 1\.9 to 1\.16; this is 7\.0\.1"):
        reward_funcs(spec())
