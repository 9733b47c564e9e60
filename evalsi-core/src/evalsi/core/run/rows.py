"""Outputs and scores as plain data, in the journal and in the result document, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from evalsi.core.chat import Output
from evalsi.core.results import By, Errored, Failure, Result, Score, Skipped

__all__ = ["by_row", "encoded", "output_of", "output_row", "result_of", "result_row"]

encoded: Final = json.JSONEncoder(separators=(",", ":")).encode
"""A row as one line of JSON, in ASCII: lone surrogates pass."""


def output_row(output: Output | Errored) -> dict[str, Any]:
    """An output, or its error, as plain data."""
    if isinstance(output, Errored):
        return {"error": _failure_row(output.failure)}
    row: dict[str, Any] = {"text": output.text, "finish": output.finish}
    if output.input_tokens is not None:
        row["input_tokens"] = output.input_tokens
    if output.output_tokens is not None:
        row["output_tokens"] = output.output_tokens
    if output.truncated:
        row["truncated"] = True
    row["seconds"] = round(output.seconds, 6)
    return row


def output_of(row: Mapping[str, Any]) -> Output | Errored:
    """The output that `output_row` wrote."""
    if "error" in row:
        return Errored(Failure(**row["error"]))
    return Output(
        row["text"],
        row["finish"],
        input_tokens=row.get("input_tokens"),
        output_tokens=row.get("output_tokens"),
        seconds=row["seconds"],
    )


def result_row(result: Result) -> dict[str, Any]:
    """A result as plain data; what has its default is left out."""
    if isinstance(result, Score):
        row: dict[str, Any] = {"status": "scored", "value": result.value}
        if result.metrics:
            row["metrics"] = dict(result.metrics)
        if result.reason:
            row["reason"] = result.reason
        if result.evidence is not None:
            row["evidence"] = result.evidence
        if not result.stable:
            row["stable"] = False
        return row
    if isinstance(result, Skipped):
        return {"status": "skipped", "reason": result.reason}
    return {"status": "error", **_failure_row(result.failure)}


def result_of(row: Mapping[str, Any]) -> Result:
    """The result that `result_row` wrote."""
    rest = {key: value for key, value in row.items() if key != "status"}
    if row["status"] == "scored":
        return Score(**rest)
    return Skipped(**rest) if row["status"] == "skipped" else Errored(Failure(**rest))


def by_row(by: By) -> dict[str, str]:
    """Who computed a number; empty fields are left out."""
    fields = ("evaluator", "distribution", "version", "params", "rung", "backend")
    return {name: value for name in fields if (value := getattr(by, name))}


def _failure_row(failure: Failure) -> dict[str, Any]:
    row: dict[str, Any] = {"kind": failure.kind, "message": failure.message}
    if failure.where:
        row["where"] = failure.where
    if failure.retryable:
        row["retryable"] = True
    return row
