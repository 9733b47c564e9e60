"""A reward server that fails: tries, then the right numbers; or an error, and no number."""

from __future__ import annotations

import importlib
import pickle
import socket
import time
from dataclasses import replace

import pytest
from fault_server import (
    close,
    cut_body,
    half_json,
    hang,
    limited,
    no_body,
    raw,
    reset,
    status,
)
from reward_faults import problem, serving

from evalsi.core import Errored, SpecError
from evalsi.core.errors import EngineError, ServerError
from evalsi.core.plugins import PluginHost
from evalsi.core.reward import RemoteServer, load_reward

SAYS = {"name": "said", "components": ["says"]}
GATED = {"components": [{"ref": "says", "gate": True}], "floor": -1}
ROWS = [{"completion": text} for text in ("0.5", "1", "-3")]
SECRET = "s3cret-of-the-server"


@pytest.fixture(scope="module")
def host():
    return PluginHost([importlib.import_module("engine_fakes.plugin")])


def totals(rewards):
    return [reward.total for reward in rewards]


def brief(server, deadline_s=1.0, timeout_s=10.0):
    """Settings with which an outage ends soon."""
    return RemoteServer(server.url, timeout_s=timeout_s, deadline_s=deadline_s)


@pytest.mark.parametrize(
    "faults",
    [
        [status(500), status(502, "bad gateway")],
        [status(503, retry_after="0")],
        [problem(503, "busy", retry_after="0")] * 3,
        [problem(503, "draining", retry_after="0"), reset(), close()],
        [limited(), limited()],
        [reset()],
        [close()],
        [cut_body(), half_json()],
        [no_body(), raw("<html>")],
        [raw({"rewards": []})],
        [problem(504, "deadline")],
    ],
    ids=[
        *("5xx", "503", "busy", "a restart", "429", "reset", "closed", "half"),
        *("nothing", "an answer to others", "late"),
    ],
)
def test_a_fault_costs_tries_and_no_reward(host, faults):
    with serving(host, faults) as server:
        reward = load_reward(SAYS, server=server.url)
        assert totals(reward.score(ROWS)) == [0.5, 1.0, -3.0]
        tries = server.asked[1:]
    assert len(tries) == len(faults) + 1
    assert len({one.body["requestId"] for one in tries}) == 1


def test_every_request_has_an_id_of_its_own(host):
    with serving(host) as server:
        reward = load_reward(SAYS, server=server.url)
        reward.score([{"completion": "1"}] * 1200)
        reward.score([{"completion": "1"}])
    ids = [one.body["requestId"] for one in server.asked]
    assert len(set(ids)) == len(ids) == 5


def test_a_try_that_hangs_is_broken_off_and_made_again(host):
    with serving(host, [hang()]) as server:
        reward = load_reward(SAYS, server=brief(server, deadline_s=30, timeout_s=0.3))
        assert totals(reward.score(ROWS)) == [0.5, 1.0, -3.0]
        assert server.asked[1].body["timeoutSeconds"] == 0.3


def test_the_deadline_of_a_call_ends_it(host):
    with serving(host, [hang()]) as server:
        reward = load_reward(SAYS, server=brief(server, deadline_s=0.5))
        begun = time.monotonic()
        with pytest.raises(ServerError, match="gave no answer"):
            reward.score(ROWS)
        assert time.monotonic() - begun < 5


def test_an_outage_is_an_error_of_the_server_under_raise(host):
    with serving(host, [status(503)] * 99) as server:
        reward = load_reward(SAYS, server=brief(server))
        with pytest.raises(ServerError, match="answered 503: a fault") as raised:
            reward.score(ROWS)
    assert (raised.value.kind, raised.value.retryable) == ("server", True)


@pytest.mark.parametrize("on_error", ["zero", "none"])
@pytest.mark.parametrize("spec", [SAYS, GATED], ids=["a sum", "a gate"])
def test_an_outage_gives_no_number_whatever_the_rule(host, spec, on_error):
    with serving(host, [reset()] * 99) as server:
        reward = load_reward({**spec, "onError": on_error}, server=brief(server))
        found = reward.score(ROWS)
    assert [(one.id, one.total, one.gated) for one in found] == [
        ("1", None, False),
        ("2", None, False),
        ("3", None, False),
    ]
    results = [one["says"].result for one in found]
    assert all(isinstance(one, Errored) and one.failure.kind == "server" for one in results)


def failing_of(name):
    """Breaks the connection of each request that holds a rollout of that id."""

    def fault_of(asked):
        return reset() if any(row["id"] == name for row in asked.body["rollouts"]) else None

    return fault_of


def test_a_request_that_fails_for_good_takes_no_other_with_it(host):
    rows = [{"completion": "1"} for _ in range(1200)]
    with serving(host, fault_of=failing_of("600")) as server:
        reward = load_reward({**SAYS, "onError": "none"}, server=brief(server))
        found = totals(reward.score(rows))
    assert found == [1.0] * 512 + [None] * 512 + [1.0] * 176


