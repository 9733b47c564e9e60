"""pass@k and pass^k of one record from n trials, without bias.

A share of passes raised to a power is biased: 3 of 8 trials say nothing about four passes in a
row but 0, where (3/8)^4 is 0.02. Fewer trials than k leave both undefined; they are never 1.0.
"""

from __future__ import annotations

import math

__all__ = ["pass_at_k", "pass_hat_k"]


def pass_at_k(n: int, passes: int, k: int) -> float | None:
    """The chance that at least one of k trials passes, in [0, 1]; None for n < k.

    Raises:
        ValueError: not 0 <= passes <= n, or k is under 1.

    Source: Chen et al. 2021, Evaluating large language models trained on code, equation 1.
    """
    _check(n, passes, k)
    return None if n < k else 1 - math.comb(n - passes, k) / math.comb(n, k)


def pass_hat_k(n: int, passes: int, k: int) -> float | None:
    """The chance that k trials all pass (pass^k), in [0, 1]; None for n < k.

    Raises:
        ValueError: not 0 <= passes <= n, or k is under 1.

    Source: Yao et al. 2024, tau-bench, arXiv 2406.12045.
    """
    _check(n, passes, k)
    return None if n < k else math.comb(passes, k) / math.comb(n, k)


def _check(n: int, passes: int, k: int) -> None:
    if not 0 <= passes <= n:
        raise ValueError(f"{passes} passes of {n} trials: passes are between 0 and n")
    if k < 1:
        raise ValueError(f"k is {k}; it is 1 or more")
