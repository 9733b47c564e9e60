"""OpenRLHF's executor with a tokenizer made here, and an engine that generates what a test says."""

import asyncio
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

sys.path.insert(0, str(Path(__file__).parent))
import openrlhf_parts

openrlhf_parts.load()

from openrlhf.trainer.ppo_utils.samples_generator import SamplesGenerator  # noqa: E402
from openrlhf.utils.agent import SingleTurnAgentExecutor  # noqa: E402

from evalsi.rewards import openrlhf  # noqa: E402

EXAMPLES = Path(__file__).parents[3] / "examples" / "finetuning"


class Generates:
    """As vLLM's engine: the tokens of a response, the end of its turn among them."""

    def __init__(self, tokenizer, text):
        self._ids = [*tokenizer(text).input_ids, tokenizer.eos_token_id]

    async def generate(self, prompt_ids, params, **_):
        output = SimpleNamespace(token_ids=self._ids, finish_reason="stop", logprobs=None)
        return SimpleNamespace(outputs=[output])


@pytest.fixture(scope="session")
def tokenizer():
    """Bytes as tokens, and special ones for the ends of turns, as chat models have them."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE(vocab={x: n for n, x in enumerate(letters)}, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    named = {"bos_token": "<|begin|>", "eos_token": "<|im_end|>", "pad_token": "<|pad|>"}
    return PreTrainedTokenizerFast(
        tokenizer_object=made, additional_special_tokens=["<|im_start|>"], **named
    )


@pytest.fixture
def experiences(tokenizer):
    """Responses through the executor and into experiences, all at once, as a rollout does it."""

    def experiences(responses, labels, *, url=openrlhf.__file__, prompt="<|im_start|>Q: "):
        executor = SingleTurnAgentExecutor([url])
        params = SimpleNamespace(max_tokens=None, logprobs=None)
        generator = SamplesGenerator.__new__(SamplesGenerator)

        async def all_at_once():
            return await asyncio.gather(
                *(
                    executor.execute(
                        prompt, label, params, 4096, tokenizer, Generates(tokenizer, text)
                    )
                    for text, label in zip(responses, labels, strict=True)
                )
            )

        made = generator._process_response_into_experience
        return [made(done, max_len=4096) for done in asyncio.run(all_at_once())]

    return experiences


@pytest.fixture
def spec(tmp_path, monkeypatch):
    """A spec whose verifier is away for the response `away`, in the workers' environment."""
    path = tmp_path / "reward.yaml"
    path.write_text(
        "apiVersion: evals.si/v1alpha1\nkind: RewardSpec\nmetadata: {name: gym}\n"
        "spec:\n  components:\n    - {ref: rows:is-right, name: right}\n"
        "    - {ref: rows:turns, name: turns, weight: 0}\n"
    )
    monkeypatch.setenv("EVALSI_REWARD_SPEC", str(path))
    return path


@pytest.fixture
def example(monkeypatch):
    def example(name):
        monkeypatch.setenv("EVALSI_REWARD_SPEC", str(EXAMPLES / name))
        return EXAMPLES / name

    return example
