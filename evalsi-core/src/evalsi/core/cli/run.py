"""`evalsi run`: an EvalRun from its dataset to its verdict."""

from __future__ import annotations

import sys

import click

from evalsi.core.cli.exits import reported

__all__ = ["run"]


@click.command()
@click.option("-f", "--file", "spec", required=True, metavar="SPEC", help="An EvalRun.")
@click.option("--out", metavar="FILE", help="Write the result there; go on with what it has.")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many records.")
@click.option(
    "--set",
    "sets",
    multiple=True,
    metavar="PATH=VALUE",
    help="Change the spec: target.base_url=http://…; repeatable.",
)
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table")
def run(*, spec: str, out: str | None, limit: int | None, sets: tuple[str, ...], form: str) -> None:
    """Ask a target, evaluate its outputs, and hold the metrics to gates.

    A run that was interrupted goes on when it is started again with the same --out. Exit codes:
    0 ok; 2 usage, spec or data; 3 a gate failed; 4 too many errors for a verdict.
    """
    with reported():
        from evalsi.core.cli.run_output import exit_of, performed, show
        from evalsi.core.run.plan import checked, work_of

        changes = sets if limit is None else (*sets, f"dataset.limit={limit}")
        work = work_of(checked(spec, sets=changes))
        outcome = performed(work, out)
        show(outcome, form)
        if out is None:
            click.echo("the outputs are not kept; --out FILE keeps them", err=True)
    sys.exit(exit_of(outcome))
