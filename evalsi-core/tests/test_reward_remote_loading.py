"""Loading a reward from a server: what is refused here, what there, and in which words."""

from __future__ import annotations

import importlib

import pytest
from reward_faults import serving

from evalsi.core import SpecError
from evalsi.core.plugins import PluginHost
from evalsi.core.reward import RemoteServer, load_reward

SAYS = {"name": "said", "components": ["says"]}


@pytest.fixture(scope="module")
def host():
    return PluginHost([importlib.import_module("engine_fakes.plugin")])


@pytest.fixture(scope="module")
def server(host):
    with serving(host) as started:
        yield started


def test_a_server_and_a_host_at_once_are_refused(host, server):
    with pytest.raises(TypeError, match="found by the server"):
        load_reward(SAYS, server=server.url, host=host)


WRONG = """\
apiVersion: evals.si/v1alpha1
kind: RewardSpec
metadata: {name: wrong}
spec:
  components:
    - {ref: says, weigth: 2}
    - ref: lenght
  floor: x
"""


@pytest.mark.parametrize(
    "text",
    [WRONG, WRONG.replace("kind: RewardSpec", "kind: EvalRun"), "- a\n- b\n", "spec: {}\nfoo: 1\n"],
    ids=["issues", "another kind", "a list", "no envelope"],
)
def test_a_spec_is_refused_in_the_words_and_places_of_here(host, server, tmp_path, text):
    path = tmp_path / "wrong.yaml"
    path.write_text(text)
    with pytest.raises(SpecError) as at_home:
        load_reward(path, host=host)
    with pytest.raises(SpecError) as away:
        load_reward(path, server=server.url)
    assert away.value.issues == at_home.value.issues


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({"components": ["says"], "floor": float("inf")}, "floor"),
        ({"components": [{"ref": "says", "params": {"a": float("nan")}}]}, "holds NaN"),
    ],
    ids=["the spec's", "an evaluator's"],
)
def test_a_spec_that_json_cannot_carry_is_refused(server, spec, told):
    with pytest.raises(SpecError, match=told):
        load_reward(spec, server=server.url)


def test_a_name_that_the_server_does_not_know_is_told_with_those_that_it_knows(server):
    with pytest.raises(SpecError, match=r"no spec is named 'code'; known: math .*no file 'code'"):
        load_reward("code", server=server.url)


@pytest.mark.parametrize("spec", ["code.yaml", "specs/code"])
def test_a_path_is_never_taken_for_a_name(server, spec):
    with pytest.raises(SpecError, match="the spec cannot be read"):
        load_reward(spec, server=server.url)


@pytest.mark.parametrize(
    "url", ["localhost:5000", "ftp://x", "http://", "http://u:p@x", "http://x?a", "http://x:y"]
)
def test_what_is_no_address_is_refused(url):
    with pytest.raises(SpecError, match="server"):
        load_reward(SAYS, server=url)


def test_an_address_that_holds_a_token_is_refused_unseen():
    with pytest.raises(SpecError, match="may hold no token") as raised:
        load_reward(SAYS, server="http://localhost:5000/t/s3cret")
    assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize("name", ["timeout_s", "deadline_s"])
def test_a_time_is_above_zero(name):
    with pytest.raises(SpecError, match="seconds above 0"):
        RemoteServer("http://localhost:5000", **{name: 0.0})
