"""Gates and steps as the command line writes them."""

import pytest

from evalsi.core import DataError, SpecError
from evalsi.training import RegressionGate
from evalsi.training.steps import in_order, parsed_step


@pytest.mark.parametrize(
    ("text", "metric", "drop"),
    [
        ("math-equiv", "math-equiv", 0.0),
        ("math-equiv:0.02", "math-equiv", 0.02),
        ("math-equiv.pass@8:0.1", "math-equiv.pass@8", 0.1),
        ("refusal[harmful]:0", "refusal[harmful]", 0.0),
        ("pack:metric:0.5", "pack:metric", 0.5),
    ],
)
def test_a_gate_is_a_metric_and_what_it_may_drop(text, metric, drop):
    gate = RegressionGate.parse(text)

    assert (gate.metric, gate.max_drop) == (metric, drop)
    assert RegressionGate.parse(str(gate)) == gate


@pytest.mark.parametrize("text", ["", ":0.1", "a:-0.1", "a:nan", "a:inf", "a:much", "a:"])
def test_anything_else_is_refused_with_an_example(text):
    with pytest.raises(SpecError, match=r"math-equiv:0\.02"):
        RegressionGate.parse(text)


def test_steps_sort_as_numbers_behind_the_base():
    steps = [parsed_step(text) for text in ("1000", "base", "20", "3")]

    assert sorted(steps, key=in_order) == ["base", 3, 20, 1000]


@pytest.mark.parametrize("text", ["", "-1", "1.5", "last", "007", "٣"])
def test_what_is_no_step_is_refused(text):
    with pytest.raises(DataError, match="is no step"):
        parsed_step(text)
