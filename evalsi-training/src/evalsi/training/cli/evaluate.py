"""`evalsi checkpoints eval`: one checkpoint, or the base model."""

from __future__ import annotations

import sys
from typing import Any

import click

from evalsi.core.cli.exits import reported
from evalsi.training.cli.options import evaluator_of, exit_of, served, shared, show
from evalsi.training.cli.trackers import posts_of, tracked

__all__ = ["evaluate"]


@click.command(name="eval")
@click.argument("checkpoint")
@click.option("--step", required=True, metavar="N", help="The checkpoint's step, or `base`.")
@tracked()
@served
@shared
def evaluate(
    *,
    checkpoint: str,
    step: str,
    form: str,
    trackers: tuple[str, ...],
    tracker_args: tuple[str, ...],
    **options: Any,
) -> None:
    """Evaluate CHECKPOINT and compare it with the base.

    Exit codes: 0 ok; 2 usage, spec or data; 3 it regressed, or a gate of the spec failed; 4 it
    could not be measured.
    """
    with reported():
        from evalsi.training.steps import parsed_step

        number = parsed_step(step)
        evaluator = evaluator_of(**options)
        if evaluator.is_measured(number):
            click.echo(f"step {number} is measured; it is neither served nor asked again", err=True)
        with posts_of(evaluator.outbox, evaluator.catch_up, trackers, tracker_args):
            evaluator.evaluate(checkpoint, number)
        curve = evaluator.curve()
        show(curve, form)
    sys.exit(exit_of(curve))
