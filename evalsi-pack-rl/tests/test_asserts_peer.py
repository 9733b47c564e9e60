"""The tester's end of the wire, with a candidate that sends whatever it likes."""

from __future__ import annotations

import contextlib
import socket
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalsi_pack_rl.code_exec.asserts.guest.peer import Gone, Peer
from evalsi_pack_rl.code_exec.asserts.guest.remote import Home
from evalsi_pack_rl.code_exec.asserts.guest.wire import Wire

SMALL = st.none() | st.booleans() | st.integers(-2, 5) | st.text(max_size=3)
SORTS = st.sampled_from(["object", "class", "function", "callable", "iterator", "other"])
FORM = st.recursive(
    SMALL,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.builds(lambda tag, rest: [tag, *rest], st.sampled_from("ldsBqtfbcr"), st.lists(inner))
        | st.builds(lambda n, s, c, p: ["h", n, s, c, p], SMALL, SORTS, st.lists(SMALL), inner)
        | st.builds(lambda n, f: ["m", n, f], SMALL, inner)
        | st.builds(lambda n: ["o", n], SMALL)
        | st.builds(lambda n: ["x", n, "E", [["y", "ValueError"]]], SMALL)
    ),
    max_leaves=10,
)
CALL = st.tuples(
    st.just("?"),
    st.sampled_from(["call", "next", "attr", "setattr", "operator"]),
    SMALL,
    st.lists(FORM, max_size=2),
    st.lists(st.lists(FORM, max_size=2), max_size=2),
)
ERROR = st.tuples(
    st.sampled_from([["y", "KeyError"], ["y", "int"], ["x", 1, "E", []], ["k", "os", "system"]]),
    FORM,
    SMALL,
    SMALL,
    SMALL,
    SMALL,
    st.booleans(),
)
ANSWER = st.tuples(
    st.sampled_from(["=", "!"]),
    st.lists(st.tuples(SMALL, FORM), max_size=2),
    FORM | ERROR,
    SMALL | st.lists(SMALL, max_size=3),
    st.lists(st.tuples(SMALL, FORM), max_size=2),
)
KEEPING = st.builds(
    lambda answer, held: (*answer, held), ANSWER, st.lists(st.tuples(SMALL, SMALL), max_size=2)
)


def peer_that_hears(frames: list[Any], ours: socket.socket, theirs: socket.socket) -> Peer:
    for frame in frames:
        Wire(theirs).send([*frame])
    theirs.shutdown(socket.SHUT_WR)
    return Peer(Wire(ours))


@settings(deadline=None, max_examples=300)
@given(st.lists(CALL | ANSWER | KEEPING, max_size=4), FORM)
def test_whatever_is_sent_a_question_has_an_end(frames: list[Any], asked: Any) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        peer = peer_that_hears(frames, ours, theirs)
        ours.settimeout(10)

        for _ in range(3):
            with contextlib.suppress(Gone, ValueError, LookupError, TypeError):
                peer.ask("call", Home(0), [1], len)


@pytest.mark.parametrize(
    "frame",
    [
        ["="],
        ["=", [], ["o", 0], "", []],
        ["=", [[0, ["d"]]], 1, "", []],
        ["=", [[9, ["l"]]], 1, "", []],
        ["=", [], ["h", 1, "object", ["x"], None], "", []],
        ["=", [], 1, 5, []],
        ["=", [], 1, "", [[3, ["l"]]]],
        ["=", [], 1, ["a", "b", "c"], []],
        ["=", [], 1, "", [], [[1, 3]]],
        ["=", [], 1, "", [], 5],
        ["=", [], ["y", "AssertionError"], "", []],
        ["=", [], ["t", ["y", "Exception"]], "", []],
        ["=", [], ["A", "O8", ["l", 1]], "", []],
        ["!", [], 1, "", []],
        ["!", [], [["k", "unittest.case", "SkipTest"], ["t"], "", 0, None, "", True], "", []],
        ["?", "call"],
    ],
    ids=str,
)
def test_an_answer_of_a_wrong_form_ends_the_case_for_good(frame: list[Any]) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        peer = peer_that_hears([frame, ["=", [], 5, "", []]], ours, theirs)

        with pytest.raises(Gone):
            peer.ask("call", Home(0), [1])
        with pytest.raises(Gone):
            peer.finish()
