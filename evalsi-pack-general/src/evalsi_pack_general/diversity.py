"""How much the completions of one prompt differ: a drop is mode collapse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import AfterValidator, Field

from evalsi.core.evaluator import Answer, Direction, Need, Tools
from evalsi.core.results import JSON, Score, Skipped
from evalsi_pack_general.answers import AnswerParams, answer_of
from evalsi_pack_general.distinct import Cut, cut_to_one_length, distinct_share
from evalsi_pack_general.normalising import NormalParams, normalised
from evalsi_pack_general.other_result import field_of, other_result
from evalsi_pack_general.self_bleu import lacking, self_bleu

if TYPE_CHECKING:
    from evalsi.core.records import Record

__all__ = ["Diversity", "DiversityParams"]

_SPELLING: Final = NormalParams()

Order = Annotated[int, Field(ge=1, le=10)]


def _installed(wanted: bool) -> bool:
    if wanted and (lacks := lacking()):
        raise ValueError(lacks)
    return wanted


class DiversityParams(AnswerParams):
    """What is counted as different."""

    n: tuple[Order, ...] = Field(
        default=(1, 2, 3), min_length=1, max_length=10, description="Words in a row that count."
    )
    words: int = Field(
        default=50,
        ge=1,
        le=1000,
        description="Words of each completion that are looked at, from its start.",
    )
    self_bleu: Annotated[bool, AfterValidator(_installed)] = Field(
        default=False, description="Also report self-BLEU; needs sacrebleu."
    )
    answer_from: str | None = Field(
        default=None,
        min_length=1,
        description="Name of an evaluator of the same run whose evidence holds each completion's "
        "answer: the score is then the share of different answers.",
    )
    answer_field: str = Field(
        default="predicted", min_length=1, description="The answer's field in that evidence."
    )


class Diversity:
    """The mean of distinct-n over the orders, in (0, 1], for all completions of one prompt.

    Completions are cut to one length, that of the shortest with at least as many words as the
    largest n, and to `words` words at most; shorter ones are left out and told. With `answer_from`
    the score is the share of different answers among those found, which no length touches. Every
    completion of the prompt gets the same score. Skipped where fewer than two completions are left
    to compare.
    """

    Params = DiversityParams
    needs = frozenset[Need]()
    bounded = True

    @staticmethod
    def reads(params: DiversityParams) -> tuple[str, ...]:
        """The completion, and the other evaluator's result."""
        other = params.answer_from
        return ("output",) if other is None else ("output", field_of(other))

    @staticmethod
    def metrics(params: DiversityParams) -> Mapping[str, Direction]:
        """One a measure; every one of them falls when a model collapses, self-BLEU rises."""
        found: dict[str, Direction] = {"diversity": "higher", "diversity.words": "neither"}
        found |= {f"diversity.distinct-{n}": "higher" for n in params.n}
        found["diversity.unique-outputs"] = "higher"
        if params.answer_from is not None:
            found["diversity.unique-answers"] = "higher"
        if params.self_bleu:
            found["diversity.self-bleu"] = "lower"
        return found

    @staticmethod
    def backend(params: DiversityParams) -> str:
        """The library that computes BLEU, with its version."""
        from importlib.metadata import version

        return f"sacrebleu {version('sacrebleu')}" if params.self_bleu else ""

    def __init__(self, params: DiversityParams, tools: Tools) -> None:  # noqa: ARG002
        self._params = params

    def score_group(self, records: Sequence[Record]) -> Sequence[Answer]:
        """The diversity of one prompt's completions, once for each."""
        return [self._of_group(records)] * len(records)

    def _of_group(self, records: Sequence[Record]) -> Answer:
        params = self._params
        answers = [answer_of(record.output, params.thinking) for record in records]
        texts = [text for text in answers if text is not None]
        if len(texts) < 2:
            return Skipped("there are no two completions with an answer to compare")
        cut = cut_to_one_length(texts, least=max(params.n), most=params.words)
        metrics = {"diversity.unique-outputs": _share(texts), **self._of_words(cut)}
        left_out = len(answers) - len(cut.texts)
        evidence: dict[str, JSON] = {"words": cut.length, "left_out": left_out}
        if params.answer_from is not None:
            return self._of_answers(records, metrics, evidence)
        if "diversity.words" not in metrics:
            return Skipped(f"fewer than two completions have {max(params.n)} words")
        value = fmean(metrics[f"diversity.distinct-{n}"] for n in params.n)
        return Score(value, metrics, "distinct", evidence)

    def _of_words(self, cut: Cut) -> dict[str, float]:
        """What is counted in words; nothing where there are no two texts to compare."""
        if len(cut.texts) < 2:
            return {}
        found = {f"diversity.distinct-{n}": distinct_share(cut.texts, n) for n in self._params.n}
        found["diversity.words"] = float(cut.length)
        if self._params.self_bleu:
            found["diversity.self-bleu"] = self_bleu(cut.texts)
        return found

    def _of_answers(
        self, records: Sequence[Record], metrics: dict[str, float], evidence: dict[str, JSON]
    ) -> Answer:
        name = self._params.answer_from or ""
        results = [other_result(record, name) for record in records]
        if not any(results):
            return Skipped(f"no completion has a score of {name}, whose answers are counted")
        answers = [answer for one in results if (answer := self._answer(one))]
        if len(answers) < 2:
            return Skipped(f"{name} found fewer than two answers")
        share = _share(answers)
        metrics["diversity.unique-answers"] = share
        evidence["answers"] = len(answers)
        return Score(share, metrics, "unique-answers", evidence)

    def _answer(self, result: Mapping[str, JSON] | None) -> str:
        evidence = None if result is None else result.get("evidence")
        found = evidence.get(self._params.answer_field) if isinstance(evidence, Mapping) else None
        return str(found) if found or found == 0 else ""


def _share(texts: Sequence[str]) -> float:
    """Different texts over all texts; case and white space make no difference."""
    return len({normalised(text, _SPELLING) for text in texts}) / len(texts)
