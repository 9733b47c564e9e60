"""Runs of TRL's trainers with what the tests look at kept: numbers, advantages, log."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any, TypeVar

from datasets import Dataset
from tiny import model_of, teach, tokenizer_of
from transformers import Trainer
from trl import GRPOConfig, RLOOConfig
from trl.experimental.online_dpo import OnlineDPOConfig

FINETUNING = Path(__file__).parents[3] / "examples" / "finetuning"
CONFIGS = {
    "GRPOTrainer": GRPOConfig,
    "RLOOTrainer": RLOOConfig,
    "OnlineDPOTrainer": OnlineDPOConfig,
}
Lessons = list[tuple[Any, str]]
T = TypeVar("T", bound=Trainer)


class Pupil:
    """A model that has learnt what to say to a prompt, and its tokenizer."""

    def __init__(self, lessons: Lessons, template: str | None = None) -> None:
        texts = [text if isinstance(text, str) else text[0]["content"] for text, _ in lessons]
        self.tokenizer = tokenizer_of([*texts, *(said for _, said in lessons)], template)
        self._model = teach(model_of(self.tokenizer), self.tokenizer, lessons)

    @property
    def model(self) -> Any:
        """The model as it was taught: a copy, for trainers change theirs."""
        return copy.deepcopy(self._model)


def watched(trainer: type[T]) -> type[T]:
    """The trainer, keeping of every batch: completions, every function's rewards, advantages."""

    class Watched(trainer):  # type: ignore[valid-type,misc]
        def _calculate_rewards(
            self, inputs: Any, prompts: Any, completions: Any, *rest: Any
        ) -> Any:
            found = super()._calculate_rewards(inputs, prompts, completions, *rest)
            self.batches = [*getattr(self, "batches", []), {"rewards": found.tolist()}]
            self.batches[-1]["texts"] = [
                said if isinstance(said, str) else said[-1]["content"] for said in completions
            ]
            return found

        def _generate_and_score_completions(self, inputs: Any) -> Any:
            output = super()._generate_and_score_completions(inputs)
            self.batches[-1]["advantages"] = output["advantages"].tolist()
            return output

    Watched.__name__ = trainer.__name__
    return Watched


def trained(
    trainer: type[Any],
    pupil: Pupil,
    functions: list[Any],
    rows: list[dict[str, Any]],
    folder: Path,
    *,
    tools: list[Any] | None = None,
    **settings: Any,
) -> Any:
    """The trainer after its run."""
    chosen = {
        "max_steps": 2,
        "num_generations": 8,
        "per_device_train_batch_size": 8,
        "max_completion_length": 24,
        "learning_rate": 1e-3,
        "logging_steps": 1,
    } | settings
    ran = trainer(
        model=pupil.model,
        reward_funcs=functions,
        args=CONFIGS[trainer.__name__](
            output_dir=str(folder),
            use_cpu=True,
            bf16=False,
            save_strategy="no",
            report_to="none",
            disable_tqdm=True,
            seed=1,
            **{name: value for name, value in chosen.items() if value is not None},
        ),
        train_dataset=Dataset.from_list(rows),
        processing_class=pupil.tokenizer,
        **({"tools": tools} if tools else {}),
    )
    ran.train()
    return ran


def each(ran: Any, what: str) -> list[tuple[str, Any]]:
    """Every rollout of a run that was watched: its text, and its rewards or its advantage."""
    return [pair for batch in ran.batches for pair in zip(batch["texts"], batch[what], strict=True)]


def logged(ran: Any) -> dict[str, float]:
    """The last value of everything that was logged."""
    return {name: value for row in ran.state.log_history for name, value in row.items()}
