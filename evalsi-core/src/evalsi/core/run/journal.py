"""What a run has so far, on disk: outputs as they come, scores as they are there.

A line is on its way to the disk before anything hangs on it, so that a run that was killed goes
on where it stood, and asks for nothing that it has. Memory holds the places of lines only.
"""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from evalsi.core.chat import Output
from evalsi.core.durable import Journal
from evalsi.core.errors import DataError
from evalsi.core.results import INFRASTRUCTURE, Errored
from evalsi.core.run.evaluation import Scores
from evalsi.core.run.identity import refuse_another
from evalsi.core.run.rows import encoded, output_of, output_row, result_row

__all__ = ["RunJournal"]

_NOTHING: Final = -1


class RunJournal:
    """The journal of one run.

    Args:
        path: the file; lines of an earlier start of the same run are gone on with.
        identity: plain data that is equal for the same run: spec, records, versions.
        size: number of records, and trials of each.

    Attributes:
        path: the file.
        rungs: where evaluators' code ran, by their names.

    Raises:
        DataError: the file is another run's, or no journal, or another process writes it.
    """

    def __init__(self, path: Path, identity: Mapping[str, Any], size: tuple[int, int]) -> None:
        self.path = path
        records, self._trials = size
        self._outputs = array("q", [_NOTHING]) * (records * self._trials)
        self._scores = array("q", [_NOTHING]) * records
        self.rungs: dict[str, list[str]] = {}
        try:
            self._journal = Journal(path, resume=True)
        except OSError as error:
            reason = error.strerror or error
            raise DataError(f"{path} cannot be written: {reason}; check --out") from error
        self._end = 0
        self._read = os.open(path, os.O_RDONLY)
        self._begin(identity)

    def _begin(self, identity: Mapping[str, Any]) -> None:
        for number, line in enumerate(self._journal.lines(), 1):
            try:
                self._take(json.loads(line), number, identity)
            except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
                raise DataError(f"{self.path}:{number} is no line of a run; remove it") from error
            self._end += len(line)
        if not self._end:
            self._append({"run": identity})

    def _take(self, row: Mapping[str, Any], number: int, identity: Mapping[str, Any]) -> None:
        """Notes where an earlier line stands; failures that may pass are tried again."""
        if number == 1:
            refuse_another(self.path, row["run"], identity)
        elif "output" in row:
            place = row["record"] * self._trials + row["trial"]
            self._outputs[place] = _NOTHING if _may_pass(row["output"]) else self._end
        elif "scores" in row:
            again = any(_is_outage(one) for trial in row["scores"] for one in trial.values())
            self._scores[row["record"]] = _NOTHING if again else self._end
        else:
            self.rungs = row["rungs"]

    def take_over(self, head: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> None:
        """Takes what a result document has and this journal has not.

        Args:
            head: the document's fields before its records.
            rows: its records, one a trial, in order.
        """
        rungs = {name: by.get("rung") for name, by in head["evaluators"].items()}
        self.put_rungs({name: set(held.split(", ")) for name, held in rungs.items() if held})
        scores: list[Mapping[str, Any]] = []
        for place, row in enumerate(rows):
            record, trial = divmod(place, self._trials)
            scores = [row["scores"]] if trial == 0 else [*scores, row["scores"]]
            if not (self.has_output(record, trial) or _may_pass(row["output"])):
                line = {"record": record, "trial": trial, "output": row["output"]}
                self._outputs[place] = self._append(line)
            whole = trial == self._trials - 1 and not self.has_scores(record)
            if whole and not any(_is_outage(one) for held in scores for one in held.values()):
                self._scores[record] = self._append({"record": record, "scores": scores})

    def has_scores(self, record: int) -> bool:
        """Whether the record has been evaluated."""
        return self._scores[record] != _NOTHING

    def has_output(self, record: int, trial: int) -> bool:
        """Whether the target answered that trial, or failed for good."""
        return self._outputs[record * self._trials + trial] != _NOTHING

    def put_output(self, record: int, trial: int, output: Output | Errored) -> None:
        """Keeps what the target gave."""
        self._outputs[record * self._trials + trial] = self._append(
            {"record": record, "trial": trial, "output": output_row(output)}
        )

    def put_scores(self, scores: Iterable[tuple[int, Scores]]) -> None:
        """Keeps the scores of all trials of some records, in one write."""
        lines = []
        end = self._end
        for record, trials in scores:
            rows = [{name: result_row(result) for name, result in one.items()} for one in trials]
            lines.append(encoded({"record": record, "scores": rows}).encode())
            self._scores[record] = end
            end += len(lines[-1]) + 1
        self._journal.append(b"\n".join(lines))
        self._end = end

    def fill(self, error: Errored, evaluators: Sequence[str]) -> None:
        """Puts an error wherever there is no output or no score yet."""
        for record in range(len(self._scores)):
            if self.has_scores(record):
                continue
            trials = range(self._trials)
            for trial in (t for t in trials if not self.has_output(record, t)):
                self.put_output(record, trial, error)
            outputs = [self.output(record, trial) for trial in trials]
            found = [output if isinstance(output, Errored) else error for output in outputs]
            scores: Scores = [dict.fromkeys(evaluators, one) for one in found]
            self.put_scores([(record, scores)])

    def put_rungs(self, rungs: Mapping[str, set[str]]) -> None:
        """Keeps where evaluators' code ran, when that is news."""
        now = {name: sorted(held) for name, held in sorted(rungs.items())}
        if now != self.rungs:
            self._append({"rungs": now})
            self.rungs = now

    def output_rows(self, record: int) -> list[dict[str, Any]]:
        """The outputs of a record, one a trial."""
        first = record * self._trials
        places = self._outputs[first : first + self._trials]
        return [self._line(place)["output"] for place in places]

    def output(self, record: int, trial: int) -> Output | Errored:
        """One output."""
        return output_of(self._line(self._outputs[record * self._trials + trial])["output"])

    def score_rows(self, record: int) -> list[dict[str, Any]]:
        """The scores of a record: of each trial by the evaluator's name."""
        rows: list[dict[str, Any]] = self._line(self._scores[record])["scores"]
        return rows

    def _append(self, row: Mapping[str, Any]) -> int:
        line = encoded(row).encode()
        self._journal.append(line)
        at, self._end = self._end, self._end + len(line) + 1
        return at

    def _line(self, place: int) -> dict[str, Any]:
        size = 4096
        held = os.pread(self._read, size, place)
        while b"\n" not in held:
            size *= 4
            held = os.pread(self._read, size, place)
        row: dict[str, Any] = json.loads(held[: held.index(b"\n")].decode())
        return row

    def remove(self) -> None:
        """Removes the file: a document has all that it has."""
        self.path.unlink()

    def close(self) -> None:
        """Lets go of the file."""
        os.close(self._read)
        self._journal.close()


def _may_pass(output: Mapping[str, Any]) -> bool:
    return bool(output.get("error", {}).get("retryable"))


def _is_outage(result: Mapping[str, Any]) -> bool:
    return result["status"] == "error" and result["kind"] in INFRASTRUCTURE
