"""What a worker process does: answers calls of an evaluator, or payloads of a function.

Loading happens in the template, before any worker is forked and before any clock runs.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import pickle
import socket
from collections.abc import Callable
from typing import Any, TypeAlias

from evalsi.core.engine.calls import build, call
from evalsi.core.engine.frames import FrameLost, encode, receive, send
from evalsi.core.results import Errored, Failure, Result

__all__ = ["Work", "load"]

Work: TypeAlias = Callable[[socket.socket], None]
"""Serves one wire until its owner lets go."""


def load(what: dict[str, Any]) -> Work:
    """Loads an evaluator or a function; whatever its import raises comes through."""
    return _evaluator(what) if what["kind"] == "evaluator" else _function(what)


def _evaluator(what: dict[str, Any]) -> Work:
    instance = build(what["target"], what["settings"], _tools(what))
    entry, metrics = what["entry"], what["metrics"]

    def answer(request: bytes) -> bytes:
        return _encoded(call(instance, entry, metrics, pickle.loads(request)))

    return _serving(answer)


def _tools(what: dict[str, Any]) -> Any:
    from evalsi.core.engine.tokens import CoreTokens
    from evalsi.core.engine.tools import tools_for

    CoreTokens.held_by_owner = True  # the owner holds a core for this worker: asking again hangs
    return tools_for(what["needs"], what["min_isolation"], what["deadline_s"])


def _encoded(results: list[Result]) -> bytes:
    try:
        return encode(results)
    except (TypeError, ValueError, RecursionError) as error:
        why = Failure("evaluator", f"its answer is not plain data: {error}")
        return encode([Errored(why)] * len(results))


def _function(what: dict[str, Any]) -> Work:
    function = _named(what["function"])
    if what["warm_up"]:
        _named(what["warm_up"])()

    def answer(request: bytes) -> bytes:
        try:
            return json.dumps(("reply", function(json.loads(request)))).encode()
        except MemoryError:
            return b'["memory"]'
        except BaseException as error:  # noqa: BLE001 - the boundary to a stranger's code
            why = Failure.of(error)
            return json.dumps(("raised", why.kind, why.message, why.where)).encode()

    return _serving(answer)


def _named(path: str) -> Any:
    module, _, attribute = path.partition(":")
    return getattr(importlib.import_module(module), attribute)


def _serving(answer: Callable[[bytes], bytes]) -> Work:
    def work(wire: socket.socket) -> None:
        with contextlib.suppress(FrameLost):
            while True:
                send(wire, answer(receive(wire, trusted=True) or b""))

    return work
