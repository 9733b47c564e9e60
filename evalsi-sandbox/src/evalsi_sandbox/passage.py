"""Which folders on the way to a path let only root pass, and the guest that gets nobody through."""

from __future__ import annotations

import contextlib
import marshal
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evalsi_sandbox import memfile

if TYPE_CHECKING:
    from evalsi.core.sandbox import Launch
    from evalsi_sandbox.interpreter import Interpreter

__all__ = ["Passage", "closed"]

_GUEST: Final = Path(__file__).with_name("process_guest.py")
_PLAN, _REPORT = 10, 11  # descriptors of the guest


def closed(paths: Iterable[Path]) -> list[Path]:
    """The topmost folder on each path's way that does not let every user pass."""
    found = {shut for path in paths if (shut := _first_shut(path)) is not None}
    return sorted(shut for shut in found if not any(up in found for up in shut.parents))


def _first_shut(path: Path) -> Path | None:
    ways = reversed(path.resolve().parents)
    return next((folder for folder in ways if not folder.stat().st_mode & 0o001), None)


class Passage:
    """One start of a program through the guest.

    Args:
        launch: the program's own start.
        python: the interpreter that runs the guest.
        shown: the folders that the program needs.
    """

    def __init__(
        self,
        launch: Launch,
        python: Interpreter,
        shown: list[Path],
        closing: contextlib.ExitStack,
    ) -> None:
        self._program = launch.argv[0]
        self._said, report = os.pipe()
        closing.callback(os.close, self._said)
        closing.callback(os.close, report)
        plan = {
            "argv": list(launch.argv),
            "env": dict(launch.env),
            "uid": launch.uid,
            "cwd": launch.cwd,
            "covers": list(map(str, closed(shown))),
            "shown": [str(path.resolve()) for path in shown],
        }
        file = closing.enter_context(memfile.sealed(marshal.dumps(plan)))
        argv = [str(python.executable), "-I", "-S", "-c", _GUEST.read_text()]
        self.launch = replace(
            launch,
            argv=[*argv, str(_PLAN), str(_REPORT)],
            env={},
            cwd="/",
            uid=None,
            fds={**launch.fds, _PLAN: file.fileno(), _REPORT: report},
        )

    def trouble(self) -> str | None:
        """What kept the program from its start, once the guest has ended."""
        os.set_blocking(self._said, False)
        with contextlib.suppress(BlockingIOError):
            said = os.read(self._said, 4096).decode("utf-8", "replace")
            if said.startswith("ready"):
                why = said.removeprefix("ready")
                return f"cannot start {self._program}: {why}" if why else None
            return f"nobody cannot reach the program, and root cannot open a way: {said}"
        return f"the guest ended before it could start {self._program}"
