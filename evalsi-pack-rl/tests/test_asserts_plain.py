"""Plain data on the wire between tester and candidate: what goes through, and what is refused."""

from __future__ import annotations

import contextlib
import datetime
import json
import math
import socket
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalsi_pack_rl.code_exec.asserts.guest.plain import DEEPEST, TooLarge, Writer
from evalsi_pack_rl.code_exec.asserts.guest.reader import Reader
from evalsi_pack_rl.code_exec.asserts.guest.wire import MOST_BYTES, Malformed, Wire, text_of

TAGS = "l d s B q C O D t f b c g S F N td tt tm te tz e vk vv vi i r h m o"
FORMS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=4)
    | st.sampled_from(TAGS.split()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=25,
)
HASHABLE = st.none() | st.booleans() | st.integers() | st.text() | st.binary() | st.fractions()
PLAIN = st.recursive(
    HASHABLE | st.floats(allow_nan=False) | st.complex_numbers(allow_nan=False) | st.datetimes(),
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(HASHABLE, inner)
        | st.sets(HASHABLE)
        | st.builds(deque, st.lists(inner))
    ),
    max_leaves=20,
)


@pytest.fixture
def deep() -> Iterator[None]:
    """The room for recursion that both sides give themselves."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 5000)
    yield
    sys.setrecursionlimit(limit)


def nothing_foreign(*_: object) -> Any:
    raise Malformed("no plain data")


def through(value: object) -> Any:
    form = json.loads(text_of(Writer(nothing_foreign).form(value)))
    return Reader(nothing_foreign).value(form)


@settings(deadline=None)
@given(PLAIN)
def test_plain_data_comes_back_as_it_was(value: Any) -> None:
    back = through(value)

    assert back == value
    assert type(back) is type(value)


@pytest.mark.parametrize(
    "value",
    [
        1 << 20_000,
        -(2**63),
        -0.0,
        math.inf,
        "\ud800",
        bytearray(b"\xff"),
        range(1, 9, 2),
        slice(None, 3),
        ...,
        NotImplemented,
        frozenset({1, (2, 3)}),
        Fraction(1, 3),
        Decimal("1.10"),
        datetime.date(2024, 2, 29),
        datetime.timedelta(1, 2, 3),
        datetime.datetime(2020, 1, 2, tzinfo=datetime.timezone(datetime.timedelta(hours=2))),
        Counter("aab"),
        OrderedDict(b=1, a=2),
        defaultdict(list, a=[1]),
        deque([1, 2], maxlen=2),
        {"a": 1}.keys(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_kind_of_plain_data_has_a_form(value: Any) -> None:
    back = through(value)

    assert back == value
    assert type(back) is type(value)
    if isinstance(value, float):
        assert math.copysign(1, back) == math.copysign(1, value)


def test_shared_parts_and_cycles_survive() -> None:
    row = [0]
    data: list[Any] = [row, row]
    data.append(data)

    back = through(data)

    assert back[0] is back[1]
    assert back[2] is back


def test_a_known_container_comes_back_as_itself() -> None:
    known = [1, 2]

    form = Writer(nothing_foreign, [known]).form((known, [3]))

    assert Reader(nothing_foreign, [known]).value(form)[0] is known


@pytest.mark.usefixtures("deep")
def test_data_that_nests_too_deep_is_refused_where_it_is_written() -> None:
    deep: list[Any] = []
    for _ in range(DEEPEST + 10):
        deep = [deep]

    with pytest.raises(TooLarge, match="too deep"):
        Writer(nothing_foreign).form(deep)


@settings(deadline=None, max_examples=300)
@given(FORMS)
def test_whatever_arrives_is_a_value_or_malformed(form: Any) -> None:
    with contextlib.suppress(Malformed):
        Reader(nothing_foreign).value(form)


@pytest.mark.parametrize(
    "form",
    [
        [],
        ["?"],
        {},
        ["r", 0],
        ["r", -1],
        ["d", 1],
        ["d", ["l"], 1],
        ["s", ["l"]],
        ["D", "__import__"],
        ["F", 1, 0],
        ["i", "zz"],
        ["b", 5],
        ["q", -1],
        ["N", "1" * 9 + "x"],
        ["tm", "yesterday"],
        ["l", {"a": 1}],
        ["e", "Exit"],
    ],
    ids=str,
)
def test_a_form_that_stands_for_nothing_is_malformed(form: Any) -> None:
    with pytest.raises(Malformed):
        Reader(nothing_foreign).value(form)


@pytest.mark.usefixtures("deep")
def test_a_form_that_nests_without_end_is_malformed() -> None:
    form: list[Any] = ["l"]
    for _ in range(5000):
        form = ["l", form]

    with pytest.raises(Malformed, match="too deep"):
        Reader(nothing_foreign).value(form)


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (b"\xff\xff\xff\xff", "bytes is announced"),
        (b"\x00\x00\x00\x02{}", "not a list"),
        (b"\x00\x00\x00\x02[]", "not a list"),
        (b"\x00\x00\x00\x03[1}", "not JSON"),
        (b"\x00\x00\x00\x02\xff\xff", "not JSON"),
        ((200_000).to_bytes(4, "big") + b"[" * 200_000, "not JSON"),
    ],
    ids=["huge", "object", "empty", "broken", "binary", "deep"],
)
def test_a_frame_of_a_wrong_form_is_malformed(sent: bytes, message: str) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.setblocking(True)
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        theirs.sendall(sent)
        theirs.shutdown(socket.SHUT_WR)

        with pytest.raises(Malformed, match=message):
            Wire(ours).receive()


def test_a_frame_that_ends_early_is_the_end() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"\x00\x00\x00\x09[1")
        theirs.shutdown(socket.SHUT_WR)

        with pytest.raises(EOFError):
            Wire(ours).receive()


def test_a_frame_that_is_too_large_is_not_sent() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        with pytest.raises(Malformed, match="are the most"):
            Wire(ours).send(["x" * MOST_BYTES])

        theirs.setblocking(False)
        with pytest.raises(BlockingIOError):
            theirs.recv(1)
