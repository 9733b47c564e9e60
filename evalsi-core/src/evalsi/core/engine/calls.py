"""One way to call an evaluator, whichever of its six entries it has."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Mapping, Sequence
from typing import Any

from evalsi.core.evaluator import Direction, Tools, to_result
from evalsi.core.records import Record
from evalsi.core.results import Errored, Failure, Result

__all__ = ["build", "call", "call_async"]


def build(target: str, settings: Mapping[str, Any] | None, tools: Tools) -> object:
    """Imports the class at "module:attribute" and constructs it; its errors come through."""
    module, _, attribute = target.partition(":")
    found: Any = importlib.import_module(module)
    for part in attribute.split("."):
        found = getattr(found, part)
    if settings is None:
        return found()
    return found(found.Params.model_validate(settings), tools)


def call(
    instance: object, entry: str, metrics: Mapping[str, Direction], records: Sequence[Record]
) -> list[Result]:
    """Results of one call: of one record, or of a batch or a group as its entry takes them.

    Whatever the evaluator raises is an `Errored` for every record of the call.
    """
    method = getattr(instance, entry)
    try:
        if entry == "score":
            return [to_result(method(records[0]), metrics)]
        if entry.startswith("a"):
            return asyncio.run(call_async(instance, entry, metrics, records))
        return _results(method(records), len(records), metrics)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - the boundary to a stranger's code
        return [Errored(Failure.of(error))] * len(records)


async def call_async(
    instance: object, entry: str, metrics: Mapping[str, Direction], records: Sequence[Record]
) -> list[Result]:
    """As `call`, for the async twins."""
    method = getattr(instance, entry)
    try:
        if entry == "ascore":
            return [to_result(await method(records[0]), metrics)]
        return _results(await method(records), len(records), metrics)
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise  # by its deadline, or by its caller
        return [Errored(Failure.of(error))] * len(records)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - the boundary to a stranger's code
        return [Errored(Failure.of(error))] * len(records)


def _results(answers: object, count: int, metrics: Mapping[str, Direction]) -> list[Result]:
    if not isinstance(answers, Sequence) or len(answers) != count:
        shown = len(answers) if isinstance(answers, Sequence) else type(answers).__name__
        message = f"it answered {shown} for {count} records; one answer a record is needed"
        return [Errored(Failure("evaluator", message))] * count
    return [to_result(answer, metrics) for answer in answers]
