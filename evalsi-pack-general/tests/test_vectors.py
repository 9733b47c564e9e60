"""What every evaluator says of labelled cases: one file of them each, in `vectors`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evalsi.core.engine import tools_for
from evalsi.core.engine.calls import call
from evalsi.core.plugins import default_host
from evalsi.core.records import Record
from evalsi.core.results import Errored, Result, Score, Skipped
from evalsi.core.spec.contract import declared, entry_of
from evalsi.core.views import view

VECTORS = Path(__file__).parent / "vectors"
TRAINING = VECTORS / "training.jsonl"


def rows() -> list[Any]:
    return [
        pytest.param(path.stem, row, id=f"{path.stem}: {row['case']}")
        for path in sorted(VECTORS.glob("*.jsonl"))
        if path != TRAINING
        for row in map(json.loads, path.read_text("utf-8").splitlines())
    ]


def records(row: dict[str, Any]) -> list[Record]:
    answers = row.get("answers") or [None] * len(row.get("outputs", [""]))
    found = [{"@math-equiv": {"value": 1.0, "evidence": {"predicted": one}}} for one in answers]
    return [
        Record(
            id=str(number),
            input=row.get("input", ""),
            output=output,
            reference=row.get("reference"),
            output_tokens=row.get("tokens"),
            metadata={**row.get("metadata", {}), **(other if row.get("answers") else {})},
        )
        for number, (output, other) in enumerate(
            zip(row.get("outputs") or [row["output"]], found, strict=True)
        )
    ]


def results(name: str, row: dict[str, Any]) -> list[Result]:
    """The results of a row's completions, as the engine would have them."""
    cls: Any = default_host().load("evaluator", f"general:{name}")
    given = dict(row.get("params", {}))
    if name == "contamination":
        given["path"] = str(TRAINING)
    params = cls.Params.model_validate_json(json.dumps(given), strict=True)
    says = declared(cls, name, params)
    instance = cls(params, tools_for(says.needs, None))
    views = [view(record, says.fields, says.metadata) for record in records(row)]
    return call(instance, entry_of(cls), says.metrics, views)


@pytest.mark.parametrize(("name", "row"), rows())
def test_a_labelled_case_gets_its_label(name: str, row: dict[str, Any]) -> None:
    result, *others = results(name, row)

    assert all(other == result for other in others)
    if row["value"] is None:
        assert isinstance(result, Skipped)
        return
    if row["value"] == "data":
        assert isinstance(result, Errored)
        assert result.failure.kind == "data"
        return
    assert isinstance(result, Score), result
    assert result.value == pytest.approx(row["value"])
    assert result.reason == row.get("reason", result.reason)
    told = {metric: result.metrics.get(metric) for metric in row.get("metrics", {})}
    assert told == pytest.approx(row.get("metrics", {}))
