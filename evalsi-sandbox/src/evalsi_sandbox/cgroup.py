"""A control group a jail, where this process may make one: v1 (memory and pids) or v2.

Where the controller of CPU time can be had as well, a jail weighs as much as one process of its
opener, however many it starts: that is what the kernel gives a new group.

The group lies below the opener's own, so that a jail counts towards whatever limits its opener.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Final

from evalsi_sandbox import lease

__all__ = ["Cgroup", "make", "sweep"]

_MIB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class _Place:
    """Where groups can be made: one folder for all controllers under v2, else one for each."""

    memory: Path
    pids: Path
    cpu: Path | None = None
    cpuacct: Path | None = None

    @property
    def unified(self) -> bool:
        return self.memory == self.pids


class Cgroup:
    """One jail's group, noted in the jail's lease before it is made."""

    def __init__(self, place: _Place, held: lease.Lease) -> None:
        self._seen = 0
        self._events: FileIO | None = None  # read once a case: opening it is most of the price
        self._unified = place.unified
        name = f"evalsi-{held.path.name}"
        self._memory, self._pids = place.memory / name, place.pids / name
        cpu = None if place.cpu is None else place.cpu / name
        self._cpuacct = None if place.cpuacct is None else place.cpuacct / name
        every = {self._memory, self._pids, cpu, self._cpuacct}
        self.folders = sorted(str(folder) for folder in every if folder is not None)
        held.note_cgroups(self.folders)
        try:
            for folder in self.folders:
                Path(folder).mkdir()
        except OSError:
            self.remove()
            raise

    def limit(self, memory_mb: int, processes: int) -> None:
        """Sets what everything in the jail may use together."""
        size = str(memory_mb * _MIB)
        (self._pids / "pids.max").write_text(str(processes))
        if self._unified:
            (self._memory / "memory.max").write_text(size)
            _write_if_there(self._memory / "memory.swap.max", "0")
            return
        # v1 keeps memory <= memory+swap at every moment: which to write first depends on both.
        both = self._memory / "memory.memsw.limit_in_bytes"
        _write_if_there(both, "-1")
        (self._memory / "memory.limit_in_bytes").write_text(size)
        _write_if_there(both, size)

    def ran_out(self) -> bool:
        """Whether the kernel has killed for memory since the last call."""
        kills = self._oom_kills()
        new, self._seen = kills > self._seen, kills
        return new

    def cpu_s(self) -> float | None:
        """Seconds of CPU that everything in the group has used, or None where nobody counts."""
        if self._unified:
            stat = (self._memory / "cpu.stat").read_text()  # usage_usec is its first line
            return int(stat.split()[1]) / 1e6
        if self._cpuacct is None:
            return None
        return int((self._cpuacct / "cpuacct.usage").read_text()) / 1e9

    def remove(self) -> bool:
        """Removes the group once its killed processes have left it; False if some stay."""
        if self._events is not None:
            self._events.close()
            self._events = None
        return _remove(self.folders, patience_s=2.0)

    def _oom_kills(self) -> int:
        if self._events is None:
            name = "memory.events" if self._unified else "memory.oom_control"
            self._events = FileIO(self._memory / name)
        _, _, count = os.pread(self._events.fileno(), 4096, 0).partition(b"\noom_kill ")
        return int(count.partition(b"\n")[0]) if count else 0


def make(held: lease.Lease) -> Cgroup | None:
    """A group for the jail of that lease, or None where none can be made."""
    for place in _places():
        with contextlib.suppress(OSError):
            return Cgroup(place, held)
    return None


def sweep() -> None:
    """Removes what killed owners have left: groups and folders."""
    for orphan in lease.orphans():
        gone = False
        with contextlib.suppress(OSError):
            gone = _remove(orphan.cgroups(), patience_s=0.0)
        if gone:
            orphan.release()
        else:
            orphan.leave()


def _remove(folders: list[str], patience_s: float) -> bool:
    deadline = time.monotonic() + patience_s
    left = [folder for folder in folders if not _gone(folder)]
    while left and time.monotonic() < deadline:
        time.sleep(0.002)  # killed processes leave their group a moment after they are reaped
        left = [folder for folder in left if not _gone(folder)]
    return not left


def _gone(folder: str) -> bool:
    try:
        Path(folder).rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _write_if_there(file: Path, text: str) -> None:
    if file.exists():
        file.write_text(text)


def _places() -> Iterator[_Place]:
    """v1's two hierarchies, then v2: our own group if it hands controllers down, else its parent.

    Under v2 a group that holds processes cannot hand controllers to its children (only the root
    can), so the usual place is beside us, in a parent that was delegated to us.
    """
    own, mounts = _own_groups(), _mounts()
    if own.keys() & mounts.keys() >= {"memory", "pids"}:
        at = {name: mounts[name] / own[name] for name in own.keys() & mounts.keys() if name}
        at = {name: folder for name, folder in at.items() if os.access(folder, os.W_OK)}
        if at.keys() >= {"memory", "pids"}:
            yield _Place(at["memory"], at["pids"], at.get("cpu"), at.get("cpuacct"))
            yield _Place(at["memory"], at["pids"])
    if "" in own and "" in mounts:
        here = mounts[""] / own[""]
        for folder in (here, here.parent):
            if os.access(folder, os.W_OK) and (down := _hands_down(folder)) >= {"memory", "pids"}:
                yield _Place(folder, folder, folder if "cpu" in down else None)


def _hands_down(folder: Path) -> set[str]:
    try:
        return set((folder / "cgroup.subtree_control").read_text().split())
    except OSError:
        return set()


def _own_groups() -> dict[str, str]:
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    found = {}
    for line in lines:
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            found[controller] = path.lstrip("/")
    return found


def _mounts() -> dict[str, Path]:
    """Mount points by controller; the empty name stands for v2."""
    found: dict[str, Path] = {}
    for line in Path("/proc/self/mounts").read_text().splitlines():
        _, point, kind, options, *_ = line.split(" ")
        if kind == "cgroup2":
            found[""] = Path(point)
        elif kind == "cgroup":
            found.update({option: Path(point) for option in options.split(",")})
    return found
