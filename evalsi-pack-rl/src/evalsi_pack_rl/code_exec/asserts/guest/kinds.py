"""`type` as a test calls it: of an object of the candidate it gives the candidate's class."""

from __future__ import annotations

from typing import Any

from evalsi_pack_rl.code_exec.asserts.guest.remote import Remote, state_of


class _Everything(type):
    """Stands for `object` where the program names it: every error of the test would be one."""

    def __eq__(cls, other: object) -> bool:
        return other is object or other is cls

    def __hash__(cls) -> int:
        return hash(object)

    def __instancecheck__(cls, thing: object) -> bool:
        return issubclass(type(thing), Remote)

    def __subclasscheck__(cls, kind: object) -> bool:
        return issubclass(type(kind), Remote)

    def __call__(cls, *_args: Any, **_kwargs: Any) -> Any:
        raise TypeError("an object of no class of the program")


OBJECT = _Everything("object", (), {"__module__": "builtins"})


def kind_of(*args: Any, **kwargs: Any) -> Any:
    """Stands for the built-in `type`: the class of an object, or a new class."""
    if len(args) != 1 or kwargs or not issubclass(type(args[0]), Remote):
        return type(*args, **kwargs)
    kind = state_of(args[0]).ask("attr", "__class__")
    return kind if issubclass(type(kind), Remote) else Remote  # no plain data, whatever it says
