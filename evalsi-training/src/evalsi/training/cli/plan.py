"""`evalsi checkpoints plan`: what a spec's panel can see of a drop."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from evalsi.core.cli.exits import reported

__all__ = ["plan"]


@click.command()
@click.option("-f", "--file", "spec", required=True, metavar="SPEC", help="An EvalRun.")
@click.option(
    "--regression",
    multiple=True,
    required=True,
    metavar="METRIC[:MAX_DROP]",
    help="A gate that is planned; repeatable.",
)
@click.option(
    "--share",
    type=click.FloatRange(0, 1),
    default=0.7,
    show_default=True,
    help="The share of records that the base passes.",
)
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table")
def plan(*, spec: str, regression: tuple[str, ...], share: float, form: str) -> None:
    """Say which drop a spec's panel can see, and how many records each gate's drop needs.

    For metrics that are passes and failures, of one trial. Nothing is asked.
    """
    with reported():
        from evalsi.core.run.plan import checked, work_of
        from evalsi.training.gates import RegressionGate
        from evalsi.training.identity import check_gates
        from evalsi.training.planning import plans_of

        given = checked(spec)
        gates = [RegressionGate.parse(text) for text in regression]
        check_gates(given, gates)
        plans = plans_of(gates, work_of(given).size, share)
        if form == "json":
            rows = [{**asdict(one), "underpowered": one.underpowered} for one in plans]
            click.echo(json.dumps(rows))
            return
        for one in plans:
            needs = "" if one.needed is None else f"; {one.gate.max_drop:g} needs {one.needed}"
            state = "underpowered" if one.underpowered else "ok"
            click.echo(
                f"{one.gate.metric}: {one.n} records show a drop of {one.smallest:.3f} where base "
                f"and checkpoint correlate by {one.correlation:g}{needs}  {state}"
            )
