"""`evalsi checkpoints publish`: results sent to a tracker, late or by hand."""

from __future__ import annotations

import sys
from functools import partial

import click

from evalsi.core.cli.exits import ExitCode, reported
from evalsi.training.cli.trackers import posts_of, tracked

__all__ = ["publish"]


@click.command()
@click.option("--training-run", required=True, metavar="NAME", help="Whose steps these are.")
@click.option(
    "--log-dir",
    default="evalsi-training",
    show_default=True,
    metavar="DIR",
    help="Where training runs are kept.",
)
@click.option(
    "--regression",
    multiple=True,
    metavar="METRIC[:MAX_DROP]",
    help="Judge by these gates; by default by those of the last time. Repeatable.",
)
@tracked(required=True)
def publish(
    *,
    training_run: str,
    log_dir: str,
    regression: tuple[str, ...],
    trackers: tuple[str, ...],
    tracker_args: tuple[str, ...],
) -> None:
    """Send every step that a tracker has not confirmed yet; what it confirmed is not sent again.

    Exit codes: 0 all is confirmed; 2 usage or data; 4 something is left.
    """
    with reported():
        from evalsi.core.errors import DataError
        from evalsi.training.history import History
        from evalsi.training.trackers import Outbox
        from evalsi.training.trackers.mending import mend

        history = History(log_dir, training_run)
        if not history.steps():
            raise DataError(f"{history.folder} holds no step")
        fill = partial(mend, history, regression or None)
        with posts_of(Outbox(history.folder), fill, trackers, tracker_args) as posts:
            posts.look()
        click.echo(f"{posts.confirmed} messages confirmed", err=True)
    sys.exit(ExitCode.INFRASTRUCTURE if posts.left else ExitCode.OK)
