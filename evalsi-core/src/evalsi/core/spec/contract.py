"""What an evaluator's class declares, read with its params and checked against the contract."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, fields
from typing import Final, TypeVar, cast, get_args

from pydantic import BaseModel

from evalsi.core.evaluator import ENTRIES, Batch, Direction, Need
from evalsi.core.records import Record
from evalsi.core.results import JSON
from evalsi.core.spec.issues import did_you_mean, listed

__all__ = [
    "BrokenContract",
    "Declared",
    "by_params",
    "declared",
    "entry_of",
    "params_of",
    "paths_of",
]

_FIELDS: Final = tuple(field.name for field in fields(Record))
_DEFAULT_READS: Final = tuple(name for name in _FIELDS if name != "id")
_STATED: Final = ("reads", "needs", "bounded", "batch", "metrics", "backend", "patience_s")
_DIRECTIONS: Final = get_args(Direction)
_LONGEST_WAIT_MS: Final = 60_000

T = TypeVar("T")


class BrokenContract(Exception):  # noqa: N818 - it never leaves the room
    """A class does not keep the contract of an evaluator; the message is a clause about it."""


@dataclass(frozen=True, slots=True)
class Declared:
    """What a class says about itself; fields as in `Bound`."""

    fields: tuple[str, ...]
    metadata: tuple[str, ...] | None
    needs: frozenset[Need]
    bounded: bool
    batch: Batch
    metrics: Mapping[str, Direction]
    backend: str
    patience_s: float | None
    about: Mapping[str, Mapping[str, JSON]]


def entry_of(cls: object) -> str:
    """The one method of `ENTRIES` that a class has.

    Raises:
        BrokenContract: it is no class, or has none or several, or is async under a sync name.
    """
    if not isinstance(cls, type):
        raise BrokenContract(f"is {type(cls).__name__}; an evaluator is a class")
    found = [name for name in ENTRIES if callable(getattr(cls, name, None))]
    if len(found) != 1:
        has = f"has {' and '.join(found)}" if found else "has no method that scores"
        raise BrokenContract(f"{has}; give exactly one of {listed(ENTRIES)}")
    is_async = inspect.iscoroutinefunction(getattr(cls, found[0]))
    if is_async != found[0].startswith("a"):
        twin = found[0].removeprefix("a") if not is_async else f"a{found[0]}"
        raise BrokenContract(
            f"has {found[0]}, which is {'' if is_async else 'not '}async; name it {twin}"
        )
    return found[0]


def params_of(cls: type) -> type[BaseModel] | None:
    """A class's `Params`, or None.

    Raises:
        BrokenContract: it is no pydantic model, or one that can change or lets unknown fields by.
    """
    params = getattr(cls, "Params", None)
    if params is None:
        return None
    if not (isinstance(params, type) and issubclass(params, BaseModel)):
        raise BrokenContract("has a `Params` that is no pydantic model")
    if params.model_config.get("extra") != "forbid" or not params.model_config.get("frozen"):
        raise BrokenContract(
            "has a `Params` that must be frozen and refuse unknown fields: "
            'model_config = ConfigDict(frozen=True, extra="forbid")'
        )
    return params


def paths_of(cls: type, model: type[BaseModel] | None) -> tuple[str, ...]:
    """The params of a class that are files.

    Raises:
        BrokenContract: `paths` is no tuple of names of its params.
    """
    paths = getattr(cls, "paths", ())
    known = () if model is None else tuple(model.model_fields)
    if isinstance(paths, str) or not isinstance(paths, tuple | list) or {*paths} - {*known}:
        raise BrokenContract(f"has `paths` {paths!r}; it is a tuple of names of its params")
    return tuple(paths)


def declared(cls: type, short_name: str, params: BaseModel | None) -> Declared:
    """What a class says with these params; what it leaves out has the contract's default.

    Raises:
        BrokenContract: something that it says is not what the contract asks for.
    """
    names, metadata = _reads(_stated(cls, "reads", _DEFAULT_READS, params))
    bounded = _stated(cls, "bounded", default=False, params=params)
    if not isinstance(bounded, bool):
        raise BrokenContract(f"has `bounded` {bounded!r}; it is True or False")
    metrics = _metrics(_stated(cls, "metrics", {short_name: "higher"}, params))
    return Declared(
        names,
        metadata,
        _needs(_stated(cls, "needs", frozenset(), params)),
        bounded,
        _batch(_stated(cls, "batch", Batch(), params)),
        metrics,
        str(_stated(cls, "backend", "", params)),
        _patience_s(_stated(cls, "patience_s", None, params)),
        _about(getattr(cls, "about", {}), metrics, metadata),
    )


def by_params(cls: type) -> list[str]:
    """The declarations of a class that are functions of its params."""
    return [name for name in _STATED if callable(getattr(cls, name, None))]


def _stated(cls: type, name: str, default: object, params: BaseModel | None) -> object:
    """A declaration: its value, or what its static function gives for the params."""
    value = getattr(cls, name, default)
    if not callable(value):
        return value
    try:
        return cast("Callable[[BaseModel | None], object]", value)(params)
    except Exception as error:
        raise BrokenContract(
            f"has `{name}`, which raised {type(error).__name__}: {error}"
        ) from error


def _reads(reads: object) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
    if isinstance(reads, str) or not isinstance(reads, tuple | list | Set):
        raise BrokenContract(f"has `reads` {reads!r}; it is a tuple of fields: ('output',)")
    names: list[str] = []
    keys: list[str] = []
    for read in reads:
        name, dot, key = str(read).partition(".")
        if name not in _FIELDS or (dot and (name != "metadata" or not key)):
            raise BrokenContract(
                f"reads {read!r}, which a record has not; it has {listed(_FIELDS)}, and keys as "
                f"'metadata.<key>'{did_you_mean(name, _FIELDS)}"
            )
        if dot:
            keys.append(key)
        else:
            names.append(name)
    every = "metadata" in names
    plain = tuple(dict.fromkeys(name for name in names if name != "metadata"))
    return plain, None if every else tuple(dict.fromkeys(keys))


def _needs(needs: object) -> frozenset[Need]:
    if not isinstance(needs, Set | tuple | list) or any(not isinstance(n, Need) for n in needs):
        raise BrokenContract(f"has `needs` {needs!r}; it is a frozenset of Need")
    return frozenset(needs)


def _batch(batch: object) -> Batch:
    if not isinstance(batch, Batch):
        raise BrokenContract(f"has `batch` {batch!r}; it is a Batch")
    if batch.max_records < 1 or not 0 <= batch.wait_ms <= _LONGEST_WAIT_MS:
        raise BrokenContract(
            f"has `batch` {batch!r}; max_records is at least 1, "
            f"wait_ms between 0 and {_LONGEST_WAIT_MS}"
        )
    return batch


def _patience_s(seconds: object) -> float | None:
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
        raise BrokenContract(f"has `patience_s` {seconds!r}; it is a number of seconds above 0")
    return float(seconds)


def _metrics(metrics: object) -> Mapping[str, Direction]:
    sound = isinstance(metrics, Mapping) and all(
        isinstance(name, str) and direction in _DIRECTIONS for name, direction in metrics.items()
    )
    if not sound:
        raise BrokenContract(
            f"has `metrics` {metrics!r}; it maps a metric's name to {listed(_DIRECTIONS)}"
        )
    return dict(cast("Mapping[str, Direction]", metrics))


def _about(
    about: object, metrics: Mapping[str, Direction], keys: tuple[str, ...] | None
) -> Mapping[str, Mapping[str, JSON]]:
    sound = isinstance(about, Mapping) and all(
        metric in metrics and isinstance(values, Mapping) and (keys is None or {*values} <= {*keys})
        for metric, values in about.items()
    )
    if not sound:
        raise BrokenContract(
            f"has `about` {about!r}; it maps a metric that it declares to values of metadata keys "
            "that it reads"
        )
    return dict(cast("Mapping[str, Mapping[str, JSON]]", about))
