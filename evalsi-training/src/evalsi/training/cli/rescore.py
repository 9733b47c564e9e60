"""`evalsi checkpoints rescore`: every step scored anew, when an evaluator has changed."""

from __future__ import annotations

import sys

import click

from evalsi.core.cli.exits import reported
from evalsi.training.cli.options import exit_of, judged_by, shared, show

__all__ = ["rescore"]


@click.command()
@shared
def rescore(  # noqa: PLR0913 - one parameter an option, as click passes them
    *,
    spec: str,
    training_run: str,
    log_dir: str,
    regression: tuple[str, ...],
    confirm: int,
    monitor: str | None,
    patience: int | None,
    form: str,
) -> None:
    """Score the outputs of all steps anew with the evaluators of SPEC, and show the curve.

    No model is asked. All steps are scored, or nothing changes. Exit codes as of `curve`.
    """
    with reported():
        from evalsi.core.run.plan import checked
        from evalsi.training.curve import curve_of
        from evalsi.training.history import History
        from evalsi.training.keeping import choose_anew
        from evalsi.training.rescoring import rescore as scored
        from evalsi.training.trackers.outbox import Outbox

        given, history = checked(spec), History(log_dir, training_run)
        gates, allowed = judged_by(given, history, regression, monitor, patience)
        with history.writing():
            steps = scored(history, given)
            choose_anew(history)
            made = curve_of(history, gates, confirm=confirm, patience=allowed)
            Outbox(history.folder).fill(made)
        click.echo(f"scored anew: {', '.join(map(str, steps))}", err=True)
        show(made, form)
    sys.exit(exit_of(made))
