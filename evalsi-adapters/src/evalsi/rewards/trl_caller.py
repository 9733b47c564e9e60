"""What TRL says of itself beside the dataset's columns, and what follows from it.

No version passes its name. What tells the trainers apart is which keywords they pass, from where,
and the trainer behind `log_extra`, a bound method in GRPO and RLOO.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from evalsi.core.errors import DataError

__all__ = ["KEYWORDS", "Caller"]

KEYWORDS: Final = ("trainer_state", "log_extra", "log_metric", "environments")
"""What TRL passes beside prompts, completions, their tokens and the dataset's columns."""

_OWN: Final = frozenset({"prompts", "completions", "completion_ids", *KEYWORDS})
_DATA: Final = (str, bytes, int, float, list, tuple, Mapping)
_ASYNC_GRPO: Final = "trl.experimental.async_grpo.async_rollout_worker"


@dataclass(frozen=True, slots=True)
class Caller:
    """The keywords that are TRL's own.

    Raises:
        DataError: one of them holds data, so that it is a column of the dataset.
    """

    trainer_state: object = None
    log_extra: object = None
    log_metric: object = None
    environments: object = None

    def __post_init__(self) -> None:
        for name in ("trainer_state", "log_extra", "log_metric"):
            if isinstance(getattr(self, name), _DATA):
                raise _taken(name)
        tools = self.environments
        each = tools if isinstance(tools, list) else [tools]
        if any(isinstance(one, _DATA) for one in each):
            raise _taken("environments")

    @property
    def adds_unweighted(self) -> bool:
        """Whether this is AsyncGRPO, which adds up all functions whatever their weights.

        Its scoring process calls from threads of its event loop, and passes no state.
        """
        away = threading.current_thread() is not threading.main_thread()
        return self.trainer_state is None and away and _ASYNC_GRPO in sys.modules

    @property
    def reads_none_as_zero(self) -> bool:
        """Whether this is Online DPO or SDPO: they pass a state and no `log_extra`."""
        return self.trainer_state is not None and self.log_extra is None

    def refuse_columns(self) -> None:
        """Finds columns that TRL dropped or overwrote before the call.

        Raises:
            DataError: the trainer's dataset has a column with a name of TRL's own.
        """
        for kind in ("train_dataset", "eval_dataset"):
            dataset = getattr(self._trainer, kind, None)
            for name in getattr(dataset, "column_names", None) or ():
                if name in _OWN:
                    raise _taken(name)

    def refuse_split_groups(self, rows: int) -> None:
        """Sees to it that all rollouts of a prompt are among these rows.

        Every rank scores its own slice of a batch, so that a group may lie on two of them.

        Raises:
            DataError: a group is split, or nothing says that none is.
        """
        size = self._group_size()
        if size is not None and rows % size:
            raise DataError(
                f"{_TOGETHER}, and this process holds {rows} rollouts in groups of {size}: make "
                f"per_device_train_batch_size (times steps_per_generation) a multiple of "
                f"num_generations, or take the component out"
            )
        if size is None and int(os.environ.get("WORLD_SIZE", "1")) > 1:
            raise DataError(
                f"{_TOGETHER}, and this trainer does not say whether one process holds them all: "
                f"train in one process, or take the component out"
            )

    def _group_size(self) -> int | None:
        model = getattr(self._trainer, "model", None)
        mode = "" if getattr(model, "training", True) else "_eval"
        size = getattr(self._trainer, f"num_generations{mode}", None)
        return size if isinstance(size, int) else None

    @property
    def _trainer(self) -> object:
        return getattr(self.log_extra, "__self__", None)


_TOGETHER: Final = "a component scores all rollouts of a prompt together"


def _taken(name: str) -> DataError:
    return DataError(
        f"the dataset has a column {name!r}, a name that TRL uses itself: it drops or overwrites "
        f"such a column without a word; rename it"
    )
