"""What a case is: a pair of input and output, a call, or Python that asserts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from evalsi.core.results import JSON

__all__ = ["AssertCase", "CallCase", "Case", "PairCase"]


@dataclass(frozen=True, slots=True)
class PairCase:
    """Bytes for standard input, and the bytes that standard output should hold."""

    stdin: bytes
    expected: bytes


@dataclass(frozen=True, slots=True)
class CallCase:
    """A call of a function of the program, or of a method of its class `Solution`.

    Attributes:
        name: the function's.
        arguments: plain data, by position.
        expected: the value that it should return.
        wrapped: whether `expected` may stand in a list of one that the data put around it.
    """

    name: str
    arguments: list[JSON]
    expected: JSON
    wrapped: bool = False


@dataclass(frozen=True, slots=True)
class AssertCase:
    """Python that runs after the program and raises when the program is wrong.

    Attributes:
        prelude: Python that both the program and the test may use.
        test: Python text.
        style: `script` when its `unittest` classes and `test…` functions run too.
        entry: the name that `check` is called with; it is the program's.
    """

    prelude: str
    test: str
    style: Literal["statements", "script"] = "statements"
    entry: str = ""


Case: TypeAlias = PairCase | CallCase | AssertCase
