"""`evalsi rewards config verl`: the overrides by which verl finds an evalsi reward."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

import click

from evalsi.core.cli.exits import reported
from evalsi.core.errors import SpecError
from evalsi.core.reward import load_reward
from evalsi.core.reward.missing import parsed
from evalsi.rewards.releases import Since, style_of
from evalsi.rewards.verl import TRAINER

__all__ = ["overrides", "verl"]


class _Style(NamedTuple):
    """Where verl's release has the section of the reward function, and what its `path` may be."""

    section: str
    by_package: bool


# From the sources of 0.4.0 to 0.9.1. From 0.9.0 on the section of the older ones is still accepted,
# and ignored; 0.7.1 and 0.8.0 know both.
_KNOWN: Final = (
    Since("0.4.0", _Style("custom_reward_function", by_package=False)),
    Since("0.7.0", _Style("custom_reward_function", by_package=True)),
    Since("0.7.1", _Style("reward.custom_reward_function", by_package=True)),
)
_PLAIN: Final = re.compile(r"[A-Za-z0-9_./:@%+-]+")


@click.command()
@click.option("--spec", required=True, metavar="FILE", help="A RewardSpec, YAML or JSON.")
@click.option("--server", metavar="URL", help="A reward server that computes instead of verl.")
@click.option(
    "--missing",
    metavar="raise|NUMBER",
    help="What a rollout without a total gets; verl cannot leave it out.",
)
@click.option("--version", "release", help="The release of verl; by default the installed one.")
def verl(spec: str, server: str | None, missing: str | None, release: str | None) -> None:
    """Print the overrides that make verl use a reward, for the installed release of verl.

    One override a line, for the command line of `verl.trainer.main_ppo`. Exit codes: 0 ok; 2 the
    release is not known, or the spec is refused.
    """
    with reported():
        found, style = style_of("verl", release, _KNOWN, TRAINER.tested)
        kwargs = {"spec": _checked(spec, server), "server": server, "missing": missing}
        parsed(missing)
        for line in overrides(style, kwargs):
            click.echo(line)
        click.echo(f"for verl {found}; the log shows `evalsi reward active` once it is", err=True)


def overrides(style: _Style, kwargs: dict[str, str | None]) -> list[str]:
    """The overrides for Hydra, one for each setting that is not None."""
    module = "evalsi.rewards.verl"
    origin = find_spec(module)
    path = f"pkg://{module}" if style.by_package else str(origin and origin.origin)
    given = [(name, value) for name, value in kwargs.items() if value is not None]
    return [
        f"{style.section}.path={_quoted(path)}",
        f"{style.section}.name=compute_score",
        # Doubled: the section has no reward_kwargs, unless the user's own config adds some.
        *(f"++{style.section}.reward_kwargs.{name}={_quoted(value)}" for name, value in given),
    ]


def _checked(spec: str, server: str | None) -> str:
    """The spec as workers find it wherever they run, refused where it cannot work in verl."""
    path = Path(spec)
    if server is None:
        TRAINER.check(load_reward(path))
    elif not path.exists():
        return spec  # the server's own, by name
    return str(path.resolve())


def _quoted(value: str) -> str:
    """A value in Hydra's grammar."""
    if "${" in value:
        raise SpecError(f"{value!r} holds ${{, which Hydra would replace; rename the file")
    if _PLAIN.fullmatch(value):
        return value
    return "'" + re.sub(r"(\\*)('|\Z)", lambda m: m[1] * 2 + m[2].replace("'", r"\'"), value) + "'"
