"""A remote reward and a real server that is killed, stopped, drained or cut off while it scores."""

import os
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from lossy import Lossy
from server_kit import Running

from evalsi.core import RewardError
from evalsi.core.reward import RemoteServer, load_reward


@pytest.fixture
def port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


@pytest.fixture
def spec(written):
    return written("slow", "says", {"ref": "logged", "weight": 0}, cache=False)


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log"
    path.touch()
    return path


def at(port, **settings):
    return RemoteServer(f"http://127.0.0.1:{port}", **settings)


def rows(count):
    return [{"id": f"r{number}", "completion": f"{number}.25"} for number in range(count)]


WANTED = [(f"r{number}", number + 0.25) for number in range(1500)]


def told(rewards):
    return [(reward.id, reward.total) for reward in rewards]


def begun(log, count=20):
    """Waits until so many rollouts were scored."""
    end = time.monotonic() + 30
    while len(log.read_text().splitlines()) < count:
        assert time.monotonic() < end
        time.sleep(0.01)


def killed(server):
    server.process.kill()


def drained(server):
    server.terminate()


@pytest.mark.parametrize("end", [killed, drained], ids=["killed", "drained"])
def test_a_server_that_ends_and_starts_again_costs_tries_and_no_reward(spec, port, log, end):
    with ThreadPoolExecutor(4) as callers:
        with Running(spec, "--drain", "0", port=port, EVALSI_TEST_LOG=str(log)) as server:
            reward = load_reward(spec, server=at(port))
            calls = [callers.submit(reward.score, rows(1500)) for _ in range(3)]
            streams = [callers.submit(list, reward.iter_scores(rows(1500)))]
            begun(log)
            end(server)
            server.process.wait(30)
            before = len(log.read_text().splitlines())
        assert before < 6000
        with Running(spec, port=port, EVALSI_TEST_LOG=str(log)):
            for call in [*calls, *streams]:
                assert told(call.result(120)) == WANTED


def test_a_server_that_stands_still_is_asked_again(spec, port, log):
    with Running(spec, port=port, EVALSI_TEST_LOG=str(log)) as server, ThreadPoolExecutor(1) as one:
        reward = load_reward(spec, server=at(port, timeout_s=1.0))
        call = one.submit(reward.score, rows(600))
        begun(log)
        os.kill(server.process.pid, signal.SIGSTOP)
        time.sleep(1.5)
        os.kill(server.process.pid, signal.SIGCONT)
        assert told(call.result(60)) == WANTED[:600]


def test_an_answer_that_was_lost_is_not_computed_again(spec, log):
    with Running(spec, EVALSI_TEST_LOG=str(log)) as server:
        reward = load_reward(spec, server=at(server.port))
        with Lossy(server.port, lost=2) as way:
            reward.server = at(way.port)
            assert told(reward.score(rows(40))) == WANTED[:40]
    assert len(log.read_text().splitlines()) == 40


def test_causes_that_were_lost_on_the_way_are_not_computed_again(written, log):
    spec = written("fails", "outage", "logged")
    with Running(spec, EVALSI_TEST_LOG=str(log)) as server:
        reward = load_reward(spec, server=at(server.port))
        with Lossy(server.port, lost=1) as way:
            reward.server = at(way.port)
            with pytest.raises(RewardError, match="rollout a, component outage: no usable rung"):
                reward.score([{"id": "a", "completion": "away"}])
    assert len(log.read_text().splitlines()) == 1


def test_many_callers_of_a_narrow_server_wait_their_turn(spec, log):
    narrow = ("--max-in-flight", "64", "--max-rollouts", "64")
    with Running(spec, *narrow, EVALSI_TEST_LOG=str(log)) as server, ThreadPoolExecutor(24) as pool:
        reward = load_reward(spec, server=at(server.port))
        calls = [pool.submit(reward.score, rows(200)) for _ in range(24)]
        assert [told(call.result(60)) for call in calls] == [WANTED[:200]] * 24
