"""Servers that are processes of ours, played with every fault that real ones have had."""

import os
import re
import socket
import subprocess
import sys
import time

import pytest
from serving_kit import PLAYED, answer, descendants, gone, model, played, servers

from evalsi.training import ServingError


def failure(strategy, folder):
    with pytest.raises(ServingError) as caught:
        evaluate(strategy, folder)
    return str(caught.value)


def evaluate(strategy, folder):
    with strategy.serve(str(folder), "run-1") as served:
        return [answer(served) for _ in range(10)]


def test_it_answers_under_the_name_that_is_asked_for(tmp_path):
    with played("good").serve(str(model(tmp_path, "says A")), "run-1") as served:
        assert (served.model, answer(served)) == ("run-1", "says A")


def test_it_is_ready_when_a_completion_works_whatever_its_health_route_says(tmp_path):
    with played("loads").serve(str(model(tmp_path)), "run-1") as served:
        assert answer(served)


@pytest.mark.parametrize(
    ("part", "told"),
    [
        (
            "out-of-memory",
            "ended by status 1 before it was ready: .*ValueError: Free memory",
        ),
        ("port-in-use", "ended by status 1 before it was ready: OSError.*Address already in use"),
        ("killed", "ended by signal 9 before it was ready$"),
        ("dies-on-its-first-request", "ended by status 1 before it was ready: .*head_dim=16"),
        ("refuses", "answers 500 for run-1: .*Unrecognized model"),
        ("no-choice", "answers without a choice"),
        ("echoes", "answers with the question of run-1.*chat template"),
        ("dies-later", "ended by status 1 during the evaluation: .*CUDA out of memory"),
        ("half-dead", "answers 500 for run-1: .*EngineDeadError"),
    ],
)
def test_a_server_that_fails_is_told_with_its_own_words(tmp_path, part, told):
    found = failure(played(part), model(tmp_path))

    assert re.search(told, found), found


@pytest.mark.parametrize("part", ["hangs", "hangs-in-its-first-request"])
def test_a_server_that_hangs_is_given_up_in_time_and_ended(tmp_path, part):
    begun = time.monotonic()

    told = failure(played(part, ready_s=2.0), model(tmp_path))

    assert "gave no completion within 2 s" in told
    assert time.monotonic() - begun < 9
    assert servers() == []


def test_what_is_raised_in_the_block_comes_out_as_it_is(tmp_path):
    with (
        pytest.raises(KeyError, match="mine"),
        played("good").serve(str(model(tmp_path)), "run-1"),
    ):
        raise KeyError("mine")
    assert servers() == []


@pytest.mark.parametrize("part", ["leaves-grandchildren", "ignores-sigterm"])
def test_nothing_is_left_of_a_server(tmp_path, part):
    with played(part).serve(str(model(tmp_path)), "run-1"):
        left = descendants()

    assert len(left) >= 2
    assert gone(left)


def test_another_server_on_its_port_is_not_taken_for_it(tmp_path, server, monkeypatch):
    from evalsi.training.serving import process

    server.knows = {"run-1": set()}
    taken = int(server.base_url.split(":")[2].removesuffix("/v1"))
    monkeypatch.setattr(process, "leased_port", lambda: (taken, socket.socket(socket.AF_UNIX)))

    with pytest.raises(ServingError, match=r"ended by status 1 .*Address already in use"):
        wait(played("good"), model(tmp_path))


def wait(strategy, folder):
    with strategy.serve(str(folder), "run-1"):
        time.sleep(2)


def test_a_command_that_is_not_there_is_told_with_its_mend(tmp_path):
    from evalsi.training import VLLM

    with (
        pytest.raises(ServingError, match=r"nowhere is not installed.*pip install vllm"),
        VLLM(command=["nowhere"]).serve(str(model(tmp_path)), "run-1"),
    ):
        pass


def test_the_guard_ends_with_the_status_of_its_command():
    guard = PLAYED.parents[2] / "src/evalsi/training/serving/guard.py"
    owner = os.pidfd_open(os.getpid())
    command = [sys.executable, "-I", "-S", str(guard), str(owner), sys.executable, "-c"]

    found = [
        subprocess.run([*command, code], pass_fds=[owner], check=False).returncode
        for code in ("raise SystemExit(3)", "import os; os.kill(os.getpid(), 11)")
    ]
    os.close(owner)

    assert found == [3, 139]
