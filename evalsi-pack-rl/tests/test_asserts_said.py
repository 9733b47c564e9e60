"""What an object of the program says of itself, and for how long it stands."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from evalsi_pack_rl.code_exec.asserts.guest.said import Said


@pytest.fixture
def peer() -> Any:
    return SimpleNamespace(turn=1, pending=lambda: False)


def test_an_answer_stands_until_the_program_had_something_to_do(peer: Any) -> None:
    said, answers = Said(peer), iter([5, 6, 7])

    given = [said.answer(("len",), lambda: next(answers)) for _ in range(2)]
    peer.turn = 2
    given.append(said.answer(("len",), lambda: next(answers)))
    peer.pending = lambda: True
    given.append(said.answer(("len",), lambda: next(answers)))

    assert given == [5, 5, 6, 7]


def test_a_length_is_the_number_of_items(peer: Any) -> None:
    said = Said(peer)
    assert said.length(said.answer(("len",), lambda: 3)) == 3

    with pytest.raises(TypeError, match="of length 3 gave 1 items"):
        list(said.counting(iter("a")))


def test_items_have_one_number(peer: Any) -> None:
    said = Said(peer)
    assert list(said.counting(iter("ab"))) == ["a", "b"]

    with pytest.raises(TypeError, match="gave 2 items has length 3"):
        said.length(3)
    with pytest.raises(TypeError, match="gave 1 items"):
        list(said.counting(iter("a")))


def test_plain_items_are_those_of_before(peer: Any) -> None:
    said = Said(peer)
    next(said.counting(iter([1, 2])))

    with pytest.raises(TypeError, match="other items than before"):
        list(said.counting(iter([3])))


def test_items_may_be_others_after_something_was_done(peer: Any) -> None:
    said = Said(peer)
    said.answer(("len",), lambda: 2)
    walk = said.counting(iter([1, 2]))
    next(walk)
    peer.turn = 2

    assert [*walk, *said.counting(iter([5, object()]))][:2] == [2, 5]
    assert said.length(2) == 2
