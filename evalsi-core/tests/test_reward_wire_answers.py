"""Answers and errors on the wire: the same rewards, the same exceptions, or none at all."""

from __future__ import annotations

import importlib
import json
from dataclasses import replace

import pytest

from evalsi.core.errors import (
    DataError,
    EngineError,
    JudgeError,
    PluginError,
    RewardError,
    SandboxUnavailable,
    ServerError,
    SpecError,
)
from evalsi.core.plugins import PluginHost
from evalsi.core.results import By, ComponentResult, Errored, Failure, Reward, Score, Skipped
from evalsi.core.reward import load_reward
from evalsi.core.reward.arithmetic import total
from evalsi.core.reward.loaded import Settled
from evalsi.core.reward.wire import (
    NotCarried,
    answer_bytes,
    described,
    error_answer,
    error_of,
    problem_bytes,
    read_answer,
    read_problem,
)

BY = By("pack:a", "evalsi-a", "1.2", "abc", "namespaced/bubblewrap", "sympy 1.13")
EVIDENCE = {"predicted": "\ud83d\ude00", "cases": [1, 1.0, True, None, -0.0]}


SPEC = {
    "components": [{"ref": "says", "name": "a", "gate": True, "threshold": 0.1, "weight": 3}],
    "clip": [-1, 1],
    "floor": -0.5,
}


@pytest.fixture(scope="module")
def host():
    return PluginHost([importlib.import_module("engine_fakes.plugin")])


@pytest.fixture(scope="module")
def function(host):
    return load_reward(SPEC, host=host)


@pytest.fixture(scope="module")
def kind(host):
    """The same, where an error gives the floor."""
    return load_reward({**SPEC, "onError": "none"}, host=host)


def settled(function, result, *, cached=False, seconds=0.0):
    """What a reward makes of a result."""
    found = total(function.rule, [result])
    component = ComponentResult("a", result, BY, cached, seconds)
    causes = [("x", name, failure) for name, failure in found.causes]
    return Settled(Reward("x", found.total, found.gated, (component,)), causes)


def answered(function, rows, *, evidence=True):
    status, body = answer_bytes(function, rows, evidence=evidence)
    return status, read_answer(body, [row.reward.id for row in rows])


FAILURE = Failure("sandbox", "no rung", "check", retryable=True)


@pytest.mark.parametrize(
    ("result", "further"),
    [
        (Score(0.1 + 0.2), {"seconds": 0.1}),
        (Score(1.0, {"half": 0.5, "count": 3}, "said so", EVIDENCE, stable=False), {}),
        (Score(0.0), {"cached": True}),
        (Skipped("no reference \ud800"), {}),
        (Skipped(), {}),
        (Errored(FAILURE), {}),
        (Errored(Failure("deadline", "late")), {}),
    ],
    ids=["score", "all of a score", "gated", "skipped", "no reason", "errored", "not retryable"],
)
def test_a_reward_comes_back_equal(kind, result, further):
    row = settled(kind, result, **further)
    status, answer = answered(kind, [row])
    assert (status, answer.settled) == (200, (row,))


def test_evidence_is_shown_only_when_it_is_asked_for(function):
    row = settled(function, Score(1.0, evidence=EVIDENCE))
    _, answer = answered(function, [row], evidence=False)
    assert answer.settled == (settled(function, Score(1.0)),)


def test_an_answer_says_what_the_reward_is(function):
    _, answer = answered(function, [])
    assert answer.description == described(function)
    assert answer.by == {"a": function.bounds[0].by}


def test_a_batch_with_causes_is_an_error_that_shows_its_rewards(function):
    scored, failed = settled(function, Score(1.0)), settled(function, Errored(FAILURE))
    status, body = answer_bytes(function, [scored, failed], evidence=False)
    assert (status, read_problem(body).kind) == (500, "reward")
    assert error_of(read_problem(body)).causes == (("x", "a", FAILURE),)
    assert read_answer(body, ["x", "x"]).settled == (scored, failed)


