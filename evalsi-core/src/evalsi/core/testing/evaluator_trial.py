"""What a check of an evaluator gets: the class, its params, example records, and ways to ask it."""

from __future__ import annotations

import asyncio
import inspect
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from evalsi.core.engine import tools_for
from evalsi.core.engine.calls import call
from evalsi.core.plugins import Registered, default_host
from evalsi.core.records import Record, Rollout, record_of
from evalsi.core.spec.contract import BrokenContract, Declared, declared, entry_of, params_of
from evalsi.core.testing.checks import Check, CheckFailed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence

    from evalsi.core.evaluator import Tools
    from evalsi.core.results import JSON, Result

__all__ = ["EvaluatorTrial", "Trials", "require"]

T = TypeVar("T")
_ROLLOUT: Final[Rollout] = {"prompt": "What is 2 + 2?", "completion": "4", "reference": "4"}


@dataclass(frozen=True, slots=True)
class EvaluatorTrial:
    """One evaluator with one set of params, ready for the checks.

    Attributes:
        cls: the evaluator's class.
        name: how messages and metrics call it.
        params: its params as a spec would state them.
        examples: records that it must be able to answer.
        tools: what it is constructed with; None: what the engine gives.
        deadline_s: seconds that one answer may take here.
        plugin: its registration, when it was found by name.
    """

    cls: object
    name: str
    params: Mapping[str, JSON]
    examples: tuple[Record, ...]
    tools: Tools | None = None
    deadline_s: float = 30.0
    plugin: Registered | None = None

    @classmethod
    def of(
        cls,
        evaluator: object,
        params: Mapping[str, JSON] | None = None,
        examples: Sequence[Rollout] = (),
        *,
        tools: Tools | None = None,
        deadline_s: float = 30.0,
    ) -> EvaluatorTrial:
        """A trial of a class, or of an installed evaluator by its name.

        Raises:
            PluginError: no installed pack has an evaluator of that name.
        """
        records = tuple(record_of(row, n) for n, row in enumerate(examples or (_ROLLOUT,), 1))
        plugin = None
        if isinstance(evaluator, str):
            plugin = default_host().find("evaluator", evaluator)
            evaluator = default_host().load("evaluator", plugin.full_name)
        name = plugin.name if plugin else getattr(evaluator, "__name__", str(evaluator))
        return cls(evaluator, name, params or {}, records, tools, deadline_s, plugin)

    def entry(self) -> str:
        """Its one method that scores."""
        return self._kept(lambda: entry_of(self.cls))

    def model(self) -> BaseModel | None:
        """Its params, validated; None when it takes none."""
        model = self._kept(lambda: params_of(self._type()))
        if model is None:
            require(not self.params, f"{self.name} takes no params, yet the trial gives some.")
            return None
        try:
            return model.model_validate_json(json.dumps(self.params), strict=True)
        except ValidationError as error:
            raise CheckFailed(f"{self.name} refuses the trial's params: {error}.") from error

    def declared(self) -> Declared:
        """What its class says with these params."""
        params = self.model()
        return self._kept(lambda: declared(self._type(), self.name, params))

    def instance(self) -> object:
        """A fresh evaluator."""
        params = self.model()
        if params is None:
            return self._type()()
        made: object = self._type()(params, self.tools or tools_for(self.declared().needs, None))
        return made

    def answer(self, instance: object, record: Record) -> Result:
        """Its result for one record, whichever entry it has."""
        return call(instance, self.entry(), self.declared().metrics, self._asked(record))[0]

    def raw_answer(self, instance: object, record: Record) -> object:
        """What it answers for one record before the engine sees it; its errors come through."""
        entry = self.entry()
        given = getattr(instance, entry)(record if entry.endswith("score") else self._asked(record))
        if inspect.isawaitable(given):
            given = asyncio.run(_awaited(given))
        answer: object = given if entry.endswith("score") else given[0]
        return answer

    def with_output(self, text: str) -> Record:
        """The first example with another completion."""
        return replace(self.examples[0], output=text)

    def _asked(self, record: Record) -> list[Record]:
        """The record; for group scope the examples behind the first are asked with it."""
        return [record, *(self.examples[1:] if self.entry().endswith("_group") else ())]

    def _type(self) -> type:
        if isinstance(self.cls, type):
            return self.cls
        raise CheckFailed(f"{self.name} is {type(self.cls).__name__}; an evaluator is a class.")

    def _kept(self, read: Callable[[], T]) -> T:
        try:
            return read()
        except BrokenContract as broken:
            raise CheckFailed(f"{self.name} {broken}.") from broken


async def _awaited(given: Awaitable[Any]) -> Any:
    return await given


class Trials:
    """Checks by name, in their order."""

    def __init__(self) -> None:
        self._checks: list[Check[EvaluatorTrial]] = []

    def __iter__(self) -> Iterator[Check[EvaluatorTrial]]:
        return iter(self._checks)

    def add(self, name: str) -> Callable[[Callable[[EvaluatorTrial], None]], None]:
        """Registers the decorated function as a check."""

        def register(attempt: Callable[[EvaluatorTrial], None]) -> None:
            self._checks.append(Check(name, attempt))

        return register


def require(holds: object, sentence: str) -> None:
    """Fails the check with a sentence unless the promise holds."""
    if not holds:
        raise CheckFailed(sentence)
