"""What a judge is asked to look at: built-in criteria, each about one thing only."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias

__all__ = ["RUBRICS", "Rubric", "RubricName", "Shown"]

Shown: TypeAlias = Literal["hidden", "shown", "required"]
"""Whether a judge sees the reference: never, where there is one, or always."""

RubricName: TypeAlias = Literal[
    "correctness",
    "faithfulness",
    "helpfulness",
    "instruction-following",
    "coherence",
    "conciseness",
]


class Rubric(NamedTuple):
    """A criterion, what its ends mean, and whether it needs the reference."""

    criterion: str
    worst: str
    best: str
    reference: Shown = "hidden"


RUBRICS: Final[Mapping[RubricName, Rubric]] = MappingProxyType(
    {
        "correctness": Rubric(
            "Whether the response says what the reference says. The reference is right, whatever "
            "you know yourself. Wording, order, length and format do not count. A response that "
            "gives several answers, or one that contradicts its own, is not correct.",
            "it contradicts the reference, or does not answer",
            "it agrees with the reference in everything that the prompt asks for",
            "required",
        ),
        "faithfulness": Rubric(
            "Whether everything that the response states is supported by the text in the prompt. "
            "A statement that is true in the world but not supported there counts against it.",
            "most of what it states is not supported, or is contradicted",
            "every statement is supported",
        ),
        "helpfulness": Rubric(
            "Whether the response serves the purpose that the person had who wrote the prompt. "
            "Length, confidence and friendliness are no help by themselves.",
            "it is of no use to that person, or does harm",
            "it serves the purpose completely",
        ),
        "instruction-following": Rubric(
            "Whether the response obeys every instruction in the prompt: of content, format, "
            "length and language. Quality beyond that does not count.",
            "it ignores the instructions",
            "it obeys every one of them",
        ),
        "coherence": Rubric(
            "Whether the response makes sense as a text: each part follows from what comes "
            "before, nothing contradicts or repeats another part, and it ends where it should. "
            "Whether it is right does not count.",
            "it cannot be followed",
            "it is clear from beginning to end",
        ),
        "conciseness": Rubric(
            "Whether the response says what the prompt asks for without anything beside it: no "
            "repetition, no remarks about itself, no offers. What is missing does not count.",
            "most of it could be left out",
            "nothing could be left out",
        ),
    }
)
