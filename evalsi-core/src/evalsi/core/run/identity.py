"""What makes two starts the same run: the spec, the records, and who evaluates them.

What changes no result is left out: gates may be moved and the server may stand at another
address when a run goes on. The records are known by their hash, wherever they lie.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from evalsi.core.errors import DataError
from evalsi.core.run.rows import by_row
from evalsi.core.spec.bound import Bound

__all__ = ["identity_of", "refuse_another"]

_FREE: Final = frozenset({"gates", "maxErrorRate", "concurrency", "deadlineSeconds", "dataset"})
_WAYS: Final = frozenset(
    {"api_key_env", "base_url", "concurrency", "deadline_s", "input_price", "max_requests"}
    | {"output_price", "requests_per_minute", "retries", "timeout_s"}
)
"""How a server is reached, which says nothing of what it answers."""
_WHO: Final = ("connector", "distribution", "version", "revision", "backend", "dtype", "device")
"""What says who answers, where a target tells it."""


def identity_of(
    document: Mapping[str, Any], data_hash: str, target: Mapping[str, Any], bounds: Sequence[Bound]
) -> dict[str, Any]:
    """Plain data that is equal for two starts of one run."""
    body = {name: value for name, value in document["spec"].items() if name not in _FREE}
    for asked in ("target", "judge"):
        if isinstance(params := body.get(asked), Mapping):
            body[asked] = {name: value for name, value in params.items() if name not in _WAYS}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    told = [str(target.get(name, "")) for name in _WHO]
    return {
        "spec": hashlib.sha256(text.encode()).hexdigest(),
        "data": data_hash,
        "target": " ".join(filter(None, told)),
        "evaluators": {bound.name: by_row(bound.by) for bound in bounds},
    }


def refuse_another(path: Path, held: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Refuses to go on with a file of another run.

    Raises:
        DataError: the message says what differs, and what to do.
    """
    differs = [name for name in now if held.get(name) != now[name]]
    if not differs:
        return
    told = {
        "spec": "another spec",
        "data": "other records",
        "target": f"another target ({held.get('target')}, now {now['target']})",
        "evaluators": f"other evaluators{_versions(held, now)}",
        "outputs": "scores that are not new, or outputs of another result",
    }
    raise DataError(
        f"{path} belongs to a run with {' and '.join(told[name] for name in differs)}; results are "
        f"not mixed: write to a new --out, or score its outputs anew with `evalsi rescore`"
    )


def _versions(held: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    before, after = held.get("evaluators", {}), now["evaluators"]
    changed = [
        f"{name}: {_difference(before[name], by)}"
        for name, by in after.items()
        if name in before and before[name] != by
    ]
    return f" ({'; '.join(changed)})" if changed else ""


def _difference(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    if _told(before) == _told(now):
        return "other params, or a file that they name has another content"
    return f"{_told(before)}, now {_told(now)}"


def _told(by: Mapping[str, str]) -> str:
    return " ".join(by.get(name, "") for name in ("distribution", "version", "backend")).strip()
