"""What runs are tested with: a connector that does what its input says, and evaluators that look.

It is a pack and its targets in one module, given to hosts by tests; it is not installed.
"""

import asyncio
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from evalsi.core import Need, Score, Skipped
from evalsi.core.chat import Output, ServerError
from evalsi.core.judge import Question
from evalsi.core.plugins.descriptor import Plugin, hookimpl

pack = "runs"
distribution = "run-fakes"
version = "1.0"


@hookimpl
def evalsi_register_connectors():
    return [
        Plugin("obeys", "run_fakes:Obeys"),
        Plugin("settles", "run_fakes:Settles"),
        Plugin("no-class", "run_fakes:no_class"),
    ]


@hookimpl
def evalsi_register_evaluators():
    return [
        Plugin("after", "run_fakes:After"),
        Plugin("ring", "run_fakes:Ring"),
        Plugin("lost", "run_fakes:Lost"),
        Plugin("finish", "run_fakes:Finish"),
        Plugin("apart", "run_fakes:Apart"),
        Plugin("asks", "run_fakes:Asks"),
    ]


no_class = 7


class ObeysParams(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    temperature: float = 1.0
    wait_s: float = 0.0
    file: str = ""


class Obeys:
    """Gives the input back; some inputs say what goes wrong instead."""

    Params = ObeysParams
    paths = ("file",)
    asked: ClassVar[list[tuple[str, int]]] = []
    most_at_once: ClassVar[int] = 0
    at_once: ClassVar[int] = 0
    files: ClassVar[list[str]] = []
    closed: ClassVar[int] = 0

    def __init__(self, params):
        self._params = params
        Obeys.files.append(params.file)

    @classmethod
    def forget(cls):
        cls.asked, cls.files = [], []
        cls.most_at_once = cls.at_once = cls.closed = 0

    async def generate(self, request):
        Obeys.asked.append((request.id, request.sample))
        Obeys.at_once += 1
        Obeys.most_at_once = max(Obeys.most_at_once, Obeys.at_once)
        await asyncio.sleep(self._params.wait_s)
        Obeys.at_once -= 1
        match request.input.split():
            case ["away"]:
                raise ServerError("the server is away", cause="connect")
            case ["refused"]:
                raise ServerError("the server refuses", cause="refused", retryable=False)
            case ["broken"]:
                raise RuntimeError("the connector is broken")
            case ["dropped"]:
                raise asyncio.CancelledError
            case ["nothing"]:
                return None
            case ["empty"]:
                return Output("")
            case ["long"]:
                return Output("1", "length", output_tokens=5)
            case ["nth", *values]:
                return Output(values[request.sample])
        return Output(request.input, input_tokens=2, output_tokens=1)

    async def aclose(self):
        Obeys.closed += 1


class SettlesParams(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    weights: str
    revision: str = ""


class Settles:
    """Says where its weights are; which they are is settled before it is asked."""

    Params = SettlesParams
    paths_or_names = ("weights",)
    now: ClassVar[str] = "first"

    @classmethod
    def settle(cls, params):
        if params.weights == "gone":
            raise OSError("the hub has no such weights")
        return params.model_copy(update={"revision": cls.now})

    def __init__(self, params):
        self._says = f"{params.weights} {params.revision}"

    async def generate(self, request):
        return Output(self._says)

    async def aclose(self):
        pass


class After:
    """What it sees of the use named `says`."""

    bounded = True
    reads = ("output", "metadata.@says")

    def score(self, record):
        seen = record.metadata.get("@says")
        return Skipped("says gave no score") if seen is None else Score(seen["value"] + 10)


class Ring:
    """Reads its own result."""

    bounded = True
    reads = ("output", "metadata.@ring")

    def score(self, record):
        return 1.0


class Lost:
    """Reads a result that no use of the tests gives."""

    bounded = True
    reads = ("output", "metadata.@sayz")

    def score(self, record):
        return 1.0


class Finish:
    """Whether the output was cut, as records tell it."""

    bounded = True
    reads = ("output_tokens", "metadata.finish_reason")

    def score(self, record):
        return Score(
            float(record.metadata["finish_reason"] == "length"), evidence=record.output_tokens
        )


class Right(BaseModel):
    model_config = ConfigDict(extra="forbid")

    right: bool


class NoParams(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Asks:
    """What a judge says of the output."""

    Params = NoParams
    bounded = True
    reads = ("output",)
    needs = frozenset({Need.JUDGE})

    def __init__(self, params, tools):
        self._judge = tools.judge

    async def ascore(self, record):
        verdict = await self._judge.ask(Question("Is this right?", record.output, Right))
        return verdict.answer.right


class Apart:
    """The share of different outputs among a record's trials."""

    bounded = True
    reads = ("output",)

    def score_group(self, records):
        return [len({record.output for record in records}) / len(records)] * len(records)
