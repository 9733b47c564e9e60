"""A training of a few steps that saves every other one; run by torchrun, it has two ranks."""

import os
import sys
from pathlib import Path

import torch
from transformers import PretrainedConfig, PreTrainedModel, Trainer, TrainingArguments

from evalsi.training.callback import evalsi_callback


class Model(PreTrainedModel):
    config_class = PretrainedConfig

    def __init__(self):
        super().__init__(PretrainedConfig())
        self.layer = torch.nn.Linear(1, 1)
        self.post_init()

    def forward(self, x):
        return {"loss": self.layer(x).pow(2).mean()}


def trained(folder, callback, *, steps, **options):
    """The state of the trainer when it has ended."""
    arguments = TrainingArguments(
        output_dir=str(folder),
        max_steps=steps,
        save_steps=2,
        per_device_train_batch_size=1,
        use_cpu=True,
        disable_tqdm=True,
        **{"report_to": [], "logging_strategy": "no", **options},
    )
    data = [{"x": torch.ones(1)}] * 8
    trainer = Trainer(Model(), arguments, train_dataset=data, callbacks=[callback])
    trainer.train()
    return trainer.state


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1] / "fakes"))
    from noting import Noting

    evaluator = Noting(falls={int(step) for step in sys.argv[2:] if step})
    callback = evalsi_callback(evaluator, stop_on_regression=True, wait=True)
    state = trained(sys.argv[1], callback, steps=6)
    rank, steps = os.environ["RANK"], [step for step, *_ in evaluator.seen]
    print(f"rank {rank}: {steps} of {state.global_step}", flush=True)
