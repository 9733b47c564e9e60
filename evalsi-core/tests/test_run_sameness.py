"""Trials that were none: all outputs of every record are equal, and the run says so."""

from __future__ import annotations

import json

import pytest

from evalsi.core import Errored, Failure, Score
from evalsi.core.chat import Output
from evalsi.core.cli.run_output import show
from evalsi.core.run.measures import Measure
from evalsi.core.run.results import RecordResult
from evalsi.core.run.sameness import Sameness
from evalsi.core.run.tally import Tally

LOST = None


def warned(*records: list[str | None]) -> tuple[str, ...]:
    sameness = Sameness()
    for texts in records:
        outputs = [Errored(Failure("server", "gone")) if t is LOST else Output(t) for t in texts]
        sameness.add([RecordResult("r", at, one, {}) for at, one in enumerate(outputs)])
    return sameness.warnings()


def test_equal_trials_of_every_record_are_warned_of() -> None:
    (warning,) = warned(["a", "a"], ["b", "b"])
    assert warning.startswith("the trials of all 2 records are equal, so pass@k and pass^k say no")


@pytest.mark.parametrize(
    "records",
    [[["a", "a"], ["b", "c"]], [["a"], ["b"]], [["a", LOST], ["b", LOST]], []],
    ids=["one-differs", "one-trial", "one-measured", "no-records"],
)
def test_without_that_nothing_is_warned_of(records: list[list[str | None]]) -> None:
    assert warned(*records) == ()


def test_a_record_with_one_output_left_says_nothing_about_the_others() -> None:
    assert len(warned(["a", "a", LOST], ["b", LOST, LOST])) == 1


@pytest.mark.parametrize("form", ["table", "json"])
def test_the_warning_is_printed_on_stderr_and_kept_in_the_result(
    form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    tally = Tally([Measure("says", {"says": "higher"}, "says")], 2)
    tally.add([RecordResult("r", trial, Output("a"), {"says": Score(1.0)}) for trial in (0, 1)])
    outcome = tally.outcome("same", 0.05)
    show(outcome, form)
    printed = capsys.readouterr()
    assert printed.err.startswith("warning: the trials of the one record are equal")
    assert outcome.row()["warnings"] == [*outcome.warnings]
    if form == "json":
        assert json.loads(printed.out)["warnings"] == [*outcome.warnings]
