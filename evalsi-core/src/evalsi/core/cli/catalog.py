"""`evalsi catalog`: what each evaluator measures, reads and takes, from its own class and model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["catalog"]


@click.command()
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list instead of text.")
def catalog(*, name: str | None, as_json: bool) -> None:
    """Show evaluators with their params, defaults and metrics; all, or the one named NAME.

    What a class decides by its params is shown as "by params".
    """
    from evalsi.core.plugins import default_host
    from evalsi.core.spec.catalog import entry

    host = default_host()
    chosen = [host.find("evaluator", name)] if name else host.registered("evaluator")
    entries = [entry(host, plugin) for plugin in chosen]
    if as_json:
        click.echo(json.dumps(entries, indent=2))
        return
    click.echo("\n\n".join("\n".join(_lines(one)) for one in entries) or "no evaluator is there")


def _lines(entry: Mapping[str, Any]) -> Iterator[str]:
    yield f"{entry['name']}  ({entry['distribution']} {entry['version']})"
    if "error" in entry:
        yield f"  cannot be shown: {entry['error']}"
        return
    yield from (f"  {line}".rstrip() for line in entry["doc"].splitlines())
    for fact in ("reads", "needs", "bounded", "metrics"):
        yield f"  {fact + ':':<9}{_shown(entry[fact])}"
    if entry["params"]:
        yield "  params:"
    for param in entry["params"]:
        default = "needed" if param["needed"] else f"= {json.dumps(param['default'])}"
        yield f"    {param['name']} ({param['type']}) {default}"
        if param["doc"]:
            yield f"        {param['doc']}"


def _shown(fact: object) -> str:
    if isinstance(fact, dict):
        return ", ".join(f"{name} ({direction})" for name, direction in fact.items())
    if isinstance(fact, list):
        return ", ".join(fact) or "nothing"
    return {True: "yes", False: "no"}[fact] if isinstance(fact, bool) else str(fact)
