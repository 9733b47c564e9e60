"""`evalsi checkpoints watch`: every checkpoint that appears."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalsi.core.cli.exits import reported
from evalsi.core.durable import publish
from evalsi.training.cli.options import evaluator_of, exit_of, served, shared, show

if TYPE_CHECKING:
    from evalsi.training.evaluator import CheckpointEvaluator

__all__ = ["watch"]


@click.command()
@click.argument("location")
@click.option("--interval", type=click.FloatRange(min=0), default=30.0, show_default=True)
@click.option(
    "--settle",
    type=click.FloatRange(min=0),
    default=30.0,
    show_default=True,
    help="Seconds that a checkpoint must have been still.",
)
@click.option("--marker", metavar="NAME", help="A file that its writer adds when it is done.")
@click.option("--base", metavar="MODEL", help="Evaluate the base first, where it is missing.")
@click.option("--once", is_flag=True, help="Look once; exit by the latest step.")
@click.option("--stop-file", metavar="PATH", help="Is written when the run has regressed.")
@served
@shared
def watch(  # noqa: PLR0913 - one parameter an option, as click passes them
    *,
    location: str,
    interval: float,
    settle: float,
    marker: str | None,
    base: str | None,
    once: bool,
    stop_file: str | None,
    form: str,
    **options: Any,
) -> None:
    """Evaluate every checkpoint that appears in LOCATION, in the order of its steps.

    Exit codes with --once: 0 ok; 2 usage, spec or data; 3 the latest step regressed, or a gate of
    the spec failed; 4 it could not be measured. Without, it goes on until it is interrupted.
    """
    with reported():
        from evalsi.training.sources import Directory
        from evalsi.training.watching import Watch

        evaluator = evaluator_of(**options)
        source = Directory(location, settle=settle, marker=marker)
        watching = Watch(evaluator, source, interval, lambda text: click.echo(text, err=True))
        if base is not None:
            watching.base(base)
        if once:
            source.scan()
            if source.unsettled:
                time.sleep(settle)
        for result in watching.look() if once else watching.run():
            click.echo(f"step {result.step}: {result.status}", err=True)
            if stop_file is not None and evaluator.curve().regressed:
                _write_stop(Path(stop_file), evaluator)
        if not evaluator.history():
            click.echo(f"there is no whole checkpoint in {location}", err=True)
            return
        curve = evaluator.curve()
        show(curve, form)
    sys.exit(exit_of(curve))


def _write_stop(path: Path, evaluator: CheckpointEvaluator) -> None:
    """Says in a file why training should stop; who trains looks whether it is there."""
    latest = evaluator.curve().latest
    assert latest is not None
    path.parent.mkdir(parents=True, exist_ok=True)
    publish(path, f"step {latest.step} regressed: {'; '.join(latest.reasons)}\n")
