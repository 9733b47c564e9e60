"""`evalsi checkpoints watch`: every checkpoint that appears."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalsi.core.cli.exits import ExitCode, reported
from evalsi.core.durable import publish
from evalsi.training.cli.options import evaluator_of, exit_of, served, shared, show
from evalsi.training.cli.trackers import posts_of, tracked

if TYPE_CHECKING:
    from evalsi.training.curve import Curve

__all__ = ["watch"]


@click.command()
@click.argument("location")
@click.option("--interval", type=click.FloatRange(min=0), default=30.0, show_default=True)
@click.option(
    "--settle",
    type=click.FloatRange(min=0),
    help="Seconds that a checkpoint must have been still; 30 by default.",
)
@click.option("--marker", metavar="NAME", help="A file that its writer adds when it is done.")
@click.option("--base", metavar="MODEL", help="Evaluate the base first, where it is missing.")
@click.option("--once", is_flag=True, help="Look once; exit by the latest step.")
@click.option(
    "--stop-file",
    type=click.Path(dir_okay=False),
    metavar="PATH",
    help="Is written when training should stop.",
)
@tracked()
@served
@shared
def watch(  # noqa: PLR0913 - one parameter an option, as click passes them
    *,
    location: str,
    interval: float,
    settle: float | None,
    marker: str | None,
    base: str | None,
    once: bool,
    stop_file: str | None,
    form: str,
    trackers: tuple[str, ...],
    tracker_args: tuple[str, ...],
    **options: Any,
) -> None:
    """Evaluate every checkpoint that appears in LOCATION, in the order of its steps.

    LOCATION is a directory, s3://, gs://, hf://owner/name, mlflow:MODEL, another URL, or what
    another pack's source takes.

    Exit codes with --once: 0 ok; 2 usage, spec or data; 3 the latest step regressed, or a gate of
    the spec failed; 4 it could not be measured. Without, it goes on until it is interrupted, or
    --patience ran out and nothing is left to evaluate.
    """
    with reported():
        from evalsi.training.sources import Settling, source_at
        from evalsi.training.watching import Watch

        source = source_at(
            location, settle=settle, marker=marker, training_run=options["training_run"]
        )
        evaluator = evaluator_of(**options)
        evaluator.refuse_another()
        watching = Watch(evaluator, source, interval, lambda text: click.echo(text, err=True))
        if once:
            source.scan(frozenset(evaluator.measured_steps()))
            if isinstance(source, Settling) and source.unsettled:
                time.sleep(source.settle)
        with posts_of(evaluator.outbox, evaluator.catch_up, trackers, tracker_args) as posts:
            watching.sleep = posts.sleep
            if base is not None:
                watching.base(base)
            for result in watching.look() if once else watching.run():
                click.echo(f"step {result.step}: {result.status}", err=True)
                if stop_file is not None:
                    _stop(evaluator.curve(), Path(stop_file))
                posts.look()
        if not evaluator.history():
            if watching.blind:
                sys.exit(ExitCode.INFRASTRUCTURE)
            click.echo(f"there is no whole checkpoint in {location}", err=True)
            return
        curve = evaluator.curve()
        if stop_file is not None:  # a kill may have kept it from being written
            _stop(curve, Path(stop_file))
        show(curve, form)
    sys.exit(ExitCode.INFRASTRUCTURE if watching.blind else exit_of(curve))


def _stop(curve: Curve, path: Path) -> None:
    """Says in a file why training should stop, if it should; who trains looks for the file."""
    if not (reason := curve.stop_reason):
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        publish(path, reason + "\n")
    except OSError as error:  # told, and tried again behind the next step
        click.echo(f"--stop-file {path} cannot be written: {error.strerror}; {reason}", err=True)
