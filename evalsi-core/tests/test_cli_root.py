"""The command line's root: what loads when, commands of packs, and how commands end."""

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from evalsi.core import DataError, Failure, PluginError, RewardError, SandboxUnavailable, SpecError
from evalsi.core.cli.exits import ExitCode, exit_code, reported
from evalsi.core.cli.root import root
from evalsi.core.errors import EngineError, EvalsiError

SHOW_MODULES = """
import sys
from evalsi.core.cli import main
sys.argv = ["evalsi", *{args!r}]
try:
    main()
finally:
    heavy = {{"aiohttp", "evalsi_pack_rl", "pluggy", "pydantic", "sympy", "yaml"}}
    print(sorted(heavy & set(sys.modules)), file=sys.stderr)
"""


def run(*args, **environ):
    """Runs the command line in a process of its own; gives it ended."""
    code = SHOW_MODULES.format(args=list(args))
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("args", [["--version"], ["--help"], []], ids=["version", "help", "bare"])
def test_the_root_loads_no_plugin_and_no_heavy_library(args):
    ended = run(*args)
    assert (ended.returncode, ended.stderr) == (0, "[]\n")


def test_listing_plugins_imports_none_of_them():
    ended = run("plugins")
    assert ended.returncode == 0
    assert "sympy" not in ended.stderr
    assert "aiohttp" not in ended.stderr
    assert "pydantic" not in ended.stderr


def test_the_version_is_that_of_the_distribution():
    from importlib.metadata import version

    assert run("--version").stdout == f"evalsi {version('evalsi-core')}\n"


def test_help_lists_cores_commands_and_says_where_others_are():
    printed = CliRunner().invoke(root, ["--help"]).output
    assert all(name in printed for name in ("catalog", "plugins", "rewards", "sandbox"))
    assert "`evalsi plugins` lists them" in printed


def test_an_unknown_command_is_told_the_nearest():
    ended = CliRunner().invoke(root, ["plugin"])
    assert ended.exit_code == ExitCode.USAGE
    assert 'no command is named "plugin"; did you mean "plugins"?' in ended.output


PACK = """
import click
from evalsi.core.plugins import Plugin, hookimpl

@hookimpl
def evalsi_register_commands():
    return [
        Plugin("rewards acme", "acme_cli:serve", "Rewards of Acme."),
        Plugin("hello", "acme_cli:serve"),
        Plugin("plugins", "acme_cli:broken"),
        Plugin("odd", "acme_cli:PACK"),
        Plugin("gone", "acme_gone:serve"),
    ]

@click.command()
def serve():
    click.echo("served")

PACK = 3
"""


@pytest.fixture
def acme(tmp_path):
    """The environment of a process that has a pack with commands."""
    (tmp_path / "acme_cli.py").write_text(PACK)
    info = tmp_path / "acme_cli-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-cli\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[evalsi]\nacme = acme_cli\n")
    return {"PYTHONPATH": str(tmp_path)}


def test_a_pack_extends_a_group_of_core(acme):
    assert run("rewards", "acme", **acme).stdout == "served\n"


def test_a_pack_adds_a_command_of_its_own(acme):
    assert run("hello", **acme).stdout == "served\n"


def test_the_help_of_a_group_lists_what_packs_add(acme):
    assert "Rewards of Acme." in run("rewards", "--help", **acme).stdout


def test_a_pack_does_not_replace_a_command_of_core(acme):
    assert "acme:plugins" in run("plugins", **acme).stdout


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("odd", "the command `odd` of acme-cli 1.0 is int; it must be a click command"),
        ("gone", "does not import from acme_gone:serve: ModuleNotFoundError"),
    ],
)
def test_a_command_that_is_none_is_a_usage_error(acme, name, told):
    ended = run(name, **acme)
    assert ended.returncode == ExitCode.USAGE
    assert told in ended.stderr


def caused_by(*kinds):
    return RewardError([("r1", "tests", Failure(kind, "gone")) for kind in kinds])


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (SpecError("x"), ExitCode.USAGE),
        (DataError("x"), ExitCode.USAGE),
        (PluginError("x"), ExitCode.USAGE),
        (SandboxUnavailable("x"), ExitCode.INFRASTRUCTURE),
        (EngineError("x"), ExitCode.INFRASTRUCTURE),
        (EvalsiError("x"), ExitCode.FAILED),
        (caused_by("sandbox", "judge"), ExitCode.INFRASTRUCTURE),
        (caused_by("data", "data"), ExitCode.USAGE),
        (caused_by("sandbox", "evaluator"), ExitCode.FAILED),
        (caused_by("sandbox", "data"), ExitCode.FAILED),
        (caused_by(), ExitCode.FAILED),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_every_error_has_its_exit_code(error, code):
    assert exit_code(error) is code


@pytest.mark.parametrize(
    ("raised", "code", "told"),
    [
        (SpecError(["one", "two"]), 2, "one\ntwo\n"),
        (SandboxUnavailable("no rung"), 4, "no rung\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
    ],
    ids=["a-spec", "an-outage", "ctrl-c"],
)
def test_a_command_that_raises_ends_with_the_message_and_the_code(capsys, raised, code, told):
    with pytest.raises(SystemExit) as ended, reported():
        raise raised
    printed = capsys.readouterr()
    assert (ended.value.code, printed.err, printed.out) == (code, told, "")


def test_a_reader_that_goes_away_ends_the_command_quietly():
    code = (
        "from evalsi.core.cli.exits import reported\n"
        "with reported():\n"
        "    while True: print('line')\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        process.stdout.close()
        assert (process.stderr.read(), process.wait(timeout=60)) == (b"", 141)


def test_a_broken_pipe_that_is_not_stdout_is_no_quiet_end():
    with pytest.raises(BrokenPipeError), reported():
        raise BrokenPipeError
