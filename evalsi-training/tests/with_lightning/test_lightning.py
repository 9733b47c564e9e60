"""Files that Lightning's own ModelCheckpoint saved, evaluated to the end."""

import lightning
import pytest
import torch
from noting import Noting
from torch.utils.data import DataLoader, TensorDataset

from evalsi.core import SpecError
from evalsi.training import lightning_checkpoint_callback


class Line(lightning.LightningModule):
    def __init__(self, fails_at=None):
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)
        self.fails_at = fails_at

    def training_step(self, batch, number):
        if self.global_step == self.fails_at:
            raise RuntimeError("training broke")
        (x,) = batch
        return self.layer(x).pow(2).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)


def fit(tmp_path, evaluator, *, steps=6, module=None, **options):
    callback = lightning_checkpoint_callback(
        evaluator,
        dirpath=tmp_path,
        every_n_train_steps=2,
        save_on_train_epoch_end=False,
        **options,
    )
    trainer = lightning.Trainer(
        max_steps=steps,
        accelerator="cpu",
        devices=1,
        callbacks=[callback],
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    data = DataLoader(TensorDataset(torch.ones(4, 1)), batch_size=1)
    trainer.fit(module or Line(), data)
    return trainer, callback


def step_in(path):
    return torch.load(path, weights_only=False)["global_step"]


def test_every_save_is_evaluated_after_it_is_there(tmp_path):
    evaluator = Noting(step_in)

    _, callback = fit(tmp_path, evaluator)

    assert [(step, told) for step, _, told in evaluator.seen] == [(2, 2), (4, 4), (6, 6)]
    assert [result.step for result in callback.runner.results] == [2, 4, 6]
    assert len(list(tmp_path.glob("*.ckpt"))) == 3


def test_all_have_ended_when_training_breaks(tmp_path):
    evaluator = Noting(step_in)

    with pytest.raises(RuntimeError, match="training broke"):
        fit(tmp_path, evaluator, module=Line(fails_at=4))

    assert [step for step, _, _ in evaluator.seen] == [2, 4]


def test_a_regression_stops_the_training_at_the_next_step(tmp_path):
    trainer, _ = fit(tmp_path, Noting(falls={4}), steps=20, wait=True, stop_on_regression=True)

    assert trainer.global_step in (4, 5)


@pytest.mark.parametrize("options", [{"save_top_k": 3}, {"save_last": True}])
def test_retention_that_would_delete_what_waits_is_refused(options):
    with pytest.raises(SpecError, match="leave save_top_k and save_last"):
        lightning_checkpoint_callback(Noting(), **options)
