"""The connector `transformers` with a real model: each request on its own, whoever is beside it."""

from __future__ import annotations

import asyncio
import collections
import gc
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from asking import asked, what
from lessons import answer_to, rows_of

from evalsi.core.chat import Request
from evalsi.core.connectors.transformers.connector import Transformers
from evalsi.core.connectors.transformers.params import Settled

LONG = "Tell me a long story. " * 12


@pytest.mark.parametrize(
    "sampling", [{}, {"temperature": 1.2, "seed": 3}], ids=["greedy", "sampled"]
)
def test_a_batch_gives_each_what_it_gets_alone(
    settled: Callable[..., Settled], problems: Path, sampling: dict[str, Any]
) -> None:
    texts = [row["question"] for row in rows_of(problems)[::12]] + ["Hi.", LONG]
    requests = [Request(text, id=str(number)) for number, text in enumerate(texts)]
    together = asked(settled(**sampling), *requests)
    alone = asked(settled(batch_size=1, **sampling), *requests)
    assert list(map(what, together)) == list(map(what, alone))


def test_a_known_problem_is_answered_with_its_reason_and_tokens(
    settled: Callable[..., Settled], problems: Path
) -> None:
    problem = rows_of(problems)[0]
    (whole,) = asked(settled(max_tokens=64), problem["question"])
    assert (whole.text, whole.finish) == (answer_to(problem), "stop")
    (exact,) = asked(settled(max_tokens=whole.output_tokens), problem["question"])
    assert what(exact) == what(whole)
    (short,) = asked(settled(max_tokens=whole.output_tokens - 1), problem["question"])
    assert (short.text, short.finish) == (answer_to(problem), "length")
    (cut,) = asked(settled(max_tokens=3), problem["question"])
    assert (cut.finish, cut.output_tokens, cut.truncated) == ("length", 3, True)
    assert 0 < whole.seconds < 30


@pytest.mark.parametrize(
    ("stop", "text"),
    [(["{"], "The answer is \\boxed"), (["is \\b", "wer"], "The ans"), (["T"], "")],
)
def test_a_stop_text_ends_an_output_also_an_empty_one(
    settled: Callable[..., Settled], problems: Path, stop: list[str], text: str
) -> None:
    (output,) = asked(settled(stop=stop), rows_of(problems)[0]["question"])
    assert (output.text, output.finish) == (text, "stop")
    assert 0 < output.output_tokens < 16


def test_every_record_and_trial_has_samples_of_its_own(settled: Callable[..., Settled]) -> None:
    params = settled(temperature=1.5, seed=1)
    requests = [Request("Go on.", sample=s, id=i) for s in range(3) for i in ("a", "b")]
    first, again = asked(params, *requests), asked(params, *requests)
    assert list(map(what, first)) == list(map(what, again))
    assert len({output.text for output in first}) == len(requests)
    other = asked(settled(temperature=1.5, seed=2), *requests)
    assert list(map(what, first)) != list(map(what, other))
    free = (
        asked(settled(temperature=1.5), requests[0]),
        asked(settled(temperature=1.5), requests[0]),
    )
    assert what(free[0][0]) != what(free[1][0])


def test_samples_are_drawn_with_the_models_own_chances(
    settled: Callable[..., Settled], model: Path
) -> None:
    """2000 first tokens at temperature 2 against the softmax, by chi-square."""
    params = settled(temperature=2.0, seed=5, max_tokens=1, batch_size=500, api="completions")
    found = asked(params, *(Request("How many", sample=sample) for sample in range(2000)))
    chances, texts = _first_token(model, "How many", 2.0)
    counts = collections.Counter(output.text for output in found)
    expected: collections.Counter[str] = collections.Counter()
    for chance, text in zip(chances, texts, strict=True):
        expected[text] += 2000 * chance
    likely = [text for text, mean in expected.items() if mean >= 10]
    rest = sum(mean for text, mean in expected.items() if text not in likely)
    off = sum((counts[text] - expected[text]) ** 2 / expected[text] for text in likely)
    left = 2000 - sum(counts[text] for text in likely)
    off += (left - rest) ** 2 / rest
    assert len(likely) > 5
    assert off < len(likely) + 4 * (2 * len(likely)) ** 0.5  # four deviations above its mean