def test_a_stream_keeps_what_came_before_an_outage(host):
    rows = [{"completion": "1"} for _ in range(1200)]
    got = []
    with serving(host, fault_of=failing_of("600")) as server:
        reward = load_reward(SAYS, server=brief(server))
        with pytest.raises(ServerError):
            got.extend(reward.iter_scores(rows))
    assert len(got) == 512


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (problem(401, "unauthorized", "a token is needed"), "set the token in EVALSI_SERVER_TOKEN"),
        (problem(403, "forbidden", "only its own specs"), "403: only its own specs"),
        (raw("<html>not here</html>", 404), "answered 404"),
        (raw("", 302, {"location": "http://example.invalid"}), "answered 302"),
    ],
    ids=["401", "403", "404", "redirect"],
)
@pytest.mark.parametrize("on_error", ["raise", "none"])
def test_a_refusal_is_told_at_once_whatever_the_rule(host, answer, told, on_error):
    with serving(host, [answer]) as server:
        reward = load_reward({**SAYS, "onError": on_error}, server=server.url)
        with pytest.raises(ServerError, match=told) as raised:
            reward.score(ROWS)
        assert len(server.asked) == 2
    assert raised.value.cause == "refused"


def test_a_request_that_is_too_large_for_the_server_goes_in_parts(host):
    many = problem(413, "too-large", "at most 100")
    rows = [{"completion": str(number)} for number in range(300)]
    with serving(
        host, fault_of=lambda one: many if len(one.body["rollouts"]) > 100 else None
    ) as it:
        reward = load_reward(SAYS, server=it.url)
        assert totals(reward.score(rows)) == [float(number) for number in range(300)]


def test_a_group_that_is_too_large_for_the_server_is_refused(host):
    with serving(host, [problem(413, "too-large", "at most 2")]) as server:
        reward = load_reward({"components": ["grouped"]}, server=server.url)
        with pytest.raises(ServerError, match="413: at most 2"):
            reward.score(ROWS)


def test_a_bug_of_the_server_is_not_asked_for_again(host):
    bug = raw({"error": {"kind": "internal", "message": "a bug", "retryable": False}}, 500)
    with serving(host, [bug]) as server:
        reward = load_reward(SAYS, server=server.url)
        with pytest.raises(ServerError, match="500: a bug"):
            reward.score(ROWS)
        assert len(server.asked) == 2


def test_what_the_servers_call_raised_is_raised_here(host):
    with serving(host, [problem(503, "engine", "the keeper did not start")]) as server:
        reward = load_reward(SAYS, server=server.url)
        with pytest.raises(EngineError, match="the keeper did not start"):
            reward.score(ROWS)


def test_a_spec_that_changed_there_is_no_longer_this_reward(host):
    other = {"name": "other", "components": ["says"]}
    with serving(host) as server:
        reward = load_reward(SAYS, server=server.url)
        reward._spec = other  # as if the server's file of that name had been edited
        with pytest.raises(SpecError, match="has changed its spec 'said' since"):
            reward.score(ROWS)


def test_numbers_of_another_version_do_not_mix_in(host):
    with serving(host) as server:
        reward = load_reward(SAYS, server=server.url)
        reward._by = {"says": replace(reward.by["says"], version="0.9")}  # the server's, before
        with pytest.raises(SpecError, match="has changed who computes 'says'"):
            reward.score(ROWS)


def test_a_server_that_is_not_there_yet_is_waited_for(host):
    with serving(host, fault_of=lambda asked: reset() if asked.number < 2 else None) as server:
        assert load_reward(SAYS, server=server.url).components == ("says",)


def test_a_server_that_stays_away_is_told_with_its_address():
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
    there = RemoteServer(f"http://127.0.0.1:{port}", deadline_s=0.5)
    with pytest.raises(ServerError, match=f"http://127.0.0.1:{port}.* takes no connection"):
        load_reward(SAYS, server=there)


def test_the_token_travels_in_a_header_and_nowhere_else(host, monkeypatch):
    monkeypatch.setenv("EVALSI_SERVER_TOKEN", SECRET)
    with serving(host, [problem(401, "unauthorized", f"{SECRET} is not known")]) as server:
        reward = load_reward(SAYS, server=server.url)
        assert server.asked[0].headers["authorization"] == f"Bearer {SECRET}"
        assert SECRET not in str(server.asked[0].body)
        assert SECRET.encode() not in pickle.dumps(reward)
        with pytest.raises(ServerError) as raised:
            reward.score(ROWS)
    assert SECRET not in str(raised.value)


def test_a_token_may_stand_in_another_variable(host, monkeypatch):
    monkeypatch.setenv("TEAM_TOKEN", SECRET)
    with serving(host) as server:
        load_reward(SAYS, server=RemoteServer(server.url, token_env="TEAM_TOKEN"))
        assert server.asked[0].headers["authorization"] == f"Bearer {SECRET}"


def test_a_token_that_no_header_holds_is_refused_unseen(host, monkeypatch):
    monkeypatch.setenv("EVALSI_SERVER_TOKEN", f"{SECRET}\nx")
    with serving(host) as server, pytest.raises(SpecError) as raised:
        load_reward(SAYS, server=server.url)
    assert SECRET not in str(raised.value)


def test_a_server_that_limits_its_callers_gets_fewer_requests_at_once(host):
    rows = [{"completion": "1"} for _ in range(512 * 12)]
    limits = [limited()] * 24
    with serving(host, limits) as server:
        reward = load_reward(SAYS, server=server.url)
        assert totals(reward.score(rows)) == [1.0] * len(rows)
    assert server.most_at_once <= 4
