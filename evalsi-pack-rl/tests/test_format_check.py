"""format-check: a pattern over the whole completion, and tags in pairs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from pydantic import ValidationError

from evalsi.core.engine import close_engine, tools_for
from evalsi.core.evaluator import Answer, Need, Tools
from evalsi.core.records import Record
from evalsi.core.results import JSON, Errored, Failure, Score
from evalsi.core.reward import load_reward
from evalsi.core.workers import Faulted
from evalsi_pack_rl.format_check import FormatCheck, FormatCheckParams

CATASTROPHE = r"(?=a)(a+)+b"


def answers(*texts: str, **params: object) -> list[Answer]:
    settings = FormatCheckParams.model_validate(params)
    checker = FormatCheck(settings, tools_for(FormatCheck.needs(settings), None))
    return list(checker.score_batch([Record(id="1", output=text) for text in texts]))


def check(text: str, **params: object) -> Score:
    (answer,) = answers(text, **params)
    assert isinstance(answer, Score)
    return answer


def in_process(**params: object) -> bool:
    return not FormatCheck.needs(FormatCheckParams.model_validate(params))


@pytest.fixture(scope="module", autouse=True)
def _engine() -> Iterator[None]:
    yield
    close_engine()


@pytest.mark.parametrize(
    "text",
    [
        "<think>a</think><answer>b</answer>",
        "\n <think>\na\n</think>\n\n<answer>b\n</answer>\n",
        "<think></think><answer></answer>",
    ],
)
def test_think_then_answer_is_the_default_layout(text: str) -> None:
    assert check(text).value == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "b",
        "<answer>b</answer><think>a</think>",
        "<think>a</think> so <answer>b</answer>",
        "<think>a</think><answer>b</answer> and more",
        "<think>a<answer>b</answer>",
    ],
)
def test_another_layout_scores_0(text: str) -> None:
    assert check(text) == Score(0.0, reason="the completion does not match the pattern")


def test_the_pattern_must_match_the_whole_completion() -> None:
    assert check("abc", pattern="b").value == 0.0


def test_alternatives_are_tried_until_one_reaches_the_end() -> None:
    assert check("ab", pattern="a|ab").value == 1.0


def test_a_tag_that_appears_once_in_a_pair_passes() -> None:
    assert check("so <a>1</a>", pattern=None, tags=["a"]).value == 1.0


def test_the_reason_says_how_often_a_tag_appeared() -> None:
    score = check("<a>1</a><a>2</a><a>", pattern=None, tags=["a"])

    assert score.value == 0.0
    assert score.reason == "<a> appears 3 times, not once; </a> appears 2 times, not once"


def test_a_tag_that_closes_before_it_opens_scores_0() -> None:
    assert check("</a>1<a>", pattern=None, tags=["a"]).reason == "</a> comes before <a>"


def test_a_pattern_and_tags_must_both_hold() -> None:
    twice = "<think>a</think><answer>b</answer><answer>c</answer>"

    assert check(twice).value == 1.0
    assert check(twice, tags=["think", "answer"]).value == 0.0


@pytest.mark.parametrize("pattern", ["a.b", CATASTROPHE], ids=["linear", "worker"])
@pytest.mark.parametrize(
    "text", ["a\x00b", "a\ud800b", "a\u202eb", "\ufeffab", "a\udfff\ud800b"], ids=ascii
)
def test_hostile_text_is_scored(pattern: str, text: str) -> None:
    assert check(text, pattern=pattern).value in (0.0, 1.0)


def test_a_pattern_with_a_linear_form_needs_no_worker() -> None:
    assert in_process(pattern=r"(?s).*```python\n.*```.*")


def test_the_default_layout_needs_no_worker() -> None:
    assert in_process()


def test_tags_alone_need_no_worker() -> None:
    assert in_process(pattern=None, tags=["a"])


def test_a_pattern_whose_automaton_explodes_needs_one() -> None:
    assert not in_process(pattern=r"(?s).*a.{450}b.*")


def test_a_pattern_with_a_backreference_needs_one() -> None:
    assert not in_process(pattern=r"(a)\1")


def test_a_pattern_without_a_linear_form_is_matched_all_the_same() -> None:
    assert check("abab", pattern=r"(ab)\1").value == 1.0
    assert check("abba", pattern=r"(ab)\1").value == 0.0


def test_a_match_beyond_its_deadline_scores_0_and_is_not_stable() -> None:
    started = time.perf_counter()
    score = check("a" * 64, pattern=CATASTROPHE, deadline_s=0.3)

    assert score == Score(0.0, reason="timeout", stable=False)
    assert time.perf_counter() - started < 20


def test_the_deadline_of_the_engine_shortens_that_of_the_match() -> None:
    params = {"pattern": CATASTROPHE, "deadline_s": 60}
    tools = tools_for({Need.WORKERS}, None)
    checker = FormatCheck(FormatCheckParams.model_validate(params), replace(tools, deadline_s=0.5))
    started = time.perf_counter()

    answer = checker.score_batch([Record(id="1", output="a" * 64)])

    assert answer == [Score(0.0, reason="timeout", stable=False)]
    assert time.perf_counter() - started < 20


def test_a_slow_match_under_a_short_deadline_of_the_spec_scores_0() -> None:
    component = {"ref": "format-check", "params": {"pattern": CATASTROPHE, "deadline_s": 60}}
    reward = load_reward({"components": [component], "deadlineSeconds": 1})

    slow, fast = reward.score([{"completion": "a" * 64}, {"completion": "ab"}])

    assert (slow.total, slow.components[0].result) == (
        0.0,
        Score(0.0, reason="timeout", stable=False),
    )
    assert fast.total == 1.0


def test_the_others_of_a_batch_keep_their_places() -> None:
    texts = ["<a></a>abab", "abab", "<a></a>abba", "<a></a>" + "ab" * 2]
    pattern, wrong = r"(?:<a></a>)?(ab)\1", "<a> appears 0 times, not once"

    found = [check(text, pattern=pattern, tags=["a"]) for text in texts]

    assert answers(*texts, pattern=pattern, tags=["a"]) == found
    assert [score.value for score in found] == [1.0, 0.0, 0.0, 1.0]
    assert wrong in str(found[1].reason)


def test_a_worker_that_fails_is_an_error_and_no_score() -> None:
    class Faulty:
        def map(self, function: str, payloads: Sequence[JSON], **_: object) -> list[Faulted]:
            return [Faulted(Failure("engine", "away"))] * len(payloads)

    settings = FormatCheckParams(pattern=r"(a)\1")
    checker = FormatCheck(settings, Tools(workers=Faulty()))  # type: ignore[arg-type]

    (answer,) = checker.score_batch([Record(id="1", output="aa")])

    assert answer == Errored(Failure("engine", "away"))


def test_a_long_text_reaches_the_worker_whole() -> None:
    assert check("ab" * 2_500_000, pattern=r"(ab)(?:\1)*", deadline_s=20).value == 1.0


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"pattern": "a(b"}, "'a(b' is not a regular expression: missing ), unterminated "),
        ({"pattern": "*a"}, "nothing to repeat at position 0"),
        ({"pattern": None}, "give at least one of them"),
        ({"tags": ["<a>"]}, "tags.0"),
        ({"tags": [""]}, "tags.0"),
        ({"deadline_s": 0}, "deadline_s"),
        ({"patern": "a"}, "patern"),
    ],
    ids=["unclosed", "repeat", "nothing", "tag", "empty-tag", "deadline", "unknown"],
)
def test_wrong_params_are_refused_with_the_place(params: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError) as refused:
        FormatCheckParams.model_validate(params)

    assert message in str(refused.value)
