"""What an evaluator says about itself, checked before it is asked for anything."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Final

from evalsi.core.testing.evaluator_trial import EvaluatorTrial, Trials, require

__all__ = ["CLAIMS"]

CLAIMS: Final = Trials()

_LISTED: Final = """
import sys
from evalsi.core.plugins import default_host
default_host().registered()
print(*sys.modules)
"""
_HEAVY: Final = frozenset(
    {"aiohttp", "datasets", "httpx", "numpy", "pandas", "scipy", "sympy", "torch", "transformers"}
)


@CLAIMS.add("one-entry")
def _one_entry(trial: EvaluatorTrial) -> None:
    trial.entry()


@CLAIMS.add("params-are-strict")
def _params_are_strict(trial: EvaluatorTrial) -> None:
    trial.model()


@CLAIMS.add("declarations")
def _declarations(trial: EvaluatorTrial) -> None:
    trial.declared()


@CLAIMS.add("params-round-trip")
def _params_round_trip(trial: EvaluatorTrial) -> None:
    params = trial.model()
    if params is None:
        return
    text = params.model_dump_json()
    again = type(params).model_validate_json(text)
    require(
        again == params,
        f"The params of {trial.name} come back as {again!r} from their JSON {text}; "
        "equal params must have equal JSON, because it keys the cache.",
    )
    json.dumps(type(params).model_json_schema())


@CLAIMS.add("listing-imports-nothing-heavy")
def _listing_imports_nothing_heavy(trial: EvaluatorTrial) -> None:
    if trial.plugin is None:
        return
    listed = subprocess.run(
        [sys.executable, "-c", _LISTED], capture_output=True, text=True, check=False
    )
    require(listed.returncode == 0, f"Listing plugins failed: {listed.stderr[-500:]}")
    imported = frozenset(listed.stdout.split())
    module = trial.plugin.target.partition(":")[0]
    require(
        module not in imported,
        f"Listing plugins imports {module}; the pack's plugin module must name it only.",
    )
    heavy = sorted(_HEAVY & imported)
    require(
        not heavy,
        f"Listing plugins imports {', '.join(heavy)}; import it in the function that needs it.",
    )
