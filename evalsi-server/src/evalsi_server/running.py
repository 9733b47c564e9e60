"""From what the command line says to a server that serves."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from functools import partial

import click

from evalsi.core.engine import start_engine
from evalsi.core.reward.missing import parsed
from evalsi_server.access import Token
from evalsi_server.app import application
from evalsi_server.health import missing
from evalsi_server.logs import LOG, show_logs
from evalsi_server.openrlhf import unfit
from evalsi_server.process import serve
from evalsi_server.scoring import Limits, Scorer
from evalsi_server.specs import Specs

__all__ = ["Settings", "run"]


@dataclass(frozen=True, slots=True)
class Settings:
    """What the options say beside the address; `evalsi rewards serve --help` describes them."""

    specs: tuple[str, ...]
    token_env: str | None
    missing: str
    limits: Limits
    drain_s: float
    concurrency: int | None
    allow_specs: bool
    access_log: bool


def run(settings: Settings, bound: socket.socket) -> None:
    """Serves what comes in at a socket, until a signal.

    Raises:
        click.UsageError: a token that will not do.
        SpecError: a spec is refused.
        DataError: `missing` is no number.
    """
    instead = parsed(settings.missing)
    token = _token(settings.token_env)
    show_logs()
    if settings.concurrency is not None:
        start_engine(width=settings.concurrency)
    scorer = Scorer(settings.limits)
    specs = Specs(settings.specs, scorer, open_to_clients=settings.allow_specs)
    if settings.allow_specs and token is None:
        LOG.warning("without a token every user of this machine may run code as this one")
    for reason in missing(specs.own):
        LOG.warning("not ready: %s", reason)
    app = application(specs, scorer, token=token, missing=instead, access_log=settings.access_log)
    began = partial(_announce, specs, bound, settings.token_env)
    serve(app, scorer, bound, drain_s=settings.drain_s, began=began)


def _token(name: str | None) -> Token | None:
    if name is None:
        return None
    try:
        return Token.of_environment(name)
    except ValueError as error:
        raise click.UsageError(f"the token in {name}: {error}") from error


def _announce(specs: Specs, bound: socket.socket, token_env: str | None) -> None:
    host, port, *_ = bound.getsockname()
    base = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    prefix = "" if token_env is None else f"/t/${token_env}"
    for function in specs.own:
        name = function.terms.name
        if why := unfit(function):
            LOG.warning("%s is not served at /get_reward: %s", name, why)
        else:
            LOG.info("%s at %s%s/get_reward/%s", name, base, prefix, name)
    LOG.info("listening on %s", base)
