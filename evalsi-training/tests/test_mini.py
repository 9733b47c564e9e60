"""Mini-evaluations: a few fixed records first, the rest where these are not worse than the base."""

import json

import pytest
from training_kit import QUESTIONS, spec

from evalsi.core import DataError, SpecError
from evalsi.training import CheckpointEvaluator
from evalsi.training.history import History
from evalsi.training.mini import Mini
from evalsi.training.subsets import subset_of

MINI = sorted(subset_of(tuple(QUESTIONS), (), 10, purpose="mini"))
REST = sorted(set(QUESTIONS) - set(MINI))


@pytest.fixture
def evaluator(tmp_path, server, named):
    def make(**options):
        return CheckpointEvaluator(
            spec(tmp_path / "spec.json", **options.pop("body", {})),
            training_run="run",
            serving=named(server.base_url),
            log_dir=tmp_path / "logs",
            **{"mini": 10, **options},
        )

    return make


@pytest.fixture
def base(server, evaluator):
    """A base that knows half of the mini panel, and half of the rest."""
    server.knows["base"] = {*MINI[:5], *REST[:15]}
    evaluator().evaluate_base("base")
    server.asked.clear()


def test_the_base_is_asked_the_full_panel_and_has_a_mini_value_too(base, evaluator):
    [step] = evaluator().history()

    assert (step.panel, step.summaries["right"]["n"]) == ("full", 40)
    assert step.summaries["right@mini"]["n"] == 10
    assert step.summaries["right@mini"]["mean"] == 0.5


def test_worse_than_the_base_stays_on_the_mini_panel(base, server, evaluator, tmp_path):
    server.knows["c1"] = {*MINI[:4], *REST}

    step = evaluator().evaluate("c1", 1)

    assert sorted(question for _, question in server.asked) == MINI
    assert (step.panel, step.status, step.passed, step.error) == ("mini", "mini", False, "")
    assert set(step.summaries) == {"right@mini"}
    assert step.comparisons["right@mini"].diff == pytest.approx(-0.1)
    [reason] = step.reasons
    assert reason.startswith("right@mini is 0.4, worse than the base's 0.5 on the same 10 records")
    row = json.loads((tmp_path / "logs" / "run" / "step-1.json").read_text())
    assert (row["panel"], row["mini"]) == ("mini", {"records": 10, "seed": 0})


@pytest.mark.parametrize("known", [5, 6])
def test_at_or_above_the_base_is_asked_the_rest_and_nothing_twice(base, server, evaluator, known):
    server.knows["c1"] = {*MINI[:known]}

    step = evaluator().evaluate("c1", 1)

    assert sorted(question for _, question in server.asked) == sorted(QUESTIONS)
    assert (step.panel, step.summaries["right"]["n"]) == ("full", 40)
    assert step.comparisons["right@mini"].diff == pytest.approx(known / 10 - 0.5)
    assert step.comparisons["right"].paired_n == 40


def test_lower_is_better_is_promoted_downwards(server, evaluator):
    body = {"evaluators": ["wrong"]}
    server.knows |= {"base": {*MINI[:5]}, "worse": {*MINI[:4]}, "better": {*MINI[:6]}}
    made = evaluator(body=body)
    made.evaluate_base("base")

    assert made.evaluate("worse", 1).panel == "mini"
    assert made.evaluate("better", 2).panel == "full"


def test_without_a_base_everything_is_asked_the_full_panel_and_it_says_so(server, evaluator):
    server.knows["c1"] = set()

    step = evaluator().evaluate("c1", 1)

    assert (step.panel, step.status) == ("full", "ok")
    assert step.reasons == ("without a base it was asked the full panel",)


