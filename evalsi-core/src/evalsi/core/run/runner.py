"""Does the work of a run: asks, evaluates, and writes the result.

A result that is there already is gone on with: what it lacks, or what failed in it for a reason
that may have passed, is done; nothing else is asked again.
"""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evalsi.core.errors import DataError
from evalsi.core.run.breaker import NOT_MEASURED, Breaker, RunStopped
from evalsi.core.run.document import ResultFile, write_result
from evalsi.core.run.evaluation import Evaluation
from evalsi.core.run.flow import Flow
from evalsi.core.run.identity import refuse_another
from evalsi.core.run.journal import RunJournal
from evalsi.core.run.lines import Lines
from evalsi.core.run.measures import measure_of
from evalsi.core.run.rows import by_row
from evalsi.core.run.tally import Outcome, Tally
from evalsi.core.run.work import Work

__all__ = ["perform"]


def perform(
    work: Work,
    out: Path | None = None,
    progress: Callable[[int], None] = lambda _: None,
    watch: Callable[[Mapping[str, Any]], None] = lambda _: None,
) -> Outcome:
    """Does the work and gives what it comes to; works inside a running event loop too.

    Args:
        work: what is to be done.
        out: where the result goes; beside it stands a journal while the run is not done.
        progress: told of records as they are done.
        watch: given every row of the result, in order, when the work is done.

    Raises:
        DataError: the records changed meanwhile, or `out` is another run's or cannot be written.
        RunStopped: what is asked is down, and no verdict is possible any more; it has the
            outcome, and `out` is written.
    """
    with _journal(work, out) as journal:
        report = _Report(work)
        stopped = _filled(work, journal, report.evaluation, progress)
        lines = iter(Lines(work, journal, report.tally, watch))
        if out is None:
            deque(lines, maxlen=0)
            outcome = report.outcome(stopped)
        else:
            outcome = report.written(out, lines, stopped)
            journal.remove()
        if stopped is not None:
            stopped.outcome = outcome
            raise stopped
        return outcome


class _Report:
    """What a run's document says around its records."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._started, self._begun = datetime.now(UTC), time.monotonic()
        self.evaluation = Evaluation(work.bounds, work.deadline_s)
        measures = [measure_of(bound) for bound in work.bounds]
        self.tally = Tally(measures, work.trials, work.gates)

    def outcome(self, stopped: RunStopped | None) -> Outcome:
        why = "" if stopped is None else str(stopped)
        return self.tally.outcome(self._work.name, self._work.max_error_rate, why)

    def written(self, out: Path, lines: Iterator[str], stopped: RunStopped | None) -> Outcome:
        outcomes: list[Outcome] = []

        def tail() -> dict[str, Any]:
            outcomes.append(self.outcome(stopped))
            return {**outcomes[0].row(), "session": self._session()}

        write_result(out, self._head(), lines, tail)
        return outcomes[0]

    def _head(self) -> dict[str, Any]:
        work = self._work
        return {
            "name": work.name,
            **work.head,
            "trials": work.trials,
            "evaluators": {name: by_row(by) for name, by in self.evaluation.by.items()},
            "identity": work.identity,
        }

    def _session(self) -> dict[str, Any]:
        judge = self._work.judge
        return {
            "started": self._started.isoformat(timespec="seconds"),
            "seconds": round(time.monotonic() - self._begun, 3),
            **({} if judge is None else {"judge": asdict(judge.usage)}),
        }


def _filled(
    work: Work, journal: RunJournal, evaluation: Evaluation, progress: Callable[[int], None]
) -> RunStopped | None:
    """Has the journal filled; of a run that was stopped with errors in what is left, and why."""
    try:
        _completed(_fill(work, journal, evaluation, progress))
    except RunStopped as stopped:
        journal.fill(NOT_MEASURED, [bound.name for bound in work.bounds])
        return stopped
    return None


async def _fill(
    work: Work, journal: RunJournal, evaluation: Evaluation, progress: Callable[[int], None]
) -> None:
    connector = None if work.connect is None else work.connect()
    try:
        breaker = Breaker(work.size * work.trials, work.max_error_rate, work.concurrency)
        flow = Flow(journal, evaluation, work.trials, progress, breaker)
        await flow.run(work.items(), connector, work.concurrency)
    finally:
        if connector is not None:
            await connector.aclose()


def _completed(filling: Coroutine[Any, Any, None]) -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(filling)
        return
    with ThreadPoolExecutor(1, "evalsi-run") as thread:  # a notebook has a loop of its own
        thread.submit(asyncio.run, filling).result()


@contextlib.contextmanager
def _journal(work: Work, out: Path | None) -> Iterator[RunJournal]:
    size = (work.size, work.trials)
    with contextlib.ExitStack() as closing:
        if out is None:
            folder = closing.enter_context(tempfile.TemporaryDirectory(prefix="evalsi-run-"))
            path = Path(folder) / "journal"
        elif not out.name:
            raise DataError(f"{out} is no name of a file; check --out")
        else:
            path = out.with_name(f"{out.name}.journal")
        held = ResultFile.of(out) if out is not None and out.exists() else None
        if held is not None:
            refuse_another(held.path, held.head.get("identity", {}), work.identity)
        journal = closing.enter_context(contextlib.closing(RunJournal(path, work.identity, size)))
        if held is not None:
            journal.take_over(held.head, held.rows())
        yield journal
