"""A Lightning training that saves every other step; run by torchrun, it has two ranks."""

import argparse
import os
import sys
import time
from pathlib import Path

import lightning
import torch
from torch.utils.data import DataLoader, TensorDataset

from evalsi.training import lightning_checkpoint_callback


class Line(lightning.LightningModule):
    """Does `do` within the step that follows `at`."""

    def __init__(self, at=None, do=lambda module: None):
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)
        self.at = at
        self.do = do

    def training_step(self, batch, number):
        if self.global_step == self.at:
            self.do(self)
        (x,) = batch
        return self.layer(x).pow(2).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)


def breaks(module):
    raise RuntimeError("training broke")


def fit(folder, evaluator, *, steps=6, module=None, devices=1, **options):
    callback = saving(folder, evaluator, each=2, **options)
    trainer = trainer_with(callback, steps=steps, devices=devices)
    data = DataLoader(TensorDataset(torch.ones(8, 1)), batch_size=1)
    trainer.fit(module or Line(), data)
    return trainer, callback


def saving(folder, evaluator, *, each, **options):
    """The callback, that saves each so many steps."""
    return lightning_checkpoint_callback(
        evaluator,
        dirpath=folder,
        every_n_train_steps=each,
        save_on_train_epoch_end=False,
        **options,
    )


def trainer_with(callback, *, steps, devices=1, logger=False):
    """A trainer that is quiet."""
    return lightning.Trainer(
        max_steps=steps,
        accelerator="cpu",
        devices=devices,
        callbacks=[callback],
        logger=logger,
        enable_progress_bar=False,
        enable_model_summary=False,
    )


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1] / "fakes"))
    from noting import Noting

    words = argparse.ArgumentParser()
    words.add_argument("folder")
    words.add_argument("--slow", action="store_true")
    words.add_argument("--falls", type=int)
    words.add_argument("--fails-at", type=int)
    told = words.parse_args()
    evaluator = Noting(lambda _: time.sleep(0.5 * told.slow), falls={told.falls})
    module = Line(told.fails_at, breaks)
    stopping = {"wait": True, "stop_on_regression": True} if told.falls else {}
    try:
        fit(told.folder, evaluator, module=module, devices=2, **stopping)
    finally:
        steps = [step for step, *_ in evaluator.seen]
        print(f"rank {os.environ['RANK']}: {steps} of {module.global_step}", flush=True)
