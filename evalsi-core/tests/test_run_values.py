"""The values that paired comparisons compare are those whose means a run's summary shows."""

import math

import pytest
from run_fakes import Obeys
from run_kit import host, spec_of

from evalsi.core.run.measures import measure_of
from evalsi.core.run.plan import checked, work_of
from evalsi.core.run.runner import perform
from evalsi.core.run.values import Values


@pytest.fixture(autouse=True)
def fresh():
    Obeys.forget()


def collected(inputs, names, **fields):
    work = work_of(checked(spec_of(inputs, **fields), host=host()))
    values = Values([measure_of(bound) for bound in work.bounds], names, work.trials)
    return values, perform(work, watch=values.take)


def test_a_value_for_each_record_and_none_where_nothing_was_measured():
    values, outcome = collected(["1", "skip", "away", "0.5"], ["says"])

    column = list(values.columns["says"])
    assert values.ids == ["1", "2", "3", "4"]
    assert [column[0], column[3]] == [1.0, 0.5]
    assert math.isnan(column[1])
    assert math.isnan(column[2])
    assert outcome.metrics["says"].mean == 0.75


def test_trials_become_one_value_as_the_metric_says():
    names = ["says", "says.pass@4", "says.pass^4", "says.pass@2"]
    values, outcome = collected(["nth 1 0 1 1", "nth 0 0 0 0"], names, trials=4)

    assert {name: list(column) for name, column in values.columns.items()} == {
        "says": [0.75, 0.0],
        "says.pass@4": [1.0, 0.0],
        "says.pass^4": [0.0, 0.0],
        "says.pass@2": [1.0, 0.0],
    }
    assert outcome.metrics["says.pass@4"].mean == 0.5
