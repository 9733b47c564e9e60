"""Datasets as tests write them."""

import json
from pathlib import Path

from evalsi.core.run.dataset import panel_of
from evalsi.core.run.spec import EvalRun
from evalsi.core.spec import load

__all__ = ["MAPPING", "ROWS", "dataset", "inline", "jsonl", "panel", "records"]

ROWS = [
    {"id": f"q{n}", "question": f"{n} + 1?", "answer": n + 1, "level": "hard" if n % 4 else "easy"}
    for n in range(20)
]
MAPPING = {"input": "question", "reference": "answer"}


def dataset(**fields):
    body = {"target": {"connector": "echo"}, "dataset": fields, "evaluators": ["says"]}
    return load(body, EvalRun).spec.dataset


def panel(folder=Path(), cluster_field=None, **fields):
    return panel_of(dataset(**fields), folder, cluster_field)


def inline(rows, **fields):
    return panel(inline={"records": rows}, **fields)


def records(found):
    return [item.record for item in found.items()]


def jsonl(path, rows=ROWS):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
