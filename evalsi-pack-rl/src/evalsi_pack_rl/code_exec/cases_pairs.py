"""Pairs and columns of input and output: for standard input, or for calls of a function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from evalsi.core.errors import DataError
from evalsi_pack_rl.code_exec.cases_calls import call, function_name
from evalsi_pack_rl.code_exec.cases_kinds import Case, PairCase
from evalsi_pack_rl.code_exec.cases_reading import as_bytes, as_list, as_mapping, as_text, parsed

if TYPE_CHECKING:
    from evalsi.core.results import JSON

__all__ = ["columns", "pairs"]

_Item: TypeAlias = Mapping[str, "JSON"]

_INPUTS: Final = ("input", "stdin", "inputs")
_OUTPUTS: Final = ("output", "stdout", "outputs")
_SIDES: Final = (_INPUTS[0], _OUTPUTS[0])
_OPENINGS: Final = ("{", "[")
_TYPES: Final = ("testtype", "type")
_CALLS: Final = frozenset({"functional", "function_call"})
_STREAMS: Final = frozenset({"stdin", "stdin_stdout"})


def pairs(tests: JSON, where: str, function: str | None) -> Iterator[Case]:
    """The cases of a list of pairs, or of a mapping of two columns; none of None."""
    if tests is None:
        return
    if isinstance(tests, Mapping):
        name = function_name(tests.get("fn_name"), f"{where}.fn_name") or function
        left, right = _present(tests, _INPUTS), _present(tests, _OUTPUTS)
        yield from columns(tests.get(left), tests.get(right), f"{where}.", name, (left, right))
        return
    for index, test in enumerate(as_list(tests, where)):
        yield _case(_mapping(test, f"{where}[{index}]"), f"{where}[{index}]", function)


def columns(
    inputs: JSON,
    outputs: JSON,
    parent: str,
    function: str | None,
    names: tuple[str, str] = ("inputs", "outputs"),
) -> Iterator[Case]:
    """The cases of two columns; none where neither is there."""
    if inputs is None and outputs is None:
        return
    left, right = f"{parent}{names[0]}", f"{parent}{names[1]}"
    for where, column in ((left, inputs), (right, outputs)):
        if column is None:
            raise DataError(f"{where} is missing; give one list of each")
    given = as_list(parsed(inputs, left), left)
    expected = as_list(parsed(outputs, right), right)
    if len(given) != len(expected):
        raise DataError(
            f"{left} has {len(given)} items and {right} has {len(expected)}; "
            "give one output for each input"
        )
    for i, pair in enumerate(zip(given, expected, strict=True)):
        yield _one(*pair, (f"{left}[{i}]", f"{right}[{i}]"), function)


def _mapping(test: JSON, where: str) -> _Item:
    """A pair as a mapping: it may be JSON text, or a list of the two."""
    if isinstance(test, str) and test.lstrip()[:1] in _OPENINGS:
        test = parsed(test, where)
    if isinstance(test, list | tuple) and len(test) == len(_SIDES):
        return dict(zip(_SIDES, test, strict=True))
    return as_mapping(test, where, "input and output")


def _case(test: _Item, where: str, function: str | None) -> Case:
    left, right = _present(test, _INPUTS), _present(test, _OUTPUTS)
    name = _function(test, where, function)
    for member in (left,) if name else (left, right):
        if test.get(member) is None:
            raise DataError(f"{where}.{member} is missing; give text, empty if it is")
    if right not in test:
        raise DataError(f"{where}.{right} is missing; give the value")
    return _one(test[left], test[right], (f"{where}.{left}", f"{where}.{right}"), name)


def _function(test: _Item, where: str, function: str | None) -> str | None:
    """The function that a pair calls; its own type and name go before the rollout's."""
    name = function_name(test.get("fn_name"), f"{where}.fn_name") or function
    said = _present(test, _TYPES)
    if test.get(said) is None:
        return name
    meant = as_text(test[said], f"{where}.{said}", "text")
    if meant in _STREAMS:
        return None
    if meant not in _CALLS:
        known = ", ".join(sorted(_CALLS | _STREAMS))
        raise DataError(f"{where}.{said} is {meant[:80]!r}; it must be one of {known}")
    if name is None:
        raise DataError(
            f"{where}.{said} is {meant!r} and no function is named; "
            "give `fn_name`, or `metadata` with `func_name`"
        )
    return name


def _one(given: JSON, expected: JSON, places: tuple[str, str], function: str | None) -> Case:
    if function is not None:
        return call(function, given, expected, places)
    return PairCase(as_bytes(given, places[0]), as_bytes(expected, places[1]))


def _present(item: _Item, names: tuple[str, ...]) -> str:
    """The first of the names that the item has a value for; else the first that it has."""
    held = [name for name in names if item.get(name) is not None]
    return (held or [name for name in names if name in item] or [names[0]])[0]
