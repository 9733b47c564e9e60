"""Runs: ask a target for outputs, evaluate them, and say what the metrics are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsi.core.run.breaker import RunStopped

if TYPE_CHECKING:
    from evalsi.core.plugins import PluginHost
    from evalsi.core.run.tally import Outcome

__all__ = ["RunStopped", "run"]


def run(
    spec: str | Path | Mapping[str, Any],
    *,
    out: str | Path | None = None,
    sets: Sequence[str] = (),
    host: PluginHost | None = None,
) -> Outcome:
    """Runs an EvalRun from its dataset to its verdict.

    Args:
        spec: a YAML or JSON file, or a mapping, with the envelope or as its bare body.
        out: where the result goes; a run that was interrupted goes on with what is there.
        sets: changes to the spec, `path=value` each.
        host: where evaluators and connectors are found; by default every installed pack.

    Raises:
        SpecError: every issue of the spec at once; nothing was asked.
        DataError: the dataset cannot be read, or `out` is another run's.
        RunStopped: what is asked is down, and no verdict is possible any more; what was got is
            its `outcome`, and is in `out`.
    """
    from evalsi.core.run.plan import checked, work_of
    from evalsi.core.run.runner import perform

    work = work_of(checked(spec, sets=sets, host=host))
    return perform(work, None if out is None else Path(out))
