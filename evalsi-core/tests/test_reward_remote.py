"""A reward that a server computes has the face of one that is computed here."""

from __future__ import annotations

import asyncio
import importlib
import multiprocessing
import os
import pickle
import threading
from concurrent.futures import ProcessPoolExecutor

import pytest
from reward_faults import serving, until_gone

from evalsi.core import DataError, RewardError
from evalsi.core.plugins import PluginHost
from evalsi.core.reward import RemoteReward, RemoteServer, load_reward

SAYS = {"name": "shaped", "components": ["says", {"ref": "length", "weight": 0.5}]}
ROWS = [{"completion": text} for text in ("0.5", "1", "-3", "1")]


@pytest.fixture(scope="module")
def host():
    return PluginHost([importlib.import_module("engine_fakes.plugin")])


@pytest.fixture(scope="module")
def server(host):
    with serving(host) as started:
        yield started


@pytest.fixture
def both(host, server):
    """A reward here, and the same there."""

    def make(*components, **body):
        spec = {"components": list(components) or ["says"], **body}
        return load_reward(spec, host=host), load_reward(spec, server=server.url)

    return make


def plain(rewards):
    """Rewards without what differs: seconds, and who came first to the cache that both share."""
    return [
        (
            one.id,
            one.total,
            one.gated,
            [(part.name, part.result, part.by) for part in one.components],
        )
        for one in rewards
    ]


def test_it_says_of_itself_what_the_one_here_says(both):
    here, there = both({"ref": "says", "weight": -2}, "length", clip=[-1, 1], onError="none")
    assert isinstance(there, RemoteReward)
    assert (there.terms, there.rule, there.by) == (here.terms, here.rule, here.by)
    assert (there.components, there.grouped, there.judge) == (here.components, False, None)
    assert there.__name__ == here.__name__


@pytest.mark.parametrize("onError", ["zero", "none"])
def test_it_gives_the_rewards_of_the_one_here(both, onError):  # noqa: N803 - the spec's word
    here, there = both("says", {"ref": "outage", "weight": 0.25}, onError=onError)
    rows = [{"completion": text} for text in ("1", "0.1", "raise", "skip", "away", "1")]
    assert plain(there.score(rows)) == plain(here.score(rows))


def test_rollouts_without_an_id_are_numbered(both):
    _, there = both()
    assert [reward.id for reward in there.score(ROWS)] == ["1", "2", "3", "4"]
    assert [reward.id for reward in there.iter_scores(ROWS, first=5)] == ["5", "6", "7", "8"]


def test_an_empty_batch_asks_nobody(both, server):
    _, there = both()
    asked = len(server.asked)
    assert there.score([]) == []
    assert len(server.asked) == asked


def test_called_as_trl_calls_it_gives_totals(both):
    here, there = both(referenceField="gold")
    columns = {"prompts": ["p", "q"], "completions": ["1", "0.5"], "gold": ["a", "b"]}
    assert there(**columns, trainer_state=object()) == here(**columns) == [1.0, 0.5]


def test_evidence_comes_when_it_is_asked_for(host, server):
    here = load_reward(SAYS, host=host)
    there = load_reward(SAYS, server=RemoteServer(server.url, evidence=True))
    assert plain(there.score(ROWS)) == plain(here.score(ROWS))


def test_causes_are_those_of_the_one_here(both):
    here, there = both("says", "outage")
    rows = [{"completion": text, "id": f"r{text}"} for text in ("1", "raise", "data", "away")]
    with pytest.raises(RewardError) as at_home:
        here.score(rows)
    with pytest.raises(RewardError) as away:
        there.score(rows)
    assert away.value.causes == at_home.value.causes


def test_a_stream_keeps_the_rewards_before_the_first_cause(both):
    _, there = both()
    stream = there.iter_scores([{"completion": text} for text in ("1", "0.5", "raise", "1")])
    assert [next(stream).total, next(stream).total] == [1.0, 0.5]
    with pytest.raises(RewardError, match="rollout 3, component says"):
        next(stream)


def test_a_stream_keeps_the_rewards_before_a_row_that_cannot_travel(both):
    _, there = both({"ref": "length"}, referenceField="gold")
    stream = there.iter_scores([{"completion": "1"}, {"completion": "2", "gold": float("nan")}])
    assert next(stream).id == "1"
    with pytest.raises(DataError, match="rollout 2: `gold` holds NaN"):
        next(stream)


