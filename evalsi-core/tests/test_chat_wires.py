"""Reading answers and waiting between tries: what holds for any answer and any failure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalsi.core.chat import Output
from evalsi.core.chat.wires import ANTHROPIC, CHAT, COMPLETIONS, Unreadable
from evalsi.core.http import Budgets

WORDS = [
    *("choices", "message", "content", "text", "type", "finish_reason", "usage", "error", "code"),
    *("prompt_tokens", "completion_tokens", "tool_use", "input", "refusal", "stop_reason"),
]
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS)
ANSWERS = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=6)
    ),
    max_leaves=25,
)


@pytest.mark.parametrize("wire", [CHAT, COMPLETIONS, ANTHROPIC], ids=lambda wire: wire.path)
@given(answer=ANSWERS)
def test_any_answer_is_an_output_or_unreadable(wire, answer):
    try:
        output = wire.read(answer)
    except Unreadable:
        return
    assert isinstance(output, Output)
    assert isinstance(output.text, str)
    assert isinstance(output.finish, str)
    for count in (output.input_tokens, output.output_tokens):
        assert count is None or (type(count) is int and count >= 0)


@given(st.integers(1, 10_000), st.floats(0, 1e6) | st.none())
def test_a_wait_is_bounded_and_never_shorter_than_the_server_asks(failures, asked_s):
    budgets = Budgets()
    wait_s = budgets.wait_s(failures, asked_s)
    assert wait_s >= (asked_s or 0.0)
    assert wait_s <= (asked_s or 0.0) + budgets.longest_wait_s


def test_waits_double_from_the_first():
    budgets = Budgets(first_wait_s=1.0, longest_wait_s=8.0)
    longest = [max(budgets.wait_s(n, None) for _ in range(200)) for n in (1, 2, 3, 4, 5)]
    assert longest == pytest.approx([1.0, 2.0, 4.0, 8.0, 8.0], rel=0.1)


def test_a_failure_without_a_budget_is_not_tried_again():
    assert Budgets().of("refused") == 0
    assert Budgets().of("missing") == 0
