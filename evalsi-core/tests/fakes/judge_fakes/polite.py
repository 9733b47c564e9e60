"""Evaluators that ask a judge, and one that does not."""

from pydantic import BaseModel, ConfigDict, Field

from evalsi.core import Need, Score
from evalsi.core.judge import Question, fenced, prompt_hash

INSTRUCTIONS = "How polite is the response?"


class Politeness(BaseModel):
    model_config = ConfigDict(extra="forbid")

    politeness: int = Field(ge=1, le=5)


class Params(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Polite:
    Params = Params
    reads = ("output",)
    needs = frozenset({Need.JUDGE})
    bounded = True
    backend = f"prompt {prompt_hash(INSTRUCTIONS, Politeness)}"

    def __init__(self, params, tools):
        self._judge = tools.judge

    async def ascore(self, record):
        question = Question(INSTRUCTIONS, fenced("response", record.output), Politeness)
        verdict = await self._judge.ask(question)
        return Score((verdict.answer.politeness - 1) / 4, stable=self._judge.stable)


class PoliteBound(Polite):
    """Swallows the judge's failure, which the kit must find."""

    backend = ""

    async def ascore(self, record):
        try:
            return (await super().ascore(record)).value
        except Exception:  # noqa: BLE001 - what the kit shall find
            return 0.0


class Plain:
    reads = ("output",)

    def score(self, record):
        return 1.0
