"""Integers as products of primes, as far as small divisors reach."""

from __future__ import annotations

from functools import lru_cache
from math import isqrt
from typing import Final

__all__ = ["factors_of", "is_factored"]

_LIMIT: Final = 1000
_SMALL: Final = tuple(
    number
    for number in range(2, _LIMIT)
    if all(number % part for part in range(2, isqrt(number) + 1))
)


@lru_cache(maxsize=4096)
def factors_of(number: int) -> tuple[tuple[int, int], ...]:
    """Bases with their exponents whose product is the number, which must be positive.

    The bases are primes below 1,000 and at most one further number without such divisors, which
    is a prime when it is below 1,000,000; of a perfect power it is the root.
    """
    found = []
    for prime in _SMALL:
        if prime * prime > number:
            break
        if number % prime == 0:
            exponent = 0
            while number % prime == 0:
                number //= prime
                exponent += 1
            found.append((prime, exponent))
    if number > 1:
        found.append(_root(number))
    return tuple(found)


def is_factored(base: int) -> bool:
    """Whether a base of `factors_of` is known to be a prime."""
    return base < _LIMIT * _LIMIT


def _root(number: int) -> tuple[int, int]:
    if number < _LIMIT * _LIMIT:
        return number, 1
    root = isqrt(number)
    if root * root == number:
        base, exponent = _root(root)
        return base, 2 * exponent
    return number, 1
