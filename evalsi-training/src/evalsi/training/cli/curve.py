"""`evalsi checkpoints curve`: every step against the base."""

from __future__ import annotations

import shutil
import sys

import click

from evalsi.core.cli.exits import reported
from evalsi.training.cli.options import exit_of, judged_by, shared, show

__all__ = ["curve"]


@click.command()
@click.option("--metrics", metavar="A,B", help="The columns; by default every metric.")
@click.option("--plot", "drawn", is_flag=True, help="Draw the curve above the table.")
@shared
def curve(  # noqa: PLR0913 - one parameter an option, as click passes them
    *,
    spec: str,
    training_run: str,
    log_dir: str,
    metrics: str | None,
    drawn: bool,
    regression: tuple[str, ...],
    confirm: int,
    monitor: str | None,
    patience: int | None,
    form: str,
) -> None:
    """Show the learning curve of a training run.

    `*` marks a significant change from the base, `!` a regression. Exit codes: 0 ok; 2 usage or
    data; 3 the latest step regressed, or a gate of the spec failed; 4 it could not be measured.
    """
    if drawn and form == "json":
        raise click.UsageError("--plot draws for people, and --format json is for programs")
    with reported():
        from evalsi.core.run.plan import checked
        from evalsi.training.curve import curve_of
        from evalsi.training.history import History
        from evalsi.training.identity import identity_of_spec
        from evalsi.training.plot import plot

        given, history = checked(spec), History(log_dir, training_run)
        gates, allowed = judged_by(given, history, regression, monitor, patience)
        if history.is_held:
            history.refuse_another(identity_of_spec(given))
        made = curve_of(
            history,
            gates,
            metrics=[] if metrics is None else [name.strip() for name in metrics.split(",")],
            confirm=confirm,
            patience=allowed,
        )
        for line in plot(made, shutil.get_terminal_size().columns) if drawn else ():
            click.echo(line)
        show(made, form)
    sys.exit(exit_of(made))
