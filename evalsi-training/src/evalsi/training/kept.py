"""What is known of a training run's best checkpoint: `best.json`, beside the steps."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from evalsi.core.durable import publish
from evalsi.core.errors import DataError
from evalsi.training.steps import Step

__all__ = ["Best", "read_best", "write_best"]

_FORMAT: Final = "evalsi.best/1"


@dataclass(frozen=True, slots=True)
class Best:
    """The best checkpoint of a training run, on the full panel.

    Attributes:
        step: which.
        checkpoint: where its model lay.
        kept: where it is kept; None where it is not, and `note` says why.
        metric: by which it was chosen.
        direction: which way is better.
        confirmed: whether one half of the records chose it, and the other tells its value.
        choosing: `n` and `mean` of the records that chose it: the highest of several, so high.
        confirming: of the records that had no say; None where it is not confirmed.
        change: against the base, on the records that had no say, or where it is not confirmed on
            all of them; None without a base.
        regression: the gates that it passed, as `metric:max_drop`.
        note: what is to be known of it.
    """

    step: Step
    checkpoint: str
    kept: str | None
    metric: str
    direction: str
    confirmed: bool
    choosing: Mapping[str, Any]
    confirming: Mapping[str, Any] | None
    change: Mapping[str, Any] | None
    regression: tuple[str, ...] = ()
    note: str = ""

    @property
    def value(self) -> float:
        """The metric's mean, on the records that had no say where there are such."""
        mean: float = (self.confirming or self.choosing)["mean"]
        return mean


def read_best(folder: Path) -> Best | None:
    """What a training run's folder says of its best; None where it says nothing.

    Raises:
        DataError: it cannot be read.
    """
    path = folder / "best.json"
    try:
        row = json.loads(path.read_text("utf-8"))
        if row.pop("format") != _FORMAT:
            raise ValueError(f"it should say {_FORMAT}")
        del row["value"]
        return Best(**{**row, "regression": tuple(row["regression"])})
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise DataError(f"{path} cannot be read: {error}; remove it to have it anew") from error


def write_best(folder: Path, best: Best) -> None:
    """Replaces it, whole or not at all."""
    row = {"format": _FORMAT, **asdict(best), "value": best.value}
    publish(folder / "best.json", json.dumps(row, indent=1) + "\n")
