"""`evalsi eval`: evaluators over outputs that exist already."""

from __future__ import annotations

import sys

import click

from evalsi.core.cli.exits import reported

__all__ = ["evaluate"]


@click.command("eval")
@click.option(
    "--data", required=True, metavar="FILE", help="Outputs: .jsonl or .csv, also .gz; .parquet."
)
@click.option("--evaluators", required=True, metavar="A,B", help="Names of evaluators.")
@click.option("--out", metavar="FILE", help="Write the result there.")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many records.")
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table")
def evaluate(*, data: str, evaluators: str, out: str | None, limit: int | None, form: str) -> None:
    """Evaluate outputs that are there already.

    A row is what `evalsi rewards score` takes: `input`, `output`, the reference, `metadata`. Rows
    of one `id` that stand together are trials of one record. Exit codes: 0 ok; 2 usage or data;
    4 too many errors for a verdict.
    """
    with reported():
        from evalsi.core.cli.run_output import exit_of, performed, show
        from evalsi.core.run.given import work_of_outputs

        names = [name.strip() for name in evaluators.split(",") if name.strip()]
        if not names:
            raise click.UsageError("--evaluators names none; `evalsi catalog` lists them")
        work = work_of_outputs(data, names, limit=limit)
        outcome = performed(work, out)
        show(outcome, form)
    sys.exit(exit_of(outcome))