def test_a_row_without_a_completion_is_refused_here(both, server):
    _, there = both()
    asked = len(server.asked)
    with pytest.raises(DataError, match="rollout 2 has no completion"):
        there.score([{"completion": "1"}, {"prompt": "p"}])
    assert len(server.asked) == asked


def test_rollouts_of_one_prompt_are_scored_together(both, server):
    here, there = both("grouped")
    rows = [{"prompt": f"p{number % 3}", "completion": str(number)} for number in range(1500)]
    asked = len(server.asked)
    assert plain(there.score(rows)) == plain(here.score(rows))
    sent = [{row["prompt"] for row in one.body["rollouts"]} for one in server.asked[asked:]]
    assert sorted(map(sorted, sent)) == [["p0"], ["p1"], ["p2"]]


def test_a_group_field_travels(both):
    here, there = both("grouped", groupField="task")
    rows = [{"completion": "1", "task": number % 2, "prompt": "p"} for number in range(5)]
    assert plain(there.score(rows)) == plain(here.score(rows))


def test_equal_rollouts_are_computed_once_in_the_order_of_the_batch(both):
    _, there = both("grouped", "length")
    rows = [{"prompt": f"p{number % 2}", "completion": "a fresh text"} for number in range(6)]
    cached = [reward["length"].cached for reward in there.score(rows)]
    assert cached == [False, True, True, True, True, True]


def test_a_long_batch_goes_in_several_requests(both, server):
    _, there = both("length")
    asked = len(server.asked)
    rewards = there.score([{"completion": "x" * (number % 5)} for number in range(1200)])
    assert [reward.total for reward in rewards] == [float(number % 5) for number in range(1200)]
    sizes = [len(one.body["rollouts"]) for one in server.asked[asked:]]
    assert sorted(sizes) == [176, 512, 512]


def test_large_rollouts_go_in_several_requests(both, server):
    _, there = both("length")
    asked = len(server.asked)
    assert len(there.score([{"completion": "x" * 1_500_000} for _ in range(4)])) == 4
    assert [len(one.body["rollouts"]) for one in server.asked[asked:]] == [2, 2]


def test_what_nothing_reads_is_not_sent(both, server):
    _, there = both("length")
    there.score([{"completion": "1", "prompt": "long", "answer": "5", "image": object()}])
    assert server.asked[-1].body["rollouts"] == [
        {"id": "1", "completion": "1", "prompt": "", "reference": "5"}
    ]


def test_the_async_form_works_beside_others(both):
    _, there = both()

    async def many():
        return await asyncio.gather(*(there.ascore(ROWS) for _ in range(20)))

    assert all(plain(found) == plain(there.score(ROWS)) for found in asyncio.run(many()))


def test_the_sync_form_works_inside_a_running_loop(both):
    _, there = both()

    async def main():
        return [reward.total for reward in there.score(ROWS)]

    assert asyncio.run(main()) == [0.5, 1.0, -3.0, 1.0]


def test_a_cancelled_call_breaks_its_requests_off(host):
    gone = threading.Event()
    with serving(host, [until_gone(gone)]) as server:
        there = load_reward(SAYS, server=server.url)

        async def cancelled():
            task = asyncio.create_task(there.ascore(ROWS))
            while len(server.asked) < 2:
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(cancelled())
        assert gone.wait(5)


def test_an_abandoned_stream_breaks_its_requests_off(host):
    gone = threading.Event()
    later = until_gone(gone)
    with serving(host, fault_of=lambda asked: later if asked.number > 1 else None) as server:
        stream = load_reward({"components": ["length"]}, server=server.url).iter_scores(
            {"completion": str(number)} for number in range(5000)
        )
        assert next(stream).id == "1"
        stream.close()
        assert gone.wait(5)


def test_many_threads_share_one_reward(both):
    _, there = both()
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(plain(there.score(ROWS)))) for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert found == [plain(there.score(ROWS))] * 16


def test_it_pickles_without_asking_the_server(both, server):
    _, there = both()
    asked = len(server.asked)
    copy = pickle.loads(pickle.dumps(there))
    assert len(server.asked) == asked
    assert plain(copy.score(ROWS)) == plain(there.score(ROWS))


def test_a_spawned_child_scores(both):
    _, there = both()
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert plain(pool.submit(there.score, ROWS).result(60)) == plain(there.score(ROWS))


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_forked_child_scores_and_so_does_its_parent(both):
    _, there = both()
    before = plain(there.score(ROWS))
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if plain(there.score(ROWS)) == before else 2
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert plain(there.score(ROWS)) == before
