"""Specs and histories as tests write them."""

import json
import math
from dataclasses import replace

import numpy as np

from evalsi.training.history import History, StepRecord
from evalsi.training.values import StepValues

QUESTIONS = [f"q{number}" for number in range(40)]


def spec(path, **body):
    """An EvalRun over `QUESTIONS`, with an evaluator of core's tests' kind, as a file."""
    records = [{"id": name, "input": name, "reference": name} for name in QUESTIONS]
    document = {
        "apiVersion": "evals.si/v1alpha1",
        "kind": "EvalRun",
        "metadata": {"name": "asked"},
        "spec": {
            "target": {
                "connector": "openai-compatible",
                "model": "base",
                "base_url": "http://127.0.0.1:9/v1",
                "retries": {"connect": 0, "server": 0},
            },
            "dataset": {"inline": {"records": records}},
            "evaluators": ["right"],
            **body,
        },
    }
    path.write_text(json.dumps(document))
    return path


def put(history, step, columns, *, ids=None, clusters=(), direction="higher", **fields):
    """Adds a step with these values; None is a record that was not measured."""
    size = len(next(iter(columns.values())))
    arrays = {
        name: np.array([math.nan if v is None else float(v) for v in column])
        for name, column in columns.items()
    }
    metrics = {
        name: {"n": int((~np.isnan(a)).sum()), "mean": float(np.nanmean(a)), "direction": direction}
        for name, a in arrays.items()
    }
    ids = ids or tuple(f"r{number}" for number in range(size))
    record = replace(StepRecord(step, f"ckpt-{step}", metrics, verdict="passed"), **fields)
    with history.writing():
        history.write(record, StepValues(tuple(ids), arrays, tuple(clusters)))


def history_at(folder):
    return History(folder, "run")
