"""Things that both sides have, so that their name alone crosses: types, errors."""

from __future__ import annotations

import builtins
import sys
from types import GeneratorType
from typing import Any

TYPES: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        bool, bytearray, bytes, complex, dict, float, frozenset, int, list, object, range, set,
        slice, str, tuple, type, type(None),
    )
}  # fmt: skip
ERRORS: dict[str, type[BaseException]] = {
    name: value
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}
_MODULES = (
    "asyncio.exceptions asyncio.queues binascii copy csv _csv dataclasses decimal enum "
    "json.decoder queue _queue re struct statistics zoneinfo zlib"
)
MODULES_OF_ERRORS = frozenset(_MODULES.split())


def name_of(value: object) -> list[str] | None:
    """The form of a type that both sides have."""
    if isinstance(value, type):
        name = value.__name__
        if TYPES.get(name) is value or ERRORS.get(name) is value:
            return ["y", name]
        if value is GeneratorType:
            return ["y", name]
        if issubclass(value, BaseException) and value.__module__ in MODULES_OF_ERRORS:
            return ["k", value.__module__, name]
    return None


def type_of(name: object) -> type:
    """The type with a name; `LookupError` when there is none."""
    if name == "generator":
        return GeneratorType
    known = TYPES.get(name) or ERRORS.get(name)  # type: ignore[call-overload]
    if known is None:
        raise LookupError(name)
    return known  # type: ignore[no-any-return]


def error_of(module: object, name: object) -> type[BaseException]:
    """The standard library's error with a name, where its module is loaded."""
    if module in MODULES_OF_ERRORS and isinstance(name, str):
        found: Any = vars(sys.modules.get(str(module), sys)).get(name)
        if isinstance(found, type) and issubclass(found, Exception):
            return found
    raise LookupError(name)
