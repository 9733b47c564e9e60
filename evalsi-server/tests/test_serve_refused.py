"""What the command refuses before it serves, with its exit code and the mend."""

import logging
import socket
from pathlib import Path

import pytest
from click.testing import CliRunner

from evalsi.core.cli.root import root


@pytest.fixture(autouse=True)
def logs():
    """Takes the handlers away again that a server gives its logs."""
    yield
    for log in map(logging.getLogger, ("evalsi", "uvicorn")):
        log.handlers.clear()
        log.setLevel(logging.NOTSET)
        log.propagate = True


def refused(*options, **environment):
    done = CliRunner().invoke(root, ["rewards", "serve", *options], env=environment)
    assert isinstance(done.exception, SystemExit)
    return done.exit_code, done.output


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_a_public_address_without_a_token(written, host):
    status, told = refused("--spec", written("says", "says"), "--host", host)
    assert status == 2
    assert "--token-env" in told


def test_a_token_that_is_not_set(written):
    status, told = refused("--spec", written("says", "says"), "--token-env", "NO_SUCH")
    assert status == 2
    assert "NO_SUCH" in told
    assert "token_urlsafe" in told


def test_a_token_that_is_too_short(written):
    spec = written("says", "says")
    status, told = refused("--spec", spec, "--token-env", "WEAK", WEAK="hunter2")
    assert status == 2
    assert "16 to 256" in told
    assert "hunter2" not in told


def test_two_specs_of_one_name(written, tmp_path):
    first = written("says", "says")
    second = tmp_path / "copy.json"
    second.write_text(Path(first).read_text("utf-8"), "utf-8")
    status, told = refused("--spec", first, "--spec", str(second), "--port", "0")
    assert status == 2
    assert f"{second}: the name 'says' is taken" in told


def test_a_spec_with_a_mistake(written):
    status, told = refused("--spec", written("says", "sais"), "--port", "0")
    assert status == 2
    assert "spec.components[0].ref: no evaluator is named" in told


def test_a_port_that_is_taken(written):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        status, told = refused("--spec", written("says", "says"), "--port", port)
    assert status == 2
    assert f"--port {port} cannot be listened on" in told


def test_a_host_that_is_none(written):
    status, told = refused("--spec", written("says", "says"), "--host", "no.such.invalid")
    assert status == 2
    assert "no.such.invalid is no address" in told


@pytest.mark.parametrize("missing", ["nan", "inf", "none", ""])
def test_a_number_in_place_of_a_missing_total_that_is_none(written, missing):
    status, told = refused("--spec", written("says", "says"), "--missing", missing)
    assert status == 2
    assert "`missing`" in told
