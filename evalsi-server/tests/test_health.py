"""Routes for those who watch the server."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from server_kit import Running

from evalsi_server.health import Health
from evalsi_server.scoring import Limits, Scorer
from evalsi_server.specs import Specs


@pytest.fixture(scope="module")
def server(writing):
    specs = (writing("says", "says"), writing("sleeps", "sleeps"), writing("broken", "outage"))
    with Running(*specs, "--drain", "0") as running:
        yield running


def test_a_server_that_can_score_is_alive_and_ready(server):
    assert server.get("/healthz").body == {"alive": True}
    assert server.get("/readyz").body == {"ready": True, "reasons": []}


def test_without_a_rung_for_its_code_it_lives_and_is_not_ready_and_says_what_mends_it(written):
    with Running(written("jailed", "jailed"), EVALSI_BLOCK_PLUGINS="sandbox") as running:
        assert running.get("/healthz").status == 200
        answer = running.get("/readyz")
        assert (answer.status, answer.body["ready"]) == (503, False)
        assert "pip install evalsi-sandbox" in answer.body["reasons"][0]
        assert "not ready" in running.log
        asked = running.ask("x")
        assert (asked.status, asked.error["causes"][0]["kind"]) == (500, "sandbox")


def test_a_server_that_drains_is_not_ready(written):
    scorer = Scorer(Limits())
    specs = Specs([written("says", "says")], scorer, open_to_clients=False)
    scorer.draining = True
    answer = asyncio.run(Health(specs, scorer).ready(None))
    assert answer.status_code == 503
    assert json.loads(answer.body)["reasons"] == ["the server is ending"]


def test_metrics_count_requests_rollouts_errors_and_what_was_cached(server):
    server.ask("5", "5", "skip", path="/get_reward/says")
    server.ask("away", path="/get_reward/broken")
    server.ask("5", path="/nowhere")
    lines = server.get("/metrics").body.splitlines()
    for line in (
        'evalsi_reward_requests_total{route="/get_reward",status="500"} 2.0',
        'evalsi_reward_rollouts_total{spec="says",total="scored"} 2.0',
        'evalsi_reward_rollouts_total{spec="says",total="none"} 1.0',
        'evalsi_reward_cached_total{component="says",spec="says"} 1.0',
        'evalsi_reward_errors_total{component="outage",kind="sandbox",spec="broken"} 1.0',
        'evalsi_reward_component_seconds_count{component="says",spec="says"} 2.0',
        'evalsi_reward_requests_total{route="none",status="404"} 1.0',
        "evalsi_reward_rollouts_in_flight 0.0",
    ):
        assert line in lines


def test_metrics_show_the_queue_while_it_is_there(server):
    with ThreadPoolExecutor(1) as threads:
        asked = threads.submit(server.ask, "2", "2.0", path="/get_reward/sleeps")
        assert server.holds(2)
        assert asked.result().status == 200
