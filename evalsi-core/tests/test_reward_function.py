"""A loaded reward: batches, streams, async, columns, pickles, and what fails a batch."""

import asyncio
import importlib
import pickle
import tracemalloc

import pytest
from engine_fakes.quiet import Length

from evalsi.core import DataError, Errored, RewardError, Score, SpecError
from evalsi.core.plugins import PluginHost
from evalsi.core.reward import load, load_reward


@pytest.fixture(scope="module")
def host():
    return PluginHost([importlib.import_module("engine_fakes.plugin")])


@pytest.fixture
def reward(host):
    def make(*components, **body):
        return load_reward({"components": list(components) or ["says"], **body}, host=host)

    return make


def rows(*outputs, **fields):
    return [{"completion": output, **fields} for output in outputs]


def totals(rewards):
    return [reward.total for reward in rewards]


def test_totals_come_in_the_order_of_the_rollouts(reward):
    assert totals(reward().score(rows("0.5", "1", "0"))) == [0.5, 1.0, 0.0]


def test_an_empty_batch_gives_no_rewards(reward):
    assert reward().score([]) == []


def test_a_component_is_found_by_its_name(reward):
    (found,) = reward({"ref": "says", "name": "a"}, {"ref": "length", "name": "b"}).score(rows("1"))
    assert (found["a"].result.value, found["b"].result.value) == (1.0, 1.0)
    with pytest.raises(KeyError):
        found["c"]


def test_a_metric_is_the_value_where_the_spec_names_one(reward):
    (found,) = reward({"ref": "says", "metric": "half"}).score(rows("1"))
    assert found.total == 0.5


def test_a_metric_that_was_not_reported_is_an_error(reward):
    function = reward({"ref": "says", "metric": "rare"}, onError="none")
    present, absent = function.score(rows("1", "0.5"))
    assert present.total == 7.0
    assert isinstance(absent["says"].result, Errored)


def test_under_raise_the_batch_fails_and_every_cause_is_named(reward):
    with pytest.raises(RewardError) as caught:
        reward().score(rows("1", "raise", "data"))
    assert [(row, name, why.kind) for row, name, why in caught.value.causes] == [
        ("2", "says", "evaluator"),
        ("3", "says", "data"),
    ]


def test_an_outage_is_never_a_zero(reward):
    function = reward("outage", onError="none")
    (found,) = function.score(rows("away"))
    assert found.total is None
    assert found["outage"].result.failure.infrastructure


def test_a_rollout_that_cannot_be_read_fails_before_anything_is_scored(reward):
    Length.calls = 0
    with pytest.raises(DataError, match="rollout 2 has no completion"):
        reward("length").score([{"completion": "unscored"}, {"prompt": "x"}])
    assert Length.calls == 0


def test_equal_content_is_computed_once_whatever_its_id(reward):
    Length.calls = 0
    found = reward("length").score(
        [{"id": str(number), "completion": "the same"} for number in range(64)]
    )
    assert Length.calls <= 1
    assert found[1]["length"].cached
    assert [one.id for one in found] == [str(number) for number in range(64)]


def test_cache_false_computes_every_rollout(reward):
    Length.calls = 0
    reward("length", cache=False).score(rows("twice", "twice"))
    assert Length.calls == 2


def test_group_scope_sees_the_rollouts_of_one_prompt(reward):
    batch = [{"prompt": p, "completion": c} for p, c in (("a", "1"), ("b", "2"), ("a", "3"))]
    assert totals(reward("grouped").score(batch)) == [2.0, 1.0, 2.0]


def test_group_scope_follows_the_group_field(reward):
    batch = [{"completion": str(n), "q": n % 3} for n in range(5)]
    assert totals(reward("grouped", groupField="q").score(batch)) == [2, 2, 1, 2, 2]


def test_a_rollout_without_the_group_field_is_an_error_of_the_data(reward):
    with pytest.raises(DataError, match="groupField"):
        reward("grouped", groupField="q").score(rows("1"))