def test_fields_of_a_later_server_are_no_matter(function):
    row = settled(function, Score(1.0))
    body = json.loads(answer_bytes(function, [row], evidence=False)[1])
    body["later"] = body["spec"]["later"] = body["rewards"][0]["later"] = 1
    body["by"]["a"]["later"] = "1"
    assert read_answer(json.dumps(body).encode(), ["x"]).settled == (row,)


def broken(change):
    """Applies a change to the answer of one reward."""

    def of(body):
        change(body)
        return json.dumps(body).encode()

    return of


LOST = {"status": "error", "reason": "lost", "kind": "server"}


def of_part(**fields):
    """Changes the component."""
    return broken(lambda body: body["rewards"][0]["components"]["a"].update(fields))


def of_row(**fields):
    """Changes the reward."""
    return broken(lambda body: body["rewards"][0].update(fields))


@pytest.mark.parametrize(
    "break_it",
    [
        lambda body: json.dumps(body).encode()[:-20],
        lambda body: b"",
        lambda body: b"[]",
        lambda body: b"<html>",
        broken(lambda body: body.pop("rewards")),
        broken(lambda body: body.update(rewards=[])),
        broken(lambda body: body.update(rewards=body["rewards"] * 2)),
        broken(lambda body: body["by"].pop("a")),
        broken(lambda body: body["spec"].update(onError="ignore")),
        broken(lambda body: body.update(error={"causes": [{"rollout": 7}]})),
        of_row(id="y"),
        of_row(id=1),
        of_row(total="1"),
        of_row(total=10**400),
        of_row(gated=0),
        of_row(components={}),
        of_part(status="done"),
        of_part(value=None),
        of_part(value=float("nan")),
        of_part(cached="yes"),
        of_part(stable="no"),
        of_part(seconds="1"),
        of_row(total=0.5),
        of_row(total=None),
        of_row(gated=True),
        of_row(components={"a": LOST}),
        of_row(components={"a": LOST}, total=None),
    ],
    ids=[
        *("half", "empty", "a list", "a page", "no rewards", "too few", "too many", "nobody"),
        *("a rule", "a cause elsewhere", "other id", "no id", "text", "too large", "no switch"),
        *("no component", "status", "no value", "nan", "cached", "stable", "seconds"),
        *("another sum", "no sum", "no gate", "an error with a sum", "an error without a cause"),
    ],
)
def test_an_answer_that_is_not_whole_gives_no_reward(function, break_it):
    row = settled(function, Score(1.0))
    body = json.loads(answer_bytes(function, [row], evidence=False)[1])
    with pytest.raises(NotCarried):
        read_answer(break_it(body), ["x"])


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (SpecError(["spec.components[0].ref: no", "spec.floor is x"]), 400),
        (DataError("rollout 1 has no completion"), 400),
        (PluginError("pack x is broken"), 400),
        (RewardError([("1", "a", FAILURE), ("2", "b", replace(FAILURE, retryable=False))]), 500),
        (SandboxUnavailable("no rung"), 503),
        (EngineError("the keeper did not start"), 503),
        (JudgeError("no verdict", retryable=False), 503),
        (ServerError("a model's server is away", cause="connect"), 503),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_an_error_is_the_same_exception_at_home(error, status):
    told, body = error_answer(error)
    home = error_of(read_problem(body))
    assert (told, type(home), str(home)) == (status, type(error), str(error))
    assert getattr(home, "issues", ()) == getattr(error, "issues", ())
    assert getattr(home, "causes", ()) == getattr(error, "causes", ())
    assert Failure.of(home) == Failure.of(error)


def test_an_unknown_spec_is_an_error_of_the_spec():
    problem = read_problem(problem_bytes("unknown-spec", "known: a, b", retryable=False))
    assert isinstance(error_of(problem), SpecError)


def test_what_the_protocol_refuses_is_no_exception_yet():
    problem = read_problem(problem_bytes("busy", "later", retryable=True))
    assert (problem.message, problem.retryable, error_of(problem)) == ("later", True, None)


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"error": "x"}', b'{"error": {"kind": 5}}'])
def test_a_page_of_a_proxy_is_no_problem_of_ours(body):
    assert read_problem(body) is None
