"""Whether the answer is one JSON value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from evalsi.core.evaluator import Answer, Need, Tools
from evalsi.core.results import Score
from evalsi_pack_general.answers import UNCLOSED, answer_of
from evalsi_pack_general.json_text import JsonParams, NoJsonError, parsed

if TYPE_CHECKING:
    from evalsi.core.records import Record

__all__ = ["JsonValid", "JsonValidParams"]

_NO_ANSWER: Final = Score(0.0, reason=UNCLOSED)
_VALID: Final = Score(1.0, reason="valid")


class JsonValidParams(JsonParams):
    """Where in the answer the JSON is."""


class JsonValid:
    """1 when the answer is one JSON value and nothing else, else 0 with a reason code.

    Source: RFC 8259; NaN, comments, and a name twice in one object are refused, and values that
    nest deeper than 200 levels.
    """

    Params = JsonValidParams
    reads = ("output",)
    needs = frozenset[Need]()
    bounded = True

    def __init__(self, params: JsonValidParams, tools: Tools) -> None:  # noqa: ARG002
        self._params = params

    def score(self, record: Record) -> Answer:
        """The verdict on one completion."""
        answer = answer_of(record.output, self._params.thinking)
        if answer is None:
            return _NO_ANSWER
        try:
            parsed(answer, self._params.code_fence, exact=False)
        except NoJsonError as error:
            return Score(0.0, reason=error.reason, evidence={"why": str(error)})
        return _VALID
