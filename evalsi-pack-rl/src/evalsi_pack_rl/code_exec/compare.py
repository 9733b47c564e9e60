"""Whether what a program printed is what was expected; compared here, outside the jail."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from evalsi_pack_rl.code_exec.params import CodeExecTestsParams

__all__ = ["same_output"]

_INTEGER: Final = re.compile(rb"[+-]?\d+")
_LONGEST_NUMBER: Final = 400


def same_output(got: bytes, expected: bytes, params: CodeExecTestsParams) -> bool:
    """Whether two outputs are the same under the params' rule."""
    if params.compare == "exact":
        return got == expected
    left, right = _lines(got), _lines(expected)
    if params.compare == "tokens":
        left, right = [b" ".join(left)], [b" ".join(right)]
    elif params.float_tolerance is None:
        return left == right
    return len(left) == len(right) and all(
        _same_words(one.split(), other.split(), params.float_tolerance)
        for one, other in zip(left, right, strict=True)
    )


def _lines(output: bytes) -> list[bytes]:
    lines = [line.rstrip() for line in output.replace(b"\r\n", b"\n").split(b"\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _same_words(got: list[bytes], expected: list[bytes], tolerance: float | None) -> bool:
    if tolerance is None or got == expected:
        return got == expected
    return len(got) == len(expected) and all(
        one == other or _close(one, other, tolerance)
        for one, other in zip(got, expected, strict=True)
    )


def _close(got: bytes, expected: bytes, tolerance: float) -> bool:
    """Whether two numbers differ by so little; never for integers, NaN and infinities."""
    if _INTEGER.fullmatch(expected) or max(len(got), len(expected)) > _LONGEST_NUMBER:
        return False
    try:
        one, other = float(got), float(expected)
    except ValueError:
        return False
    if not (math.isfinite(one) and math.isfinite(other)):
        return False
    return abs(one - other) <= tolerance * max(1.0, abs(other))