def test_the_records_are_the_same_in_another_order_and_whole_clusters(server, evaluator):
    records = [
        {"id": name, "input": name, "reference": name, "kind": f"k{number // 4}"}
        for number, name in enumerate(QUESTIONS)
    ]
    server.knows |= {"base": set(QUESTIONS), "c1": set()}
    body = {"dataset": {"inline": {"records": records[::-1]}}, "clusterField": "kind"}
    made = evaluator(body=body)
    made.evaluate_base("base")
    server.asked.clear()

    made.evaluate("c1", 1)

    kinds = {int(question[1:]) // 4 for _, question in server.asked}
    assert sorted(int(question[1:]) for _, question in server.asked) == sorted(
        number for number in range(40) if number // 4 in kinds
    )
    assert len(server.asked) == 12


def test_gates_may_name_the_mini_value_and_those_on_the_full_one_do_not_see_it(
    base, server, evaluator
):
    server.knows["c1"] = {*REST}

    step = evaluator(regression=["right@mini"]).evaluate("c1", 1)
    assert (step.status, step.regressed) == ("regressed", True)

    made = evaluator(regression=["right"], body={"gates": [{"metric": "right", "min": 0.9}]})
    step = made.history()[-1]
    assert (step.status, step.regressed) == ("mini", False)
    assert not made.curve().regressed


def test_the_specs_own_gates_are_the_full_panels(base, server, evaluator):
    server.knows["c1"] = {*MINI[:4]}
    made = evaluator(body={"gates": [{"metric": "right", "min": 0.9}]})

    assert made.evaluate("c1", 1).status == "mini"


def test_mini_steps_do_not_break_or_make_a_series_of_full_regressions(base, server, evaluator):
    server.knows |= {"c1": {*MINI[:5]}, "c2": {*MINI[:4]}, "c3": {*MINI[:5]}}
    made = evaluator(regression=["right"], confirm=2)
    panels = [made.evaluate(f"c{step}", step).panel for step in (1, 2)]
    assert panels == ["full", "mini"]
    assert not made.curve().regressed

    made.evaluate("c3", 3)

    assert made.curve().regressed


def test_patience_counts_mini_values_where_these_are_named(base, server, evaluator):
    server.knows |= {f"c{step}": {*MINI[:4]} for step in (1, 2, 3)}
    made = evaluator(patience=2, monitor="right@mini")
    for step in (1, 2, 3):
        made.evaluate(f"c{step}", step)

    assert made.curve().stall.startswith("right@mini has not improved on 0.4, which step 1 had")
    assert evaluator(patience=2).curve().stall == ""


def test_a_step_that_failed_on_the_mini_panel_is_no_verdict_and_asked_again(
    base, server, evaluator
):
    server.knows["c1"] = {*MINI[:4]}
    server.down = {MINI[0], MINI[1]}
    step = evaluator().evaluate("c1", 1)
    assert (step.status, step.panel) == ("incomplete", "mini")
    assert not evaluator().is_measured(1)

    server.down = set()
    server.asked.clear()

    assert evaluator().evaluate("c1", 1).status == "mini"
    assert sorted(question for _, question in server.asked) == MINI[:2]


def test_a_full_evaluation_that_broke_off_goes_on_and_asks_no_mini_record_again(
    base, server, evaluator
):
    server.knows["c1"] = set(MINI)
    server.down = set(REST)
    assert evaluator().evaluate("c1", 1).status == "error"

    server.down = set()
    server.forget()

    assert evaluator().evaluate("c1", 1).panel == "full"
    assert sorted(question for _, question in server.asked) == REST


def test_without_a_mini_panel_a_mini_step_is_asked_the_rest(base, server, evaluator):
    server.knows["c1"] = {*MINI[:4]}
    evaluator().evaluate("c1", 1)
    made = evaluator(mini=None)
    assert not made.is_measured(1)
    server.asked.clear()

    assert made.evaluate("c1", 1).panel == "full"
    assert sorted(question for _, question in server.asked) == REST


def test_another_model_under_the_same_step_is_asked_everything(base, server, evaluator):
    server.knows |= {"c1": {*MINI[:4]}, "d1": set()}
    evaluator().evaluate("c1", 1)
    server.asked.clear()

    evaluator(mini=None).evaluate("d1", 1)

    assert sorted(question for _, question in server.asked) == sorted(QUESTIONS)


@pytest.mark.parametrize("other", [{"mini": 12}, {"mini_seed": 1}])
def test_another_mini_panel_under_one_run_is_refused(base, server, evaluator, other):
    server.knows["c1"] = {*MINI[:4]}
    evaluator().evaluate("c1", 1)

    server.asked.clear()
    says = "a mini panel of 10 records, seed 0, now"

    with pytest.raises(DataError, match=says):
        evaluator(**other).evaluate("c1", 2)
    with pytest.raises(DataError, match=says):
        evaluator(**other).curve()
    assert server.asked == []


def test_a_mini_panel_that_is_no_smaller_is_refused_before_anything_is_served(server, evaluator):
    with pytest.raises(SpecError, match="no smaller than the spec's own 40"):
        evaluator(mini=40).evaluate("c1", 1)
    assert server.asked == []


def test_a_gate_on_a_mini_value_without_a_mini_panel_is_refused(evaluator):
    with pytest.raises(SpecError, match="give its size with --mini"):
        evaluator(mini=None, regression=["right@mini"])


def test_the_command_line_shows_mini_steps_in_columns_of_their_own(server, command, tmp_path):
    server.knows |= {"base": set(QUESTIONS), "c1": set(), "c2": set(QUESTIONS)}
    mini = ["--mini", "10", "--regression", "right@mini"]
    codes = [
        command("eval", name, "--step", step, *mini).exit_code
        for name, step in (("base", "base"), ("c1", 1), ("c2", 2))
    ]

    lines = command("curve").stdout.splitlines()

    assert codes == [0, 3, 0]
    assert lines[0].split() == ["step", "right", "right@mini", "status"]
    assert lines[1].split() == ["base", "1.000", "1.000", "ok"]
    assert lines[2].split() == ["1", "none", "0.000", "(-1.000*)", "mini"]
    assert lines[3].split() == ["2", "1.000", "(+0.000)", "1.000", "(+0.000)", "ok", "(best)"]
    steps = json.loads(command("curve", "--format", "json").stdout)["steps"]
    assert [step["panel"] for step in steps] == ["full", "mini", "full"]
    assert History(tmp_path / "logs", "run").read(2).mini == {"records": 10, "seed": 0}


def test_a_mini_panel_says_what_it_is():
    assert str(Mini(10, 3)) == "10 records, seed 3"


def test_a_mini_panel_whose_clusters_are_everything_is_refused(server, evaluator):
    server.knows = {"base": set(QUESTIONS), "c1": set(QUESTIONS)}
    records = [{"id": q, "input": q, "reference": q, "group": "all"} for q in QUESTIONS]
    body = {"dataset": {"inline": {"records": records}}, "clusterField": "group"}

    with pytest.raises(SpecError, match="a mini panel of 40 records is no smaller"):
        evaluator(mini=4, body=body).evaluate("c1", 1)
