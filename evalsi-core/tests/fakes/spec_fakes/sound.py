"""Evaluators that keep the contract."""

from pathlib import Path
from types import MappingProxyType
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from evalsi.core import Batch, DataError, Need


class Shout:
    """Whether the completion is in capitals."""

    reads = ("output",)

    def score(self, record):
        return record.output.isupper()


class LengthParams(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    most: int = Field(100, gt=0, description="The greatest length.")
    least: int = Field(0, description="The least length.")
    unit: Literal["words", "characters"] = "words"
    scale: float = 1.0
    names: tuple[str, ...] = ()
    strict: bool = False
    either: int | list[int] = 0

    @model_validator(mode="after")
    def _in_order(self):
        if self.least > self.most:
            raise ValueError(f"least is {self.least} and most is {self.most}; swap them")
        return self


class Length:
    """The length of the completion.

    Skipped when it is empty.
    """

    Params = LengthParams

    def __init__(self, params, tools):
        self.params = params
        self.tools = tools

    @staticmethod
    def reads(params):
        return ("output", "metadata.tests", "metadata.a.b") if params.strict else ("output",)

    @staticmethod
    def bounded(params):
        return params.unit == "words"

    @staticmethod
    def batch(params):
        return Batch(max_records=params.most, wait_ms=5)

    @staticmethod
    def patience_s(params):
        return 2 * params.most

    @staticmethod
    def backend(params):
        return f"counter of {params.unit}"

    metrics = MappingProxyType({"length": "neither", "words": "lower"})

    def score_batch(self, records):
        return [len(record.output) for record in records]


class RunsCode:
    needs = frozenset({Need.SANDBOX})
    reads = ("output", "metadata")

    def score(self, record):
        return 1.0


class Judged:
    reads = ("output",)
    needs = frozenset({Need.JUDGE})
    bounded = True
    backend = "prompt 123"

    class Params(BaseModel):
        model_config = ConfigDict(frozen=True, extra="forbid")

    def __init__(self, params, tools):
        self.judge = tools.judge

    async def ascore(self, record):
        return 1.0


class JudgedSlowly:
    needs = frozenset({Need.JUDGE})

    async def ascore(self, record):
        return 1.0


class JudgedAlone:
    needs = frozenset({Need.JUDGE})
    bounded = True

    def score(self, record):
        return 1.0


class Many:
    def score_group(self, records):
        return [0.0 for _ in records]


class Touchy:
    bounded = True

    def __init__(self):
        raise OSError("the table is gone")

    def score(self, record):
        return 1.0


class WordListParams(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    more: str | None = None
    bounded: bool = True


class WordList:
    """Whether the completion is a word of the file."""

    Params = WordListParams
    paths = ("path", "more")
    reads = ("output", "metadata.kind")
    metrics = MappingProxyType({"word-list": "higher", "word-list[rare]": "higher"})
    about = MappingProxyType({"word-list[rare]": {"kind": "rare"}})

    @staticmethod
    def bounded(params):
        return params.bounded

    def __init__(self, params, tools):
        self.words = Path(params.path).read_text().split()
        if not self.words:
            raise DataError(f"{params.path} holds no words")
        if "bad" in self.words:
            raise ValueError("a bad word")

    def score(self, record):
        return record.output in self.words
