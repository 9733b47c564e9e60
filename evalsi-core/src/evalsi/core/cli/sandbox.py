"""`evalsi sandbox check`: every rung of the ladder, usable or what is missing and what mends it."""

from __future__ import annotations

import json
import sys

import click

from evalsi.core.cli.exits import ExitCode, reported

__all__ = ["check"]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object a rung.")
def check(as_json: bool) -> None:
    """Prove every sandbox rung by a canary in a jail.

    Exit codes: 0 when code can run namespaced or better, 4 when it cannot.
    """
    with reported():
        from evalsi.core.engine import current_engine
        from evalsi.core.sandbox import LADDER, Usable

        strong = False
        for level, name in enumerate(LADDER):
            rung, verdict = current_engine().ladder.probe(name)
            usable = isinstance(verdict, Usable) and rung is not None
            strong |= usable and level >= LADDER.index("namespaced")
            if as_json:
                row = {"rung": name, "level": level, "usable": usable}
                fields = ("detail", "reason", "mend")
                row |= {field: getattr(verdict, field, None) for field in fields}
                told = {key: value for key, value in row.items() if value is not None}
                click.echo(json.dumps(told))
            elif isinstance(verdict, Usable):
                click.echo(f"{name:<12}usable    {verdict.detail}")
            else:
                click.echo(f"{name:<12}unusable  {verdict.reason}\n{'':<22}mend: {verdict.mend}")
    sys.exit(ExitCode.OK if strong else ExitCode.INFRASTRUCTURE)
