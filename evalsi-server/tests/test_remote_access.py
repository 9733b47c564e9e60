"""A remote reward before a real server that wants a token, or serves its own specs only."""

import pytest
from server_kit import Running

from evalsi.core import SpecError
from evalsi.core.errors import ServerError
from evalsi.core.reward import RemoteServer, load_reward

TOKEN = "a-token-that-nobody-guesses"


@pytest.fixture(scope="module")
def url(writing):
    spec = writing("says", "says")
    with Running(spec, "--token-env", "OURS", OURS=TOKEN) as server:
        yield f"http://127.0.0.1:{server.port}"


def totals(reward):
    return [one.total for one in reward.score([{"completion": "0.5"}])]


def test_the_token_opens_the_server(url, monkeypatch):
    monkeypatch.setenv("EVALSI_SERVER_TOKEN", TOKEN)
    assert totals(load_reward("says", server=url)) == [0.5]


@pytest.mark.parametrize("token", ["", "another"], ids=["none", "another"])
def test_without_it_the_variable_is_named(url, monkeypatch, token):
    monkeypatch.setenv("OTHER_TOKEN", token)
    with pytest.raises(ServerError, match=r"401.*set the token in OTHER_TOKEN"):
        load_reward("says", server=RemoteServer(url, token_env="OTHER_TOKEN"))


def test_a_spec_that_equals_one_of_the_servers_is_that_one(url, written, monkeypatch):
    monkeypatch.setenv("EVALSI_SERVER_TOKEN", TOKEN)
    assert totals(load_reward(written("says", "says"), server=url)) == [0.5]


def test_another_spec_is_refused(url, monkeypatch):
    monkeypatch.setenv("EVALSI_SERVER_TOKEN", TOKEN)
    with pytest.raises(ServerError, match=r"403: .*its own specs only: says"):
        load_reward({"components": ["outage"]}, server=url)


def test_a_name_that_it_has_not_is_told_with_those_that_it_has(url, monkeypatch):
    monkeypatch.setenv("EVALSI_SERVER_TOKEN", TOKEN)
    with pytest.raises(SpecError, match="no spec is named 'say'; this server has says"):
        load_reward("say", server=url)
