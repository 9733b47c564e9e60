"""The curve as a drawing: where its marks are, whatever is missing and however wide."""

import json

import pytest
from click.testing import CliRunner
from training_kit import history_at, put, spec

from evalsi.core.cli.root import root
from evalsi.training import RegressionGate
from evalsi.training.curve import curve_of
from evalsi.training.plot import plot

BASE = [1] * 60 + [0] * 40


def flipped(lost):
    return [0] * lost + BASE[lost:]


@pytest.fixture
def history(tmp_path):
    return history_at(tmp_path)


def drawn(history, width=60, **options):
    return list(plot(curve_of(history, [RegressionGate("m", 0.02)], **options), width))


def marks(lines):
    """Column and character of each mark, from left to right."""
    found = [
        (column, character)
        for line in lines
        if "|" in line
        for column, character in enumerate(line.partition("|")[2])
        if character not in " -"
    ]
    return sorted(found)


def test_each_step_has_its_place_by_its_number_and_its_mark(history):
    put(history, "base", {"m": BASE})
    for step, lost in ((100, 0), (200, 20), (400, 40)):
        put(history, step, {"m": flipped(lost)})

    lines = drawn(history)

    assert lines == [
        "m",
        "base 0.600 |o-----------------------------------------------",
        "           |",
        "           |",
        "           |",
        "           |               !",
        "           |",
        "           |",
        "           |",
        "     0.200 |                                               !",
        "           +------------------------------------------------",
        "      step  100                                          400",
        "o a step, * a significant change, ! a regression, - the base, x no value",
    ]


def test_a_rise_that_is_significant_is_a_star_above_the_base(history):
    put(history, "base", {"m": flipped(40)})
    put(history, 100, {"m": BASE})

    lines = drawn(history)

    assert lines[1] == "     0.600 |*"
    assert lines[9] == "base 0.200 |" + "-" * 48


def test_one_step_without_a_base_is_a_point(history):
    put(history, 7, {"m": BASE})

    lines = drawn(history)

    assert marks(lines) == [(0, "o")]
    assert lines[-2].split() == ["step", "7"]
    assert lines[5].split("|")[0].strip() == "0.600"


def test_a_base_alone_is_a_line(history):
    put(history, "base", {"m": BASE})

    assert [line for line in drawn(history) if "base 0.600 |---" in line]


def test_a_step_without_a_value_is_shown_on_the_axis(history):
    put(history, "base", {"m": BASE})
    put(history, 10, {"m": BASE})
    put(history, 20, {"m": BASE}, metrics={}, error="out of memory")

    lines = drawn(history)

    axis = next(line for line in lines if "+-" in line)
    assert axis.endswith("x")
    assert marks(lines) == [(0, "o")]


def test_each_metric_has_a_panel_and_one_that_was_never_measured_says_so(history):
    put(history, "base", {"m": BASE, "n": [0.5] * 100})
    put(history, 10, {"m": BASE, "n": [0.7] * 100}, metrics={"m": {"n": 100, "mean": 0.6}, "n": {}})

    lines = drawn(history, metrics=["n", "m"])

    assert [line for line in lines if line in ("m", "n")] == ["n", "m"]


def test_two_hundred_steps_fit_and_a_regression_is_not_hidden_by_its_neighbours(history):
    put(history, "base", {"m": BASE})
    for step in range(1, 201):
        put(history, step, {"m": flipped(40 if step == 100 else 0)})

    lines = drawn(history, width=40)

    assert max(map(len, lines[:-1])) == 40
    assert [character for _, character in marks(lines)].count("!") == 1


@pytest.mark.parametrize("width", [0, 1, 12])
def test_a_terminal_that_is_too_narrow_gets_ten_columns(history, width):
    put(history, 1, {"m": BASE})

    assert max(len(line.partition("|")[2]) for line in drawn(history, width)) <= 10


def run(tmp_path, *words):
    path = spec(tmp_path / "spec.json")
    shared = ["-f", str(path), "--training-run", "run", "--log-dir", str(tmp_path)]
    return CliRunner(env={"COLUMNS": "50"}).invoke(root, ["checkpoints", "curve", *shared, *words])


@pytest.fixture
def asked(tmp_path, server):
    """A training run with a base, measured by the command line's own evaluator."""
    from training_kit import QUESTIONS

    from evalsi.training import CheckpointEvaluator, Endpoint

    server.knows["base"] = set(QUESTIONS[:30])
    serving = Endpoint(server.base_url)
    CheckpointEvaluator(
        spec(tmp_path / "spec.json"), training_run="run", serving=serving, log_dir=tmp_path
    ).evaluate_base("base")


@pytest.mark.usefixtures("asked")
def test_the_command_line_draws_above_the_table(tmp_path):
    done = run(tmp_path, "--plot")

    lines = done.stdout.splitlines()
    assert done.exit_code == 0, done.output
    assert "base 0.750 |" + "-" * 38 in lines
    assert lines[-2].split() == ["step", "right", "status"]


@pytest.mark.usefixtures("asked")
def test_a_drawing_is_no_json(tmp_path):
    done = run(tmp_path, "--plot", "--format", "json")

    assert done.exit_code == 2
    assert "--plot" in done.output
    assert json.loads(run(tmp_path, "--format", "json").stdout)["training_run"] == "run"
