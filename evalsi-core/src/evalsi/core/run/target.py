"""The target of a run: a connector found by name, with its params checked as evaluators' are."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pydantic import BaseModel, ValidationError

from evalsi.core.chat import Connector, Output, Request
from evalsi.core.errors import PluginError
from evalsi.core.plugins import PluginHost, Registered
from evalsi.core.records import Record
from evalsi.core.results import Errored, Failure
from evalsi.core.spec.contract import BrokenContract, params_of
from evalsi.core.spec.files import resolved
from evalsi.core.spec.issues import Issue
from evalsi.core.spec.validation import issues_of

if TYPE_CHECKING:
    from evalsi.core.run.spec import Target

__all__ = ["Asked", "ask", "bind_target"]

_PLACE = ("spec", "target")


@dataclass(frozen=True, slots=True)
class Asked:
    """A target ready to be asked.

    Attributes:
        row: what it is, for the result document.
        greedy: whether equal questions have equal answers, by its params.
    """

    row: Mapping[str, Any]
    greedy: bool
    _kind: type
    _params: BaseModel | None

    def settled(self) -> Asked | Issue:
        """The same with what its params leave open decided, or why that cannot be."""
        settle = getattr(self._kind, "settle", None)
        if settle is None:
            return self
        try:
            params = settle(self._params)
            told = _told(params)
        except Exception as error:  # noqa: BLE001 - the boundary to a stranger's connector
            return Issue(_PLACE, f": {self.row['connector']}: {error}", cause=error)
        return replace(self, row={**self.row, **told}, _params=params)

    def connect(self) -> Connector:
        """A connector, made inside the event loop that will use it."""
        made = self._kind() if self._params is None else self._kind(self._params)
        return cast("Connector", made)


async def ask(connector: Connector, record: Record, trial: int) -> Output | Errored:
    """One output of the target, or why there is none."""
    request = Request(record.input, record.messages, trial, record.id)
    try:
        output = await connector.generate(request)
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise  # the run was ended; else the connector lost a task of its own
        return Errored(Failure.of(error))
    except Exception as error:  # noqa: BLE001 - the boundary to a stranger's connector
        return Errored(Failure.of(error))
    if not isinstance(output, Output):
        shown = type(output).__name__
        return Errored(Failure("server", f"the connector gave {shown}; it must give an Output"))
    return output


def bind_target(target: Target, folder: Path, host: PluginHost) -> tuple[Asked | None, list[Issue]]:
    """The target that a spec names, or every issue of it; its files start at `folder`."""
    try:
        plugin = host.find("connector", target.connector)
        kind = host.load("connector", plugin.full_name)
        if not isinstance(kind, type):
            raise BrokenContract(f"is {type(kind).__name__}; a connector is a class")
        model = params_of(kind)
    except PluginError as error:
        return None, [Issue((*_PLACE, "connector"), f": {error}", cause=error)]
    except BrokenContract as broken:
        told = f": {plugin.full_name} of {plugin.distribution} {plugin.version} {broken}"
        return None, [Issue((*_PLACE, "connector"), told)]
    given = resolved(target.params, _files(kind, target.params, folder), folder)
    return _checked(plugin, kind, model, given)


def _files(kind: type, given: Mapping[str, Any], folder: Path) -> list[str]:
    """The params that are files; of those that may be a name instead, the ones that are there."""
    either: tuple[str, ...] = getattr(kind, "paths_or_names", ())
    return [
        *getattr(kind, "paths", ()),
        *(name for name in either if _is_there(folder / str(given.get(name)))),
    ]


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name that no file can have
        return False


def _checked(
    plugin: Registered, kind: type, model: type[BaseModel] | None, given: Mapping[str, Any]
) -> tuple[Asked | None, list[Issue]]:
    if model is None:
        issues = [
            Issue((*_PLACE, name), f": {plugin.full_name} takes no params", at_key=True)
            for name in given
        ]
        return Asked(_row(plugin, {}), greedy=False, _kind=kind, _params=None), issues
    try:
        params = model.model_validate_json(json.dumps(given), strict=True)
    except ValidationError as error:
        return None, issues_of(error, dict(given), model, _PLACE)
    row = _row(plugin, _told(params))
    return Asked(row, greedy=row.get("temperature") == 0, _kind=kind, _params=params), []


def _told(params: BaseModel) -> dict[str, Any]:
    dumped = params.model_dump(mode="json", by_alias=True)
    return {name: value for name, value in dumped.items() if value is not None}


def _row(plugin: Registered, params: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "connector": plugin.full_name,
        "distribution": plugin.distribution,
        "version": plugin.version,
        **params,
    }
