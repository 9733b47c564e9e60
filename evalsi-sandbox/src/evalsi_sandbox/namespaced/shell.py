"""A jail's walls and its guest, standing."""

from __future__ import annotations

import contextlib
import os
import socket
from typing import TYPE_CHECKING, Final

from evalsi.core.sandbox import Launch
from evalsi_sandbox import box, memfile
from evalsi_sandbox.namespaced import etc, stage
from evalsi_sandbox.namespaced.walls import CONTROL, Walls, zygote
from evalsi_sandbox.rlimits import NICE, NOBODY
from evalsi_sandbox.standing import Standing, outage

if TYPE_CHECKING:
    from io import FileIO

    from evalsi.core.sandbox import JailSpec, Launcher
    from evalsi_sandbox.namespaced.walls import Tool

__all__ = ["Shell"]

_START_S: Final = 20.0


class Shell(Standing):
    """Stands once the constructor returns: the guest has said that it is ready."""

    def __init__(
        self, launcher: Launcher, tool: Tool, spec: JailSpec, *, forks: bool = False
    ) -> None:
        super().__init__(socket.SOCK_SEQPACKET)
        try:
            # A pipe, as programs get one: the zygote's streams, which they inherit, look at it.
            with outage(), memfile.scratch() as words, memfile.stdin(b"") as stdin:
                home = self._held.path
                box.fill(home / "box", spec.files)
                etc.lay_out(home / "etc")
                walls = Walls(spec, self.python, home / "box", home / "etc", forks=forks)
                self._launch(launcher, tool, walls, {0: stdin, 2: words, CONTROL: self.inside})
                self._await(b"ready", _START_S, words, tool.name, tool.mend)
        except BaseException:
            self.close()
            raise

    def _launch(
        self, launcher: Launcher, tool: Tool, walls: Walls, fds: dict[int, FileIO | socket.socket]
    ) -> None:
        root = os.geteuid() == 0
        staged = root and stage.needed(tool, walls)
        before = stage.command(tool, walls) if staged else []
        guest = walls.guest()
        if walls.forks:
            self.control.send(zygote())
        with contextlib.ExitStack() as closing:
            built = tool.build(walls)
            for file in built.fds.values():
                closing.enter_context(file)
            argv = [*before, *built.argv, *guest]
            numbers = {number: file.fileno() for number, file in {**fds, **built.fds}.items()}
            launch = Launch(
                argv,
                uid=NOBODY if root and not staged else None,
                fds=numbers,
                enter=self.group.folders if self.group is not None else (),
                nice=NICE,
            )
            self._start(launcher, launch, tool.name)
