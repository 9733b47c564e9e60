"""What was found in a text: the answer and where it stood, or why there is none."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Extracted"]


class Extracted(NamedTuple):
    """The final answer of a text.

    Attributes:
        answer: the answer as written; None when there is none.
        source: where it stood: `box`, `tag`, `marker`, `phrase`, `choice`, `whole`, `math`,
            `number`; empty when nothing was found.
        reason: why there is no answer: `no-answer`, `unclosed-think`, `unclosed-box`,
            `empty-box`, `empty-answer`, `hedged`, `negated`; empty when there is one.
    """

    answer: str | None
    source: str
    reason: str
