"""Leaves messages that a kill kept from being left, or of steps older than the outbox."""

from __future__ import annotations

from collections.abc import Sequence

from evalsi.training.curve import curve_of
from evalsi.training.gates import RegressionGate
from evalsi.training.history import History
from evalsi.training.trackers.outbox import Outbox

__all__ = ["mend"]


def mend(history: History, regression: Sequence[str] | None = None) -> None:
    """Fills the outbox of a training run by what its steps came to.

    Args:
        history: the training run.
        regression: the gates to judge by; None: those of the last time.

    Raises:
        DataError: another process writes the training run, and its messages; or there is no step.
        SpecError: a gate is none.
    """
    outbox = Outbox(history.folder)
    if regression is None:
        regression = next((message.regression for message in outbox.messages()), ())
    gates = [RegressionGate.parse(text) for text in regression]
    with history.writing():
        outbox.fill(curve_of(history, gates))
