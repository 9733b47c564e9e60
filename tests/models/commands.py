"""The command line as users start it, over the example specs."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from serving import ONE_THREAD

if TYPE_CHECKING:
    from serving import Server

__all__ = ["EXAMPLES", "NOBODY", "Done", "Example", "evalsi", "over_file", "started"]

EXAMPLES = Path(__file__).parents[2] / "examples" / "finetuning"
PROGRAM = str(Path(sys.executable).with_name("evalsi"))
NOBODY = "http://127.0.0.1:9/v1"  # the port of `discard`: no server is there


def over_file(path: Path, limit: int) -> tuple[str, ...]:
    """The change that puts the first rows of a file into the place of the hub's dataset."""
    data = ("--set", "dataset.uri=null", "--set", f"dataset.path={path}")
    return ("--limit", str(limit), "--set", "target.max_tokens=24", *data)


@dataclass(frozen=True, slots=True)
class Done:
    """A command that ended.

    Attributes:
        code: its exit code.
        told: the one object on its stdout.
        error: its stderr.
    """

    code: int
    told: dict[str, Any]
    error: str


def started(*arguments: str, **environment: str) -> subprocess.Popen[str]:
    """A command that runs, in a process group of its own."""
    return subprocess.Popen(
        [PROGRAM, *arguments],
        env={**os.environ, **ONE_THREAD, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def evalsi(*arguments: str, **environment: str) -> Done:
    """A command from its start to its end, with its JSON."""
    with started(*arguments, "--format", "json", **environment) as process:
        out, error = process.communicate(timeout=300)
    return Done(process.returncode, json.loads(out) if out else {}, error)


@dataclass(frozen=True, slots=True)
class Example:
    """A run of one of the examples, with what a test must change.

    Attributes:
        name: the file of its spec.
        server: the target.
        out: its result.
        changes: `--limit` and `--set` of the command line.
    """

    name: str
    server: Server
    out: Path
    changes: tuple[str, ...]

    @property
    def arguments(self) -> list[str]:
        """Of `evalsi`, for the whole run."""
        target = [f"target.model={self.server.model}", f"target.base_url={self.server.url}"]
        sets = [word for change in target for word in ("--set", change)]
        spec = ["run", "-f", str(EXAMPLES / self.name), "--out", str(self.out)]
        return [*spec, *sets, *self.changes]

    def run(self, *further: str, **environment: str) -> Done:
        """Runs it, or goes on with it."""
        return evalsi(*self.arguments, *further, **environment)

    def run_offline(self, *further: str, **environment: str) -> Done:
        """Runs it where no server is: every request would be an error."""
        return self.run("--set", f"target.base_url={NOBODY}", *further, **environment)

    @contextlib.contextmanager
    def under_way(self, *further: str, outputs: int) -> Iterator[subprocess.Popen[str]]:
        """Starts it, asking for one output at a time, and gives it when it has so many."""
        with started(*self.arguments, *further, "--set", "concurrency=1") as process:
            end = time.monotonic() + 60
            while self.answered < outputs:
                assert process.poll() is None, process.communicate()
                assert time.monotonic() < end
                time.sleep(0.002)
            yield process
            process.communicate(timeout=120)

    @property
    def answered(self) -> int:
        """The outputs that its journal has."""
        journal = self.out.with_name(f"{self.out.name}.journal")
        return journal.read_text("utf-8").count('"output"') if journal.exists() else 0

    def copied_to(self, folder: Path) -> Example:
        """The same run with a copy of its result: what a test does to it hangs on no other."""
        return replace(self, out=Path(shutil.copy(self.out, folder)))

    @property
    def document(self) -> dict[str, Any]:
        """The result."""
        found: dict[str, Any] = json.loads(self.out.read_text("utf-8"))
        return found
