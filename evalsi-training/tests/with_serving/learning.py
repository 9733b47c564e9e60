"""A model learns sums in transformers' trainer, is evaluated at every save, and is stopped.

Run by torchrun, it has two ranks: `learning.py BASE FOLDER`.
"""

import os
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1] / "fakes"))

import sums
from transformers import Trainer, TrainerCallback, TrainingArguments

from evalsi.training.callback import evalsi_callback

SAVE_EACH, SABOTAGED = 20, 40


class Sabotage(TrainerCallback):
    """Spoils the model just before one of its saves."""

    def on_step_end(self, args, state, control, *, model, **_):
        if state.global_step == SABOTAGED:
            sums.sabotage(model)


def train(model, words, evaluator, folder):
    """Trains until a regression is found; gives the step at which that ended."""
    rows = sums.lessons(words)
    arguments = TrainingArguments(
        output_dir=str(folder),
        max_steps=200,
        save_steps=SAVE_EACH,
        per_device_train_batch_size=len(rows) // int(os.environ.get("WORLD_SIZE", "1")),
        learning_rate=1e-3,
        lr_scheduler_type="constant",
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
        logging_strategy="no",
    )
    stopping = evalsi_callback(evaluator, stop_on_regression=True, wait=True)
    trainer = Trainer(
        model,
        arguments,
        train_dataset=rows,
        processing_class=words,
        callbacks=[Sabotage(), stopping],
    )
    trainer.train()
    return trainer.state.global_step


def check(evaluator, ended):
    """The curve: a base, a step that is better, and one that is flagged and ended the training."""
    begun, better, spoilt = evaluator.history()
    assert ended == SABOTAGED + 1
    assert [begun.step, better.step, spoilt.step] == ["base", SAVE_EACH, SABOTAGED]
    assert 0.3 < begun.summaries["right"]["mean"] < 0.7
    change = better.comparisons["right"]
    assert change.diff > 0
    assert (change.significant, better.passed) == (True, True)
    assert (spoilt.status, spoilt.comparisons["right"].significant) == ("regressed", True)
    assert spoilt.summaries["right"]["mean"] < 0.1


if __name__ == "__main__":
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from evalsi.training import Transformers

    base, folder = sys.argv[1], Path(sys.argv[2])
    evaluator = sums.evaluator_of(folder, Transformers())
    words = AutoTokenizer.from_pretrained(base)
    model = AutoModelForCausalLM.from_pretrained(base)
    ended = train(model, words, evaluator, folder / "out")
    print(f"rank {os.environ['RANK']}: {ended}", flush=True)
