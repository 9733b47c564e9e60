"""Checkpoints of a model that learns sums, served for real: `nox -s serving` and `nox -s vllm`."""

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NEEDS = {
    "test_warm.py": ("torch", "transformers", "uvicorn"),
    "test_learning.py": ("torch", "transformers", "uvicorn", "accelerate"),
    "test_vllm.py": ("torch", "transformers", "vllm"),
    "test_lora.py": ("torch", "transformers", "vllm", "peft"),
}
collect_ignore = [name for name, needs in NEEDS.items() if not all(map(find_spec, needs))]

if len(collect_ignore) < len(NEEDS):
    # So small a model gains nothing by more threads, and spinning ones slow each other down.
    os.environ |= {"HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
    os.environ |= {"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_CPU_NUM_OF_RESERVED_CPU": "0"}


def pytest_collection_modifyitems(items):
    """What the libraries warn of is theirs."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore"))


@pytest.fixture(scope="session")
def learnt(tmp_path_factory):
    """A training run: a base, then checkpoints by what they know; the last one is sabotaged.

    `shares` says, by folder name, which share of the sums the model tells in this process.
    """
    import sums

    out = tmp_path_factory.mktemp("learnt")
    words = sums.tokenizer()
    model, batch = sums.untrained(words), sums.batch_of(sums.lessons(words))
    shares = {}
    for name, until in (("base", 0.4), ("checkpoint-10", 0.6), ("checkpoint-20", 0.9)):
        sums.learn(model, batch, until)
        sums.saved(model, words, out / name)
        shares[name] = sums.told(model, words)
    sums.sabotage(model)
    sums.saved(model, words, out / "checkpoint-30")
    shares["checkpoint-30"] = sums.told(model, words)
    return Learnt(out, shares)


class Learnt:
    def __init__(self, out, shares):
        self.out = out
        self.shares = shares

    def __getitem__(self, name):
        return str(self.out / name)

    def copy(self, name, place):
        """A checkpoint in a folder of its own, to be spoilt."""
        return Path(shutil.copytree(self.out / name, place))