def _first_token(model: Path, text: str, temperature: float) -> tuple[list[float], list[str]]:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model)
    with torch.inference_mode():
        ids = tokenizer(text, return_tensors="pt").input_ids
        scores = AutoModelForCausalLM.from_pretrained(model)(ids).logits[0, -1]
    texts = [tokenizer.decode([token], skip_special_tokens=True) for token in range(len(scores))]
    return (scores / temperature).softmax(-1).tolist(), texts


def test_a_small_share_of_probability_is_greedy_at_any_temperature(
    settled: Callable[..., Settled], problems: Path
) -> None:
    problem = rows_of(problems)[0]
    (output,) = asked(settled(temperature=5.0, top_p=0.001, seed=1), problem["question"])
    assert output.text == answer_to(problem)


def test_an_output_without_a_limit_ends_with_the_context_in_any_company(
    settled: Callable[..., Settled], endless: Path
) -> None:
    params = settled(model=str(endless), max_tokens=None, api="completions")
    texts = ["0" * count for count in (900, 960, 1000)]  # a token each
    outputs = asked(params, *texts)
    assert {output.finish for output in outputs} == {"length"}
    assert {output.input_tokens + output.output_tokens for output in outputs} == {1024}
    alone = asked(params.model_copy(update={"batch_size": 1}), *texts)
    assert list(map(what, outputs)) == list(map(what, alone))


def test_the_event_loop_runs_while_the_model_does(
    settled: Callable[..., Settled], endless: Path
) -> None:
    async def main() -> tuple[float, int]:
        connector = Transformers(settled(model=str(endless), max_tokens=100))
        await connector.generate(Request("Hi."))  # loads it
        asking = asyncio.create_task(connector.generate(Request(LONG)))
        longest, turns = 0.0, 0
        while not asking.done():
            begun = time.monotonic()
            await asyncio.sleep(0.001)
            longest, turns = max(longest, time.monotonic() - begun), turns + 1
        await connector.aclose()
        return longest, turns

    longest, turns = asyncio.run(main())
    assert turns > 20
    assert longest < 0.5


def test_a_request_that_nobody_waits_for_ends_at_its_next_token(
    settled: Callable[..., Settled], endless: Path
) -> None:
    async def main() -> tuple[float, float]:
        connector = Transformers(settled(model=str(endless), max_tokens=900))
        whole = await connector.generate(Request("Hi."))
        asking = asyncio.create_task(connector.generate(Request("Hi.")))
        await asyncio.sleep(0.1)
        asking.cancel()
        begun = time.monotonic()
        await connector.aclose()
        return time.monotonic() - begun, whole.seconds

    ended_s, whole_s = asyncio.run(main())
    assert ended_s < whole_s / 2


def test_closing_frees_the_weights(settled: Callable[..., Settled]) -> None:
    async def main() -> weakref.ref[Any]:
        connector = Transformers(settled())
        await connector.generate(Request("Hi."))
        assert connector._model._loaded is not None
        held = weakref.ref(connector._model._loaded._model)
        await connector.aclose()
        return held

    held = asyncio.run(main())
    gc.collect()
    assert held() is None


def test_messages_and_a_system_message_go_through_the_template(
    settled: Callable[..., Settled], problems: Path
) -> None:
    problem = rows_of(problems)[0]
    messages = [{"role": "user", "content": problem["question"]}]
    params = settled()
    text, chat = asked(params, problem["question"], Request("other", messages))
    assert what(text) == what(chat)
    (led,) = asked(params.model_copy(update={"system": "Be brief."}), problem["question"])
    assert led.input_tokens > text.input_tokens