def test_a_stream_keeps_the_rollouts_of_a_prompt_together(reward):
    batch = ({"prompt": str(n // 300), "completion": str(n)} for n in range(600))
    assert set(totals(reward("grouped").iter_scores(batch))) == {300.0}


def test_the_async_form_gives_the_same(reward):
    function = reward({"ref": "slow"})
    assert totals(asyncio.run(function.ascore(rows("a", "b")))) == [1.0, 1.0]


def test_the_sync_form_works_inside_a_running_loop(reward):
    async def inside():
        return totals(reward().score(rows("1")))

    assert asyncio.run(inside()) == [1.0]


def test_a_cancelled_call_drops_what_has_not_begun(reward, tmp_path, monkeypatch):
    from evalsi.core.engine import close_engine

    log = tmp_path / "log"
    monkeypatch.setenv("EVALSI_TEST_LOG", str(log))
    close_engine()

    async def cancelled():
        task = asyncio.create_task(reward("slow").ascore(rows(*map(str, range(2000)))))
        while not log.exists():
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    close_engine()
    assert len(log.read_text().splitlines()) < 1000


def test_called_with_columns_it_gives_the_totals_alone(reward):
    assert reward()(prompts=["p", "p"], completions=["1", "0"], trainer_state=object()) == [1, 0]


def test_a_total_that_32_bits_do_not_hold_never_leaves(reward):
    with pytest.raises(DataError, match="becomes infinite"):
        reward({"ref": "says", "weight": 1e39})(completions=["1"])


def test_a_trainer_that_reads_none_as_0_gets_an_error(reward):
    errs = reward("outage", onError="none")
    assert errs(completions=["away"]) == [None]
    assert errs(completions=["away"], trainer_state=object(), log_extra=print) == [None]
    with pytest.raises(DataError, match="would train on 0"):
        errs(completions=["away"], trainer_state=object())


def test_columns_of_another_length_are_refused(reward):
    with pytest.raises(DataError, match="'answer' has 1 rows for 2 completions"):
        reward()(completions=["1", "0"], answer=["1"])


def test_called_with_a_slice_of_a_batch_group_scope_is_refused(reward, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(DataError, match="may hold some of them only"):
        reward("grouped")(prompts=["p"], completions=["1"])


def test_thoughts_that_a_chat_parser_took_out_are_judged_too(reward):
    said = [
        {"content": "b", "reasoning_content": "a"},
        {"content": "", "reasoning_content": "cut off"},
        {"content": "", "reasoning_content": "a", "tool_calls": [{"function": {"name": "f"}}]},
        {"content": "plain", "reasoning_content": None},
    ]
    whole = ["<think>a</think>b", "<think>cut off", "<think>a</think>", "plain"]
    found = reward("length")(completions=[[{"role": "assistant", **one}] for one in said])
    assert found == [len(text) for text in whole]


def test_its_name_is_the_specs_name(host):
    function = load_reward({"name": "mine", "components": ["says"]}, host=host)
    assert function.__name__ == "mine"


def test_it_pickles_as_its_spec():
    function = load_reward({"components": ["fakes:length"], "floor": 2})
    again = pickle.loads(pickle.dumps(function))
    assert (again.terms, again.rule) == (function.terms, function.rule)
    assert totals(again.score(rows("abc"))) == [3.0]


def test_load_is_the_name_that_users_know():
    assert load is load_reward


def test_a_spec_is_refused_before_anything_is_scored(host):
    with pytest.raises(SpecError):
        load_reward({"components": ["says", "nothing-of-that-name"]}, host=host)


def test_a_stream_gives_the_same_as_a_batch(reward):
    function = reward("slow", "says")
    outputs = [str(n % 7) for n in range(300)]
    assert totals(function.iter_scores(rows(*outputs))) == totals(function.score(rows(*outputs)))


def test_a_stream_stops_at_the_first_errored_row_and_keeps_the_earlier_ones(reward):
    seen, stream = [], reward().iter_scores(rows("1", "0", "raise", "1", "raise"))
    with pytest.raises(RewardError) as caught:
        seen.extend(stream)
    assert totals(seen) == [1.0, 0.0]
    assert [row for row, _, _ in caught.value.causes] == ["3"]


def test_a_bad_row_in_a_stream_keeps_the_rows_before_it(reward):
    batch = [*rows("1", "0"), {"prompt": "x"}, *rows("1")]
    seen, stream = [], reward("slow").iter_scores(batch)
    with pytest.raises(DataError, match="rollout 3"):
        seen.extend(stream)
    assert totals(seen) == [1.0, 1.0]


def test_an_error_of_the_source_comes_behind_the_rows_before_it(reward):
    def source():
        yield from rows("1", "0")
        raise OSError("the disk is gone")

    seen, stream = [], reward().iter_scores(source())
    with pytest.raises(OSError, match="the disk is gone"):
        seen.extend(stream)
    assert totals(seen) == [1.0, 0.0]


def test_the_memory_of_a_stream_does_not_grow(reward):
    """Peak of Python's own allocations over 2,000 and 10,000 rollouts of 10 kB."""
    function = reward("length", cache=False)

    def peak(count):
        tracemalloc.start()
        for _ in function.iter_scores({"completion": f"{n}" + "x" * 10_000} for n in range(count)):
            pass
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(500)
    assert peak(10_000) < peak(2_000) * 1.5


@pytest.mark.parametrize(
    "text",
    ["", "\0", "\ud800", "\u202e\u2066", "x" * 10_000_000, "a\r\n\t\x1b[31m"],
    ids=["empty", "nul", "lone surrogate", "right-to-left", "10 MB", "controls"],
)
def test_a_hostile_completion_is_scored_in_every_lane(reward, text):
    (found,) = reward("length", "slow").score(rows(text))
    assert [type(part.result) for part in found.components] == [Score, Score]


def test_a_stream_gives_its_first_rewards_before_its_last_are_computed(
    reward, tmp_path, monkeypatch
):
    from evalsi.core.engine import close_engine

    log = tmp_path / "log"
    monkeypatch.setenv("EVALSI_TEST_LOG", str(log))
    close_engine()
    stream = reward("slow").iter_scores(rows(*map(str, range(500))))
    next(stream)
    begun = len(log.read_text().splitlines())
    stream.close()
    close_engine()
    assert begun < 400


def test_prompts_that_are_no_plain_data_ask_for_a_group_field(reward):
    prompt = [{"role": "user", "content": [{"type": "text", "text": "see"}], "image": object()}]
    with pytest.raises(DataError, match="set groupField"):
        reward("grouped").score([{"prompt": prompt, "completion": "1"}])


def test_a_row_without_the_group_field_keeps_the_rows_before_it(reward):
    batch = [{"completion": "a", "q": 1}, {"completion": "b", "q": 1}, {"completion": "c"}]
    seen, stream = [], reward("grouped", groupField="q").iter_scores(batch)
    with pytest.raises(DataError, match="groupField"):
        seen.extend(stream)
    assert totals(seen) == [2.0, 2.0]


def test_a_stream_numbers_rollouts_from_where_it_is_told(reward):
    assert [one.id for one in reward().iter_scores(rows("1", "0"), first=7)] == ["7", "8"]
