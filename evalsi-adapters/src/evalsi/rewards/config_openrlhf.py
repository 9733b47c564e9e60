"""`evalsi rewards config openrlhf`: the flag by which OpenRLHF finds an evalsi reward."""

from __future__ import annotations

import shlex
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import click

from evalsi.core.cli.exits import reported
from evalsi.core.reward import load_reward
from evalsi.rewards.openrlhf import TRAINER
from evalsi.rewards.releases import Since, style_of

__all__ = ["openrlhf"]

# From the sources of 0.8.5 to 0.11.2; before, a reward was a bare tensor, without components.
_KNOWN: Final = (Since("0.8.5", "--remote_rm_url"), Since("0.10.2", "--reward.remote_url"))


@click.command()
@click.option("--spec", metavar="FILE", help="A RewardSpec that OpenRLHF's workers compute.")
@click.option("--url", metavar="URL", help="Where `evalsi rewards serve` answers instead.")
@click.option("--version", "release", help="The release of OpenRLHF; by default the installed one.")
def openrlhf(spec: str | None, url: str | None, release: str | None) -> None:
    """Print the flag that makes OpenRLHF use a reward, for the installed release of OpenRLHF.

    With --spec the file that its workers execute, and on stderr the environment that they need;
    with --url the server. Exit codes: 0 ok; 2 the release is not known, or the spec is refused.
    """
    with reported():
        if (spec is None) == (url is None):
            raise click.UsageError("give --spec, or --url of a server that holds the spec")
        found, flag = style_of("openrlhf", release, _KNOWN, TRAINER.tested)
        click.echo(f"{flag} {shlex.quote(_file() if url is None else _route(url))}")
        if spec is not None:
            path = Path(spec)
            TRAINER.check(load_reward(path))
            setting = f"EVALSI_REWARD_SPEC={shlex.quote(str(path.resolve()))}"
            click.echo(f"in the environment of every Ray worker: {setting}", err=True)
        click.echo(f"for OpenRLHF {found}", err=True)


def _route(url: str) -> str:
    """The address of the server's route, also where only its host was named."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise click.UsageError(f"--url is {url!r}; it must begin with http:// or https://")
    return url if parts.path.strip("/") else f"{url.rstrip('/')}/get_reward"


def _file() -> str:
    origin = find_spec("evalsi.rewards.openrlhf")
    return str(origin and origin.origin)
