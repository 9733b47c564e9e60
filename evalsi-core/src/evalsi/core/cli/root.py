"""The root of the command line: a tree of commands by path, each imported when it is called.

Core's own commands come from its table, so that `evalsi --help` loads no plugin; another pack's
are looked up where core has none of that name, and listed in the help of the group they extend.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

import click

from evalsi.core.cli.exits import reported
from evalsi.core.errors import PluginError
from evalsi.core.plugin import evalsi_register_commands
from evalsi.core.plugins.descriptor import Registered

if TYPE_CHECKING:
    from evalsi.core.plugins import PluginHost

__all__ = ["CommandGroup", "root"]

_GROUPS: Final = {
    "rewards": "Turn evaluators into rewards.",
    "rewards config": "Print the settings by which a trainer finds a reward.",
    "sandbox": "The ladder of places where code runs.",
}


class CommandGroup(click.Group):
    """The commands whose path starts with this group's own path."""

    def __init__(self, path: Sequence[str] = (), **settings: object) -> None:
        name = path[-1] if path else "evalsi"
        super().__init__(name, help=_GROUPS.get(" ".join(path)), **settings)  # type: ignore[arg-type]
        self._path = tuple(path)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names below this path; at the root those of core alone."""
        del ctx
        return sorted(self._summaries())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command or group of that name, core's before any other pack's."""
        del ctx
        path = (*self._path, cmd_name)
        return _found(path, _core()) or _found(path, _host().registered("command"))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, with a suggestion for a name that is unknown."""
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            ctx.fail(_no_command(self._path, name, _host()))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the summaries of the descriptors, so that help imports no command."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(sorted(self._summaries().items()))

    def invoke(self, ctx: click.Context) -> object:
        """Runs the command, with errors told as `reported` tells them."""
        with reported():
            return super().invoke(ctx)

    def _summaries(self) -> dict[str, str]:
        further = _host().registered("command") if self._path else ()
        return _summaries(self._path, [*_core(), *further])


def _core() -> list[Registered]:
    return [
        Registered("command", plugin.name, "core", "evalsi-core", "", plugin.target, plugin.summary)
        for plugin in evalsi_register_commands()
    ]


def _host() -> PluginHost:
    from evalsi.core.plugins import default_host

    return default_host()


def _summaries(path: Sequence[str], commands: Iterable[Registered]) -> dict[str, str]:
    """Name to summary of what is below a path."""
    summaries: dict[str, str] = {}
    for command in commands:
        words = command.name.split()
        if len(words) > len(path) and words[: len(path)] == list(path):
            name = words[len(path)]
            is_group = len(words) > len(path) + 1
            group = _GROUPS.get(" ".join((*path, name)), "")
            summary = group if is_group else command.summary
            summaries.setdefault(name, summary)
    return summaries


def _found(path: Sequence[str], commands: Sequence[Registered]) -> click.Command | None:
    name = " ".join(path)
    exact = [command for command in commands if command.name == name]
    if len(exact) > 1:
        owners = " and ".join(f"{c.distribution} {c.version}" for c in exact)
        raise PluginError(
            f"the command `{name}` is registered by {owners}; "
            f"block one: EVALSI_BLOCK_PLUGINS={exact[-1].pack}"
        )
    if exact:
        return _imported(exact[0])
    is_group = any(command.name.startswith(f"{name} ") for command in commands)
    return CommandGroup(path) if is_group else None


def _imported(command: Registered) -> click.Command:
    origin = f"the command `{command.name}` of {command.distribution} {command.version}".rstrip()
    try:
        found = command.load()
    except Exception as error:
        raise PluginError(
            f"{origin} does not import from {command.target}: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(found, click.Command):
        raise PluginError(f"{origin} is {type(found).__name__}; it must be a click command")
    return found


def _no_command(path: Sequence[str], name: str, host: PluginHost) -> str:
    from difflib import get_close_matches

    known = _summaries(path, [*_core(), *host.registered("command")])
    close = get_close_matches(name, known, 1)
    hint = f' did you mean "{close[0]}"?' if close else f" known: {', '.join(sorted(known))}"
    failed = "".join(f"\n{failure}" for failure in host.failures)
    return f'no command is named "{name}";{hint}{failed}'


@click.pass_context
def _bare(ctx: click.Context) -> None:
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


root: Final = click.version_option(package_name="evalsi-core", message="evalsi %(version)s")(
    CommandGroup(
        callback=_bare,
        invoke_without_command=True,
        epilog="Installed packs may add commands: `evalsi plugins` lists them.",
    )
)
"""The command `evalsi`."""
