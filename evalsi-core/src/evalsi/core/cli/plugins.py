"""`evalsi plugins`: every plugin with its origin, and the packs that failed or are blocked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from evalsi.core.plugins import PluginHost

__all__ = ["plugins"]

_COLUMNS = ("kind", "name", "distribution", "version", "target", "state")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list instead of a table.")
def plugins(*, as_json: bool) -> None:
    """List plugins: where each comes from, and which packs failed.

    Imports no plugin. A pack that failed is listed with its cause and hurts only what needs it.
    """
    from evalsi.core.plugins import default_host

    rows = _rows(default_host())
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    widths = [max(len(column), *(len(row[column]) for row in rows)) for column in _COLUMNS]
    for cells in (_COLUMNS, *([row[column] for column in _COLUMNS] for row in rows)):
        line = "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        click.echo(line.rstrip())
    for row in rows:
        if row.get("cause"):
            click.echo(f"\nthe pack {row['name']} failed: {row['cause']}")


def _rows(host: PluginHost) -> list[dict[str, str]]:
    sound = [
        {
            "kind": plugin.kind,
            "name": plugin.full_name,
            "distribution": plugin.distribution,
            "version": plugin.version,
            "target": plugin.target,
            "state": "ok",
            "summary": plugin.summary,
        }
        for plugin in host.registered()
    ]
    blocked = [
        _pack_row(pack.name, pack.distribution, pack.version, pack.target) | {"state": "blocked"}
        for pack in host.blocked
    ]
    failed = [
        _pack_row(one.pack, one.distribution, one.version, one.target)
        | {"state": "FAILED", "cause": one.cause}
        for one in host.failures
    ]
    return [*sound, *blocked, *failed]


def _pack_row(name: str, distribution: str, version: str, target: str) -> dict[str, str]:
    return {
        "kind": "pack",
        "name": name,
        "distribution": distribution,
        "version": version,
        "target": target,
    }
