"""Names of metrics of the mini panel: those of the full panel with `@mini` behind."""

from __future__ import annotations

from typing import Final

__all__ = ["full_name", "is_mini", "mini_name"]

_MINI: Final = "@mini"


def mini_name(metric: str) -> str:
    """What a metric is called on the mini panel: `math-equiv.pass@8@mini`."""
    return metric + _MINI


def is_mini(metric: str) -> bool:
    """Whether it is a metric of the mini panel."""
    return metric.endswith(_MINI)


def full_name(metric: str) -> str:
    """What the metric is called on the full panel."""
    return metric.removesuffix(_MINI)
