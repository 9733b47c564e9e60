"""Wilson's score interval: how sure a share of passes is."""

from __future__ import annotations

import math

from evalsi.core.stats.normal import normal_critical

__all__ = ["wilson_interval"]


def wilson_interval(passes: int, n: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """The interval of the share behind `passes` out of `n`, within [0, 1].

    No pass at all gives (0, something): it never says that nothing can happen.

    Raises:
        ValueError: not 0 <= passes <= n, n is 0, or `confidence` is not between 0 and 1.

    Source: Wilson 1927, Probable inference, the law of succession, and statistical inference.
    """
    if not (0 <= passes <= n and n > 0):
        raise ValueError(f"{passes} passes out of {n}; passes are between 0 and n, and n is not 0")
    z = normal_critical(confidence)
    share, z2n = passes / n, z * z / n
    centre = (share + z2n / 2) / (1 + z2n)
    half = z / (1 + z2n) * math.sqrt(share * (1 - share) / n + z2n / (4 * n))
    low = 0.0 if passes == 0 else max(0.0, centre - half)
    return low, 1.0 if passes == n else min(1.0, centre + half)
