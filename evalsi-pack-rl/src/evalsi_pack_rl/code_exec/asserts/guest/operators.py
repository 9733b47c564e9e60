"""The operators of proxies: where they are decided, here or in the candidate's process."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from evalsi_pack_rl.code_exec.asserts.guest.remote import (
    NOTHING,
    Remote,
    State,
    of_kind,
    part_of,
    state_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

_GIVEN = {"int": int, "float": float, "complex": complex, "len": int, "str": str, "repr": str,
          "format": str, "index": int, "bytes": bytes}  # fmt: skip


def _ordered(name: str) -> Callable[..., Any]:
    def compare(self: Remote, other: Any) -> Any:
        state = state_of(self)
        if part_of(self) is not self:
            other = part_of(other)
        if issubclass(type(other), Remote):
            return state.ask(name, other)
        state.refuse_derived(name)
        plain = state.plain()
        if plain is not NOTHING:
            return getattr(operator, name)(plain, other)
        return NotImplemented

    return compare


def _derived(state: State, value: Any) -> Any:
    """What an operator of the program made with the test's data: an object, and no verdict.

    It is equal to plain data only where the operand was plain data of a class of its own.
    """
    if not issubclass(type(value), Remote):
        raise TypeError("the program's operator gave plain data for the test's data")
    made = state_of(value)
    made.derived = True
    if state.part is NOTHING:
        made.part = NOTHING
    return value


def _binary(name: str, *, swapped: bool = False) -> Callable[..., Any]:
    do = getattr(operator, name, divmod)

    def operate(self: Remote, other: Any) -> Any:
        state = state_of(self)
        if part_of(self) is not self:
            other = part_of(other)
        theirs = issubclass(type(other), Remote)
        if state.named or theirs:
            pair = (other, self) if swapped else (self, other)
            value = state.peer.ask(name, *pair)
            derived = state.derived or not theirs or state_of(other).derived
            return _derived(state, value) if derived else value
        plain = state.plain()
        if plain is NOTHING:
            return NotImplemented
        return do(other, plain) if swapped else do(plain, other)

    return operate


def _unary(name: str, dunder: str) -> Callable[..., Any]:
    def operate(self: Remote, *args: Any) -> Any:
        state = state_of(self)
        if name not in SHOWN:
            state.refuse_derived(name)
        plain = NOTHING if state.named or name in SHOWN else state.plain()
        if plain is not NOTHING:
            return getattr(plain, dunder)(*args)
        again = name in _GIVEN or (name == "getitem" and type(args[0]) in (int, str))
        value = state.read(name, *args) if again else state.ask(name, *args)
        if name == "len" and not state.named:
            return state.said.length(of_kind(value, int))
        return of_kind(value, _GIVEN[name]) if name in _GIVEN else value

    return operate


SHOWN = ("str", "repr", "format")
BINARY = "add sub mul truediv floordiv mod matmul lshift rshift and_ or_ xor pow divmod"
UNARY = (
    "len str repr int float complex index reversed round format abs neg pos invert getitem setitem "
    "delitem bytes"
)
for _name in ("lt", "le", "gt", "ge"):
    setattr(Remote, f"__{_name}__", _ordered(_name))
for _name in BINARY.split():
    _dunder = _name.rstrip("_")
    setattr(Remote, f"__{_dunder}__", _binary(_name))
    setattr(Remote, f"__r{_dunder}__", _binary(_name, swapped=True))
for _name in UNARY.split():
    setattr(Remote, f"__{_name}__", _unary(_name, f"__{_name}__"))
