"""The real verl, a tokenizer made here, and a local Ray."""

import os
import warnings
from pathlib import Path

import numpy as np
import pytest
import ray
import torch
from omegaconf import OmegaConf
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoTokenizer, PreTrainedTokenizerFast
from verl import DataProto

with warnings.catch_warnings():
    # Ray warns of what verl imports from it, and here that would be an error.
    warnings.filterwarnings("ignore", "Ray state API", DeprecationWarning)
    import verl.workers.reward_manager  # noqa: F401

FAKES = Path(__file__).parents[1] / "fakes"
EXAMPLES = Path(__file__).parents[3] / "examples" / "finetuning"


@pytest.fixture(scope="session")
def tokenizer_path(tmp_path_factory):
    """Bytes as tokens: no text is lost, and nothing is fetched."""
    path = tmp_path_factory.mktemp("tokenizer")
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE(vocab={x: n for n, x in enumerate(letters)}, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    ends = {"eos_token": "<|im_end|>", "pad_token": "<|pad|>"}
    PreTrainedTokenizerFast(tokenizer_object=made, **ends).save_pretrained(path)
    return str(path)


@pytest.fixture(scope="session")
def batch(tokenizer_path):
    """Rollouts as verl's generation leaves them: tokens, masks and the columns of their rows."""
    tokenizer = AutoTokenizer.from_pretrained(tokenizer_path)

    def batch(completions, truths, infos=None):
        ids = [[*tokenizer(text).input_ids, tokenizer.eos_token_id] for text in completions]
        longest, asked = max(map(len, ids)), 3
        responses = torch.full((len(ids), longest), tokenizer.pad_token_id)
        mask = torch.zeros(len(ids), asked + longest, dtype=torch.long)
        mask[:, :asked] = 1
        for row, own in enumerate(ids):
            responses[row, : len(own)] = torch.tensor(own)
            mask[row, asked : asked + len(own)] = 1
        prompts = torch.zeros(len(ids), asked, dtype=torch.long)
        tensors = {"prompts": prompts, "responses": responses, "attention_mask": mask}
        rows = {
            "data_source": ["evalsi"] * len(ids),
            "reward_model": [{"ground_truth": truth, "style": "rule"} for truth in truths],
            "extra_info": infos or [{"index": number} for number in range(len(ids))],
            "__num_turns__": [2] * len(ids),
        }
        columns = {name: np.array(values, dtype=object) for name, values in rows.items()}
        return DataProto.from_dict(tensors=tensors, non_tensors=columns)

    return batch


@pytest.fixture(scope="session")
def config(tokenizer_path):
    """verl's settings, as far as its reward loop reads them."""

    def config(path, manager="naive", name="compute_score", **kwargs):
        function = {"path": path, "name": name, "reward_kwargs": kwargs}
        return OmegaConf.create(
            {
                "reward": {
                    "num_workers": 1,
                    "custom_reward_function": function,
                    "reward_manager": {"source": "register", "name": manager},
                    "sandbox_fusion": {"url": None},
                    "reward_model": {"enable": False},
                    "timeout": 60.0,
                    "max_concurrent": 4,
                },
                "trainer": {"experiment_name": "gym"},
                "data": {"max_response_length": 256},
                "actor_rollout_ref": {"model": {"path": tokenizer_path, "tokenizer_path": None}},
            }
        )

    return config


@pytest.fixture(scope="session")
def local_ray():
    """A Ray of this machine, whose workers find the fakes; shut down with the tests."""
    paths = os.pathsep.join(filter(None, [str(FAKES), os.environ.get("PYTHONPATH")]))
    variables = {"PYTHONPATH": paths, "CUDA_VISIBLE_DEVICES": ""}
    ray.init(
        num_cpus=4,
        include_dashboard=False,
        object_store_memory=200 * 1024 * 1024,
        runtime_env={"env_vars": variables},
    )
    yield
    ray.shutdown()


@pytest.fixture
def spec(tmp_path):
    """A spec whose verifier is away for the completion `away`."""
    path = tmp_path / "reward.yaml"

    def spec(**body):
        lines = [f"  {name}: {value}\n" for name, value in body.items()]
        path.write_text(
            "apiVersion: evals.si/v1alpha1\nkind: RewardSpec\nmetadata: {name: gym}\nspec:\n"
            "  components:\n"
            "    - {ref: rows:is-right, name: right}\n"
            "    - {ref: rows:turns, name: turns, weight: 0}\n" + "".join(lines)
        )
        return str(path)

    return spec


@pytest.fixture(scope="session")
def example():
    return lambda name: str(EXAMPLES / name)
