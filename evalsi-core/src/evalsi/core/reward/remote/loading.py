"""Loading a reward from a server: the spec is read here, and bound and judged there."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast

from evalsi.core.errors import SpecError
from evalsi.core.reward.remote.client import LOADING, Client, Question
from evalsi.core.reward.remote.function import RemoteReward
from evalsi.core.reward.remote.process import begin
from evalsi.core.reward.remote.settings import RemoteServer
from evalsi.core.reward.spec import RewardSpec
from evalsi.core.reward.wire import Answer, NotCarried
from evalsi.core.spec.document import enveloped, examine
from evalsi.core.spec.issues import Issue
from evalsi.core.spec.model import NAME
from evalsi.core.spec.source import read

__all__ = ["load_remote"]

_FILES: Final = frozenset({".yaml", ".yml", ".json"})
_PLACE: Final = re.compile(r"(?:apiVersion|kind|metadata|spec)(?:\.[\w-]+|\[\d+\])*(?=[ :])")
_PART: Final = re.compile(r"[\w-]+")
_LOADING_S: Final = 120.0


def load_remote(spec: str | Path | Mapping[str, Any], server: str | RemoteServer) -> RemoteReward:
    """The reward that a server makes of a spec; none of its packs need be installed here.

    Args:
        spec: as `load_reward` takes it; a text that is a plain name ("code-grpo"), and no file
            here, names one of the server's specs.
        server: its address, or address and settings.

    Raises:
        SpecError: the server refuses the spec, each issue with its place here, or has none of
            that name; or the address is none.
        ServerError: the server gives no answer.
    """
    to = RemoteServer(server) if isinstance(server, str) else server
    if isinstance(spec, str) and _is_name(spec):
        return _named(spec, to)
    opened = enveloped(read(spec), RewardSpec)
    document, refs, issues = examine(opened, RewardSpec)
    body = cast("Mapping[str, Any]", opened.data)
    if document is None and not refs:
        raise opened.refused(issues)  # the server would not know more
    try:
        answer = _asked(body, to)
    except SpecError as error:
        found = [*opened.issues, *map(_issue, error.issues)]
        raise opened.refused(found) from error
    except NotCarried as error:
        raise opened.refused(issues or [Issue((), f": the spec {error}")]) from error
    if opened.issues:
        raise opened.refused(opened.issues)
    return _reward(body, to, answer)


def _is_name(spec: str) -> bool:
    return (
        bool(NAME.fullmatch(spec)) and Path(spec).suffix not in _FILES and not Path(spec).exists()
    )


def _named(name: str, to: RemoteServer) -> RemoteReward:
    try:
        return _reward(name, to, _asked(name, to))
    except SpecError as error:
        told = "\n".join(error.issues)
        raise SpecError(f"{to.url}: {told} (and there is no file {name!r} here)") from error


def _asked(spec: str | Mapping[str, Any], to: RemoteServer) -> Answer:
    async def asked(client: Client) -> Answer:
        ends_at = time.monotonic() + min(to.deadline_s, _LOADING_S)
        return await client.answer(Question(spec, (), (), ends_at, LOADING))

    return begin(to, asked).result()


def _reward(spec: str | Mapping[str, Any], to: RemoteServer, answer: Answer) -> RemoteReward:
    return RemoteReward(spec, to, answer.description, answer.by)


def _issue(text: str) -> Issue:
    """An issue that the server tells, with the place that it names."""
    place = _PLACE.match(text)
    if place is None:
        return Issue((), f": {text}")
    path = tuple(int(part) if part.isdigit() else part for part in _PART.findall(place.group()))
    told = text[place.end() :].removeprefix(" ")
    return Issue(path, told, at_key=told.startswith("is not a known field"))
