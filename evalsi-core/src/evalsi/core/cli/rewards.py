"""`evalsi rewards score`: one JSON line a rollout on stdout, the rest on stderr."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from evalsi.core.cli.exits import reported
from evalsi.core.cli.judging import usage_told
from evalsi.core.cli.rollouts import count_rows, read_rollouts

if TYPE_CHECKING:
    from evalsi.core.results import Reward

__all__ = ["score"]


@click.command()
@click.option(
    "--spec", required=True, metavar="FILE", help="A RewardSpec, YAML or JSON; or a server's name."
)
@click.option(
    "--data", required=True, metavar="FILE", help="Rollouts: JSONL, .jsonl.gz, .parquet, or -."
)
@click.option("--out", metavar="FILE", help="Write the rewards there instead of stdout.")
@click.option("--resume", is_flag=True, help="Go on with --out behind the rows it has.")
@click.option("--limit", type=click.IntRange(min=1), help="Score the first N rollouts only.")
@click.option(
    "--concurrency",
    type=click.IntRange(min=1),
    help="Jails and workers at once; by default the cores, shared with other processes.",
)
@click.option(
    "--server", metavar="URL", help="Score there, as `evalsi rewards serve` does, not here."
)
@click.option("--format", "form", type=click.Choice(["jsonl", "table"]), default="jsonl")
@click.option("--evidence", is_flag=True, help="Add each score's evidence to its component.")
def score(  # noqa: PLR0913, PLR0917 - one parameter an option, as click passes them
    spec: str,
    data: str,
    out: str | None,
    resume: bool,
    limit: int | None,
    concurrency: int | None,
    server: str | None,
    form: str,
    evidence: bool,
) -> None:
    """Score rollouts with a RewardSpec.

    Prints one line a rollout, in input order. Exit codes: 0 ok; 1 a component failed; 2 usage,
    spec or data; 4 every failure is infrastructure (sandbox, judge, server).
    """
    with reported():
        from evalsi.core.cli.score_output import Output, Summary
        from evalsi.core.engine import start_engine
        from evalsi.core.reward import RemoteServer, load_reward

        table = form == "table"
        if resume and (out is None or table):
            raise click.UsageError("--resume goes on with a file of lines: --out, no table")
        if concurrency is not None and server is not None:
            raise click.UsageError("--concurrency is of this machine; the server has its own")
        if concurrency is not None:
            start_engine(width=concurrency)
        there = None if server is None else RemoteServer(server, evidence=evidence)
        function = load_reward(spec, server=there)
        rollouts = itertools.islice(read_rollouts(data), limit)
        summary = Summary()
        kept = Output(function, out, resume=resume, table=table, evidence=evidence)
        with usage_told(function.judge), kept as output:
            skipped = output.skip(rollouts, summary)
            rewards = function.iter_scores(rollouts, first=skipped + 1)
            quiet = not sys.stderr.isatty() or (out is None and sys.stdout.isatty())
            if not quiet:
                rewards = _with_progress(rewards, data, limit, skipped)
            try:
                for reward in rewards:
                    summary.count(reward)
                    output.write(reward)
            finally:
                del rewards  # one that Ctrl-C left would end whenever the collector comes by
        click.echo(str(summary), err=True)
    sys.exit(summary.exit_code)


def _with_progress(
    rewards: Iterator[Reward], data: str, limit: int | None, skipped: int
) -> Iterator[Reward]:
    rows = count_rows(data)
    length = None if rows is None else min(rows, limit or rows) - skipped
    with click.progressbar(rewards, length=length, file=sys.stderr, label="rollouts") as bar:
        yield from bar
