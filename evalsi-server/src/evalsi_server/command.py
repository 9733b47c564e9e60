"""`evalsi rewards serve`: the light reward server."""

from __future__ import annotations

import click

__all__ = ["serve"]

_MIB = 1024 * 1024


@click.command()
@click.option(
    "--spec",
    "specs",
    required=True,
    multiple=True,
    metavar="FILE",
    help="A RewardSpec, YAML or JSON; repeat it to serve several by their names.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option("--port", type=click.IntRange(0, 65535), default=5000, show_default=True)
@click.option(
    "--token-env",
    metavar="NAME",
    help="The environment variable that holds the token which requests must know.",
)
@click.option(
    "--missing",
    default="raise",
    show_default=True,
    metavar="raise|NUMBER",
    help="What OpenRLHF is given for a rollout without a total.",
)
@click.option(
    "--deadline",
    "deadline_s",
    type=click.FloatRange(min=0, min_open=True),
    default=150.0,
    show_default=True,
    help="Seconds for a request; OpenRLHF gives up after 180.",
)
@click.option(
    "--max-in-flight",
    type=click.IntRange(min=1),
    default=65_536,
    show_default=True,
    help="Rollouts of all requests at once; further ones wait.",
)
@click.option(
    "--max-rollouts",
    type=click.IntRange(min=1),
    default=16_384,
    show_default=True,
    help="Rollouts in a request.",
)
@click.option(
    "--max-body-mb",
    type=click.IntRange(min=1),
    default=64,
    show_default=True,
    help="MiB of a request; four times that is held at once.",
)
@click.option(
    "--drain",
    "drain_s",
    type=click.FloatRange(min=0),
    default=30.0,
    show_default=True,
    help="Seconds for requests in flight after SIGTERM.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(min=1),
    help="Jails and workers at once; by default the cores, shared with other processes.",
)
@click.option(
    "--allow-specs",
    is_flag=True,
    help="Let clients send specs of their own; those run code as the server's user.",
)
@click.option("--access-log", is_flag=True, help="Log every answer, not failures only.")
def serve(  # noqa: PLR0913, PLR0917 - one parameter an option, as click passes them
    specs: tuple[str, ...],
    host: str,
    port: int,
    token_env: str | None,
    missing: str,
    deadline_s: float,
    max_in_flight: int,
    max_rollouts: int,
    max_body_mb: int,
    drain_s: float,
    concurrency: int | None,
    allow_specs: bool,
    access_log: bool,
) -> None:
    """Serve rewards over HTTP: OpenRLHF's protocol, and scoring as JSON.

    Ends with 0 after SIGTERM or Ctrl-C; 2: usage or a spec that is refused.
    """
    from evalsi_server.address import listening

    with listening(host, port, guarded=token_env is not None) as bound:
        from evalsi_server.running import Settings, run
        from evalsi_server.scoring import Limits

        settings = Settings(
            specs,
            token_env,
            missing,
            Limits(deadline_s, max_rollouts, max_in_flight, max_body_mb * _MIB),
            drain_s,
            concurrency,
            allow_specs=allow_specs,
            access_log=access_log,
        )
        run(settings, bound)
