"""`type` as a test calls it: of an object of the candidate it gives the candidate's class."""

from __future__ import annotations

from typing import Any

from evalsi_pack_rl.code_exec.asserts.guest.remote import Remote, state_of


def kind_of(*args: Any, **kwargs: Any) -> Any:
    """Stands for the built-in `type`: the class of an object, or a new class."""
    if len(args) != 1 or kwargs or not issubclass(type(args[0]), Remote):
        return type(*args, **kwargs)
    kind = state_of(args[0]).ask("attr", "__class__")
    return kind if issubclass(type(kind), Remote) else Remote  # no plain data, whatever it says
