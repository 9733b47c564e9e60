"""Bounds of fakes, without a spec and a host."""

import importlib

from evalsi.core.evaluator import ENTRIES, Batch
from evalsi.core.records import Record
from evalsi.core.results import By
from evalsi.core.spec.bound import Bound


def bound(target, **changes):
    module, name = target.split(":")
    cls = getattr(importlib.import_module(f"engine_fakes.{module}"), name)
    bounded = getattr(cls, "bounded", False)
    short = name.lower()
    fields = {
        "name": short,
        "by": By(f"fakes:{short}", "fakes", "1.0"),
        "target": f"engine_fakes.{module}:{name}",
        "settings": None,
        "entry": next(entry for entry in ENTRIES if hasattr(cls, entry)),
        "fields": cls.reads,
        "metadata": (),
        "needs": getattr(cls, "needs", frozenset()),
        "bounded": bounded,
        "batch": getattr(cls, "batch", Batch()),
        "metrics": getattr(cls, "metrics", {short: "higher"}),
        "instance": cls() if bounded else None,
    }
    return Bound(**(fields | changes))


def records(*outputs):
    return [Record(id=str(number), output=output) for number, output in enumerate(outputs, 1)]


def results(engine, target, *outputs, **options):
    """The results of one evaluator over these outputs."""
    rows = engine.evaluate([bound(target)], records(*outputs), **options)
    return [row[0].result for row in rows]
