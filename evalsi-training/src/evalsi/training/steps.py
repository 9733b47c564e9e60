"""Steps of a training run: a number, or the base model that the training began with."""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

from evalsi.core.errors import DataError

__all__ = ["BASE", "Step", "in_order", "parsed_step"]

Step: TypeAlias = int | Literal["base"]

BASE: Final[Literal["base"]] = "base"

_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,17}", re.ASCII)


def parsed_step(text: str) -> Step:
    """The step that a text names.

    Raises:
        DataError: it is neither `base` nor a number from 0.
    """
    if text == BASE:
        return BASE
    if not _NUMBER.fullmatch(text):
        raise DataError(f'"{text}" is no step; give a number from 0, or `base`')
    return int(text)


def in_order(step: Step) -> int:
    """A key that sorts steps as numbers, the base first."""
    return -1 if step == BASE else step
