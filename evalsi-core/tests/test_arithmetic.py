"""The arithmetic of rewards against the shared vectors, and what only Python can say of it."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from evalsi.core import Errored, Failure, Result, RewardError, Score, Skipped
from evalsi.core.reward.arithmetic import Rule, Total, Weighing, settle, total

TESTDATA = Path(__file__).parents[2] / "testdata"
LOST = Failure("sandbox", "no usable rung", retryable=True)


def read(name: str) -> Any:
    return json.loads((TESTDATA / name).read_text("utf-8"))


OURS = read("reward_vectors.json")
PEER = read("peer_reward_cases.json")
CASES = {case["name"]: case for case in [*OURS["cases"], *PEER["cases"]]}


def rule_of(spec: dict[str, Any]) -> Rule:
    weighings = tuple(
        Weighing(
            component.get("name", component["ref"].rpartition(":")[2]),
            float(component.get("weight", 1)),
            component.get("gate", False),
            float(component.get("threshold", 1)),
        )
        for component in spec["components"]
    )
    low, high = spec.get("clip", (0, 0))
    clip = (float(low), float(high)) if "clip" in spec else None
    return Rule(weighings, float(spec.get("floor", 0)), spec.get("onError", "raise"), clip)


def result_of(given: dict[str, Any]) -> Result:
    match given["status"]:
        case "scored":
            return Score(float(given["value"]))
        case "skipped":
            return Skipped()
        case _:
            return Errored(LOST)


def rows_of(case: dict[str, Any]) -> list[tuple[str, list[Result]]]:
    names = [weighing.name for weighing in rule_of(case["spec"]).weighings]
    rows = case.get("rows", [{"id": "1", "components": case.get("components")}])
    return [(row["id"], [result_of(row["components"][name]) for name in names]) for row in rows]


def told(settled: Total) -> dict[str, Any]:
    """Totals compare as text: -0.0 is not 0.0, and 0 is not 0.0."""
    return {"total": repr(settled.total), "gated": settled.gated}


@pytest.mark.parametrize("name", CASES)
def test_the_vectors_hold(name: str) -> None:
    case = CASES[name]
    rule, rows, want = rule_of(case["spec"]), rows_of(case), case["want"]
    if "error" in want:
        with pytest.raises(RewardError) as caught:
            settle(rule, rows)
        causes = [[row, component] for row, component, _ in caught.value.causes]
        wanted = want.get("causes", causes)
        assert causes == [[rows[0][0], one] if isinstance(one, str) else one for one in wanted]
    else:
        wanted = [
            {**one, "total": repr(None if one["total"] is None else float(one["total"]))}
            for one in want.get("rows", [want])
        ]
        assert [told(settled) for settled in settle(rule, rows)] == wanted


@pytest.mark.parametrize("vectors", [OURS, PEER], ids=["ours", "peer"])
def test_the_vectors_keep_their_schema(vectors: Any) -> None:
    schema = read("reward_vectors.schema.json")
    Draft202012Validator.check_schema(schema)
    assert [error.message for error in Draft202012Validator(schema).iter_errors(vectors)] == []


def test_no_two_vectors_share_a_name() -> None:
    assert len(CASES) == len(OURS["cases"]) + len(PEER["cases"])


def test_the_causes_keep_the_failure_as_it_was() -> None:
    with pytest.raises(RewardError, match="rollout r7, component tests: no usable rung") as caught:
        settle(Rule((Weighing("tests"),)), [("r7", [Errored(LOST)])])
    assert caught.value.causes == (("r7", "tests", LOST),)


def test_the_causes_of_one_row_are_there_without_raising() -> None:
    assert total(Rule((Weighing("a"),)), [Errored(LOST)]) == Total(None, False, (("a", LOST),))


def test_a_value_that_is_no_number_is_a_failure_of_the_evaluator() -> None:
    settled = total(Rule((Weighing("a"),)), [Score(math.nan)])
    assert settled.causes == (
        ("a", Failure("evaluator", "its value is nan; a value is a finite number")),
    )


def test_a_weight_that_breaks_the_product_is_named() -> None:
    settled = total(Rule((Weighing("a", 10.0),)), [Score(1e308)])
    assert "weight 10.0 times value 1e+308 is more than a float holds" in str(settled.causes[0][1])


def test_a_result_too_few_is_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        total(Rule((Weighing("a"), Weighing("b"))), [Score(1.0)])


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))), ids=str)
def test_the_order_of_components_does_not_change_the_total(order: tuple[int, ...]) -> None:
    weighings = [Weighing(f"c{number}", 0.1) for number in range(4)]
    results = [Score(1.0), Score(1e17), Score(-1e17), Score(0.3)]
    rule = Rule(tuple(weighings[place] for place in order))
    assert total(rule, [results[place] for place in order]).total == 0.13
