"""The learning curve of a Lightning training for real, by a strategy that reads its files."""

import contextlib

import learning
import lightning
import pytest
import sums
import torch
from fitting import saving, trainer_with
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer

from evalsi.training import Transformers


class Sums(lightning.LightningModule):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def training_step(self, batch, number):
        if self.global_step == learning.SABOTAGED - 1:  # the next save is spoilt
            sums.sabotage(self.model)
        return self.model(**batch).loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


class FromLightning:
    """Serves `.ckpt` files of `Sums`: as a folder of transformers, made for as long as needed."""

    def __init__(self, base, folder):
        self.base = base
        self.folder = folder
        self.serving = Transformers()

    @contextlib.contextmanager
    def serve(self, checkpoint, name):
        if not checkpoint.endswith(".ckpt"):
            with self.serving.serve(checkpoint, name) as served:
                yield served
            return
        model = AutoModelForCausalLM.from_pretrained(self.base)
        Sums(model).load_state_dict(torch.load(checkpoint, weights_only=True)["state_dict"])
        folder = sums.saved(model, AutoTokenizer.from_pretrained(self.base), self.folder / name)
        with self.serving.serve(str(folder), name) as served:
            yield served


@pytest.fixture
def begun(tmp_path):
    words = sums.tokenizer()
    model = sums.untrained(words)
    sums.learn(model, sums.batch_of(sums.lessons(words)), 0.5)
    return sums.saved(model, words, tmp_path / "base")


def test_a_sabotaged_checkpoint_is_flagged_and_training_stops_at_the_next_step(tmp_path, begun):
    strategy = FromLightning(begun, tmp_path / "served")
    evaluator = sums.evaluator_of(tmp_path, strategy)
    stopping = {"wait": True, "stop_on_regression": True}
    callback = saving(tmp_path / "out", evaluator, each=learning.SAVE_EACH, **stopping)
    trainer = trainer_with(callback, steps=200)
    rows = sums.lessons(sums.tokenizer())

    evaluator.evaluate_base(str(begun))
    module = Sums(AutoModelForCausalLM.from_pretrained(begun))
    trainer.fit(module, DataLoader(rows, batch_size=len(rows)))
    strategy.serving.close()

    learning.check(evaluator, trainer.global_step)
