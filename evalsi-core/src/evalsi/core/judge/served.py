"""The judge behind a server: asks within a schema, asks again, and counts what it costs.

A verdict is what fits the question's model. After the last answer that does not, and whenever
the server fails for good, there is a `JudgeError` and no number.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from evalsi.core.chat import Output
from evalsi.core.chat.wires import ANTHROPIC, CHAT, Messages, Shape
from evalsi.core.errors import JudgeError, ServerError
from evalsi.core.judge.answers import Unfit, answer_of
from evalsi.core.judge.config import JudgeConfig
from evalsi.core.judge.contract import Question, Usage, Verdict, schema_of
from evalsi.core.judge.kept import KeptVerdicts
from evalsi.core.judge.lock import LOCK
from evalsi.core.judge.pace import Pace
from evalsi.core.judge.prompt import again, asked
from evalsi.core.judge.turns import Places

__all__ = ["ServedJudge"]

A = TypeVar("A", bound=BaseModel)

_WIRES: Final = {"openai-compatible": CHAT, "anthropic": ANTHROPIC}
_NO_SCHEMA: Final = frozenset({400, 404, 415, 422, 501})
"""Statuses with which servers refuse a schema that they do not take."""


class ServedJudge:
    """A `Judge`. Safe from many threads and event loops.

    Args:
        config: complete settings.

    Raises:
        SpecError: the environment lacks the key that the settings name.
    """

    def __init__(self, config: JudgeConfig) -> None:
        self._config = config
        self.name = _name(config)
        self.address = config.base_url
        self.stable = config.temperature == 0
        self.patience_s = 4 * (1 + config.reasks) * config.deadline_s
        self._client = config.client(_WIRES[config.connector], config.seed, self._turn)
        self._places = Places(config.concurrency)
        self._pace = Pace(config.requests_per_minute, f"{self.address} {config.model}")
        self._kept = KeptVerdicts(f"{config.connector} {self.name} {self.address}", config.cache)
        self._with_shape = config.output != "prompt"
        self._counts: Counter[str] = Counter()

    @property
    def usage(self) -> Usage:
        """What it has done so far."""
        with LOCK:
            counts = dict(self._counts)
        config = self._config
        cost = None
        if config.input_price is not None or config.output_price is not None:
            spent = counts.get("input_tokens", 0) * (config.input_price or 0.0)
            spent += counts.get("output_tokens", 0) * (config.output_price or 0.0)
            cost = spent / 1_000_000
        return Usage(**counts, requests=self._client.sent, cost=cost)

    async def ask(self, question: Question[A]) -> Verdict[A]:
        """The verdict; one that is kept is given again, unless the judge is sampled.

        Raises:
            JudgeError: there is none.
        """
        self._count("questions")
        key = self._kept.key(question) if self.stable else None
        if key is not None and (kept := self._known(key, question)) is not None:
            self._count("cached")
            return kept
        try:
            async with self._places.one():
                verdict = await self._asked(question)
        except JudgeError:
            self._count("failed")
            raise
        if key is not None:
            self._kept.put(key, verdict.answer.model_dump_json(by_alias=True))
        return verdict

    async def aclose(self) -> None:
        """Closes the connections of the running loop."""
        await self._client.aclose()

    def _known(self, key: bytes, question: Question[A]) -> Verdict[A] | None:
        text = self._kept.get(key)
        if text is None:
            return None
        try:
            return Verdict(question.answer.model_validate_json(text), cached=True)
        except ValidationError:  # a file can be written into
            return None

    async def _asked(self, question: Question[A]) -> Verdict[A]:
        messages = asked(question)
        shape = Shape(question.answer.__name__[:64], schema_of(question.answer))
        reason = ""
        for reasks in range(self._config.reasks + 1):
            output = await self._output(messages, shape)
            try:
                return Verdict(answer_of(output, question.answer), reasks=reasks)
            except Unfit as unfit:
                reason = str(unfit)
                self._count("reasks", int(reasks < self._config.reasks))
                messages = again(messages, output.text, reason)
        raise JudgeError(
            f"the judge {self._config.model} gave no verdict in {self._config.reasks + 1} "
            f"answers: {reason}",
            retryable=not self.stable,
        )

    async def _output(self, messages: Messages, shape: Shape) -> Output:
        try:
            if not self._with_shape:
                output = await self._client.ask(messages)
            else:
                output = await self._shaped(messages, shape)
        except ServerError as error:
            raise JudgeError(f"the judge: {error}", retryable=error.retryable) from error
        self._count("input_tokens", output.input_tokens or 0)
        self._count("output_tokens", output.output_tokens or 0)
        self._count("uncounted", int(output.output_tokens is None))
        return output

    async def _shaped(self, messages: Messages, shape: Shape) -> Output:
        """With the schema; a server that refuses it is asked without, then and later."""
        try:
            return await self._client.ask(messages, shape=shape)
        except ServerError as error:
            if self._config.output != "auto" or error.status not in _NO_SCHEMA:
                raise
            output = await self._client.ask(messages)
            self._with_shape = False
            return output

    async def _turn(self) -> None:
        await self._pace.turn()
        most = self._config.max_requests
        if most is not None and self._client.sent >= most:
            raise JudgeError(f"the judge has had its {most} requests (max_requests)")

    def _count(self, what: str, number: int = 1) -> None:
        with LOCK:
            self._counts[what] += number


def _name(config: JudgeConfig) -> str:
    """The model, then every setting that may change a verdict."""
    settings: dict[str, Any] = {
        "temperature": config.temperature,
        "top_p": config.top_p,
        "seed": config.seed,
        "max_tokens": config.max_tokens,
        "stop": list(config.stop) or None,
        "output": None if config.output == "auto" else config.output,
        "extra_body": config.extra_body or None,
    }
    told = [f"{name} {value}" for name, value in settings.items() if value is not None]
    return ", ".join([config.model, *told])
