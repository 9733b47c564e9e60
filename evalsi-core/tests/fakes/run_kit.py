"""Runs as tests write them: inputs that say what happens, evaluators, and the rest of a spec."""

import functools
import importlib
import json

from evalsi.core.plugins import PluginHost
from evalsi.core.run import run
from evalsi.core.run.document import ResultFile

__all__ = ["counts", "document", "go", "host", "made", "rows", "spec_of"]


def made():
    """A host of core, the engine's fakes, and those of runs."""
    names = ("engine_fakes.plugin", "run_fakes", "evalsi.core.plugin")
    return PluginHost([importlib.import_module(name) for name in names])


host = functools.cache(made)


def go(inputs, *evaluators, out=None, target=None, sets=(), **body):
    """Runs these inputs through `run_fakes.Obeys`; an input may be a whole row."""
    spec = spec_of(inputs, *evaluators, target=target, **body)
    return run(spec, out=out, sets=sets, host=host())


def spec_of(inputs, *evaluators, target=None, **body):
    """The spec of such a run."""
    rows = [{"input": text} if isinstance(text, str) else text for text in inputs]
    return {
        "target": {"connector": "obeys", **(target or {})},
        "dataset": {"inline": {"records": rows}},
        "evaluators": list(evaluators) or ["says"],
        "maxErrorRate": 1,
        **body,
    }


def counts(metric):
    return metric.n, metric.skipped, metric.errors, metric.empty


def rows(out):
    return list(ResultFile.of(out).rows())


def document(out):
    return json.loads(out.read_text())
