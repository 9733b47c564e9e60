"""`evalsi rescore`: what a result's outputs score now, and which scores changed."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalsi.core.cli.exits import reported

if TYPE_CHECKING:
    from evalsi.core.run.rescore import Change

__all__ = ["rescore"]


@click.command()
@click.argument("result", metavar="RESULT")
@click.option("-f", "--file", "spec", required=True, metavar="SPEC", help="An EvalRun.")
@click.option("--out", metavar="FILE", help="Write the new result there.")
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table")
def rescore(*, result: str, spec: str, out: str | None, form: str) -> None:
    """Score the outputs of RESULT anew with the evaluators of a spec.

    The target is not asked. Prints each result that changed, and evaluators that are not those of
    RESULT. Exit codes as of `evalsi run`.
    """
    with reported():
        from evalsi.core.cli.run_output import exit_of, performed, show
        from evalsi.core.run.document import ResultFile
        from evalsi.core.run.plan import checked
        from evalsi.core.run.rescore import Changes, versions, work_of_result

        earlier, found = ResultFile.of(Path(result)), checked(spec)
        work, changes = work_of_result(earlier, found), Changes(earlier)
        outcome = performed(work, out, changes.take)
        others = versions(earlier, found)
        if form == "table":
            for line in (*map(_line, changes.found), *others):
                click.echo(line)
            click.echo(f"{len(changes.found)} results changed")
        changed = [asdict(change) for change in changes.found]
        show(outcome, form, changed=changed, versions=others)
    sys.exit(exit_of(outcome))


def _line(change: Change) -> str:
    name = change.id.encode("unicode_escape").decode()
    return (
        f"{name} trial {change.trial}, {change.evaluator}: "
        f"{_told(change.before)} → {_told(change.after)}"
    )


def _told(result: object) -> str:
    if not isinstance(result, dict):
        return "nothing"
    if result["status"] != "scored":
        return str(result["status"])
    metrics = "".join(f", {name} {value:g}" for name, value in result.get("metrics", {}).items())
    return f"{result['value']:g}{metrics}"
