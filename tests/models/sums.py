"""What must add up in the result of every run."""

from __future__ import annotations

from collections import Counter
from statistics import fmean
from typing import Any

__all__ = ["check_document", "lasting"]


def check_document(
    document: dict[str, Any],
    *,
    records: int,
    trials: int = 1,
    connector: str = "core:openai-compatible",
) -> None:
    """Asserts that the result names what was run, holds every output, and counts it right."""
    rows = document["records"]
    assert document["format"] == "evalsi.run/1"
    assert document["dataset"]["n"] == len(document["dataset"]["ids"]) == records
    assert [(row["id"], row["trial"]) for row in rows] == [
        (id_, trial) for id_ in document["dataset"]["ids"] for trial in range(trials)
    ]
    _check_provenance(document, connector)
    _check_outputs(document)
    for name in document["evaluators"]:
        _check_metric(document, name)


def _check_provenance(document: dict[str, Any], connector: str) -> None:
    assert len(document["dataset"]["hash"]) == len(document["identity"]["spec"]) == 64
    assert document["target"]["connector"] == connector
    by = document["evaluators"].values()
    assert all(one["distribution"].startswith("evalsi-pack-") for one in by)
    assert all(one["version"] and one["params"] for one in by)


def _check_outputs(document: dict[str, Any]) -> None:
    outputs = [row["output"] for row in document["records"]]
    counts = document["outputs"]
    assert counts["asked"] == len(outputs)
    assert counts["errors"] == sum("error" in one for one in outputs)
    assert counts["truncated"] == sum(one.get("finish") == "length" for one in outputs)
    assert counts["empty"] == sum(one.get("text") == "" for one in outputs)
    assert counts["output_tokens"] == sum(one.get("output_tokens", 0) for one in outputs)
    assert counts["input_tokens"] == sum(one.get("input_tokens", 0) for one in outputs) > 0


def _check_metric(document: dict[str, Any], name: str) -> None:
    """Each record is measured, skipped or an error; the mean is that of the measured."""
    metric, records = document["metrics"][name], _by_record(document, name)
    counts = Counter(_kind(rows) for rows in records)
    told = {"scored": metric["n"], "skipped": metric["skipped"], "error": metric["errors"]}
    assert told == {kind: counts[kind] for kind in told}
    if values := [_value(rows) for rows in records if _kind(rows) == "scored"]:
        assert abs(metric["mean"] - fmean(values)) < 1e-9
        assert metric["lo"] <= metric["mean"] <= metric["hi"]
    else:
        assert metric["mean"] is None


def _by_record(document: dict[str, Any], name: str) -> list[list[dict[str, Any]]]:
    rows = [row["scores"][name] for row in document["records"]]
    trials = document["trials"]
    return [rows[at : at + trials] for at in range(0, len(rows), trials)]


def _kind(rows: list[dict[str, Any]]) -> str:
    """What a record is, by its trials: measured if one was, else an error if one was."""
    found = {row["status"] for row in rows}
    return next(kind for kind in ("scored", "error", "skipped") if kind in found)


def _value(rows: list[dict[str, Any]]) -> float:
    return fmean(row["value"] for row in rows if row["status"] == "scored")


def lasting(document: dict[str, Any]) -> dict[str, Any]:
    """The result without what hangs on the clock and on the server's address."""
    kept = {name: value for name, value in document.items() if name not in _PASSING}
    kept["target"] = {**document["target"], "base_url": None}
    kept["records"] = [
        {**row, "output": {**row["output"], "seconds": 0}} for row in document["records"]
    ]
    return kept


_PASSING = ("session", "spec", "spec_hash")
