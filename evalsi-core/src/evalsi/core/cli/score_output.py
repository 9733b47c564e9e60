"""Where rewards go: stdout or a journal that survives a kill, as lines or as a table."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from evalsi.core.cli.exits import ExitCode
from evalsi.core.durable import Journal, publish
from evalsi.core.errors import DataError
from evalsi.core.records import Rollout, id_of
from evalsi.core.results import INFRASTRUCTURE, Errored, Result, Reward, Score
from evalsi.core.reward import LoadedReward
from evalsi.core.reward.rows import provenance, row_of, static_provenance

__all__ = ["Output", "Summary"]


class Summary:
    """What the last line says: rollouts, mean reward, gated; and how the command ends."""

    def __init__(self) -> None:
        self.rollouts = 0
        self._sum = 0.0
        self._totals = 0
        self._gated = 0
        self._failures: set[bool] = set()

    def count(self, reward: Reward) -> None:
        """Counts a reward of this run."""
        results = [component.result for component in reward.components]
        kinds = [result.failure.kind for result in results if isinstance(result, Errored)]
        self._count(reward.total, reward.gated, kinds)

    def count_row(self, row: dict[str, Any]) -> None:
        """Counts a reward that an earlier run wrote."""
        components = row["components"].values()
        kinds = [part["kind"] for part in components if part["status"] == "error"]
        self._count(row["total"], row["gated"], kinds)

    def _count(self, total: float | None, gated: bool, kinds: list[str]) -> None:
        self.rollouts += 1
        self._gated += gated
        self._failures |= {kind in INFRASTRUCTURE for kind in kinds}
        if total is not None:
            self._totals += 1
            self._sum += total

    @property
    def exit_code(self) -> int:
        """0, or what the failures say where not one rollout has a total."""
        if self._totals or not self._failures:
            return ExitCode.OK
        return ExitCode.INFRASTRUCTURE if self._failures == {True} else ExitCode.FAILED

    def __str__(self) -> str:
        mean = f"{self._sum / self._totals:.4f}" if self._totals else "none"
        text = f"{self.rollouts} rollouts, mean reward {mean}, {self._gated} gated"
        without = self.rollouts - self._totals
        return f"{text}, {without} without a total" if without else text


class Output:
    """Lines of rewards, and once an output who computed them.

    On stdout the provenance goes to stderr, behind the last row; beside a file it is the JSON
    file `<out>.by.json`, which also keeps a later `--resume` from mixing specs or versions.
    """

    def __init__(
        self,
        function: LoadedReward,
        out: str | None,
        *,
        resume: bool,
        table: bool,
        evidence: bool,
    ) -> None:
        self._function = function
        self._path = None if out is None else Path(out)
        self._table = table
        self._evidence = evidence
        self._by: dict[str, dict[str, str]] | None = None
        self._journal: Journal | None = None
        if self._path is not None:
            self._journal = _opened(self._path, resume=resume)
            if resume:
                self._check_same()
            self._publish(static_provenance(function))
        if table:
            self._line(_heading(function.components))

    def skip(self, rollouts: Iterator[Rollout], summary: Summary) -> int:
        """Passes the rollouts whose rewards the file has; returns how many those are."""
        count = 0
        for line in self._journal.lines() if self._journal else ():
            count += 1
            place = f"{self._path}:{count}"
            row = _row(line, place)
            rollout = next(rollouts, None)
            expected = None if rollout is None else id_of(rollout, count)
            if row["id"] != expected:
                raise DataError(
                    f"{place} is rollout {row['id']}, and row {count} of the data is {expected}; "
                    f"--resume needs the data that the file was begun with"
                )
            summary.count_row(row)
        return count

    def write(self, reward: Reward) -> None:
        """Writes one reward."""
        if self._by is None:
            self._by = provenance(reward)
            self._publish(self._by)
        if self._table:
            self._line(_table_row(reward))
        else:
            self._line(json.dumps(row_of(reward, evidence=self._evidence)))

    def _line(self, text: str) -> None:
        line = text.encode("utf-8", "backslashreplace")
        if self._journal is not None:
            self._journal.append(line)
        else:
            sys.stdout.buffer.write(line + b"\n")

    def _publish(self, by: dict[str, dict[str, str]]) -> None:
        if self._path is not None:
            terms = self._function.terms
            document = {"spec": terms.name, "fingerprint": terms.fingerprint, "by": by}
            publish(_by_path(self._path), json.dumps(document, indent=2) + "\n")

    def _check_same(self) -> None:
        assert self._path is not None
        beside = _by_path(self._path)
        if not beside.exists():
            return
        now = static_provenance(self._function)
        try:
            held: dict[str, Any] = json.loads(beside.read_text(encoding="utf-8"))
            same = held["fingerprint"] == self._function.terms.fingerprint and all(
                held["by"][name][field] == value
                for name, by in now.items()
                for field, value in by.items()
            )
        except (OSError, ValueError, TypeError, KeyError):
            same = False
        if not same:
            raise DataError(
                f"{self._path} was scored by another spec or other versions ({beside} names "
                f"them); write to a new --out, so that the rewards do not mix"
            )

    def __enter__(self) -> Output:
        return self

    def __exit__(self, *_: object) -> None:
        if self._journal is not None:
            self._journal.close()
            return
        sys.stdout.buffer.flush()
        if self._by is not None:
            click.echo(f"by {json.dumps(self._by)}", err=True)


def _opened(path: Path, *, resume: bool) -> Journal:
    try:
        return Journal(path, resume=resume)
    except OSError as error:
        raise DataError(
            f"{path} cannot be written: {error.strerror or error}; check --out"
        ) from error


def _by_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.by.json")


def _row(line: bytes, place: str) -> dict[str, Any]:
    try:
        row: dict[str, Any] = json.loads(line)
        Summary().count_row(row)
        if not isinstance(row["id"], str) or not isinstance(row["gated"], bool):
            raise TypeError
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise DataError(f"{place} is no reward that this command wrote; mend --out") from error
    return row


def _heading(components: tuple[str, ...]) -> str:
    return "  ".join(["id".ljust(16), "total".rjust(8), "gated", *(c.rjust(8) for c in components)])


def _table_row(reward: Reward) -> str:
    total = "none" if reward.total is None else f"{reward.total:.4f}"
    cells = [_value(part.result).rjust(max(8, len(part.name))) for part in reward.components]
    gated = "yes" if reward.gated else "no"
    name = reward.id.encode("unicode_escape").decode()
    return "  ".join([name.ljust(16), total.rjust(8), gated.ljust(5), *cells])


def _value(result: Result) -> str:
    if isinstance(result, Score):
        return f"{result.value:.4f}"
    return "error" if isinstance(result, Errored) else "skipped"
