"""What a call returns crosses as plain data and is compared by value, outside the jail."""

from __future__ import annotations

import collections
import contextlib
import decimal
import enum
import fractions
import json
import math
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalsi_pack_rl.code_exec import call_guest
from evalsi_pack_rl.code_exec.call_values import received, same_value, sendable


class Colour(enum.IntEnum):
    RED = 1


class Text(str):
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = str.__hash__


class Equal:
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


Point = collections.namedtuple("Point", "x y")


def crossed(value: Any) -> Any:
    return received(json.dumps(call_guest.encoded(value, 0)).encode())


def named(value: object) -> str:
    return ascii(value).partition(" at 0x")[0][:20]


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (5, 5),
        (5.0, 5),
        (5, 5.0),
        (True, True),
        (None, None),
        ("é\ud800", "é\ud800"),
        ([1, [2]], [1, [2]]),
        ((1, (2,)), [1, [2]]),
        ([1, 2], (1, 2)),
        (Point(1, 2), [1, 2]),
        (range(3), [0, 1, 2]),
        (collections.deque([1, 2]), [1, 2]),
        ({1: 2}.keys(), [1]),
        ({1: 2}.values(), [2]),
        ({1: 2}.items(), [[1, 2]]),
        ((n for n in "ab"), ["a", "b"]),
        (map(str, [1]), ["1"]),
        ({1: "a", "b": {2.5: None}}, {"1": "a", "b": {"2.5": None}}),
        ({"1": "a"}, {1: "a"}),
        ({True: 1, None: 2}, {"true": 1, "null": 2}),
        (collections.Counter("aab"), {"b": 1, "a": 2}),
        (collections.defaultdict(list, a=[1]), {"a": [1]}),
        (Colour.RED, 1),
        (1 << 100, 1 << 100),
        (-(10**5000), -(10**5000)),
        (math.nan, math.nan),
        ([math.inf, -math.inf], [math.inf, -math.inf]),
        (fractions.Fraction(1, 2), 0.5),
        (decimal.Decimal("2.50"), 2.5),
        ("", ""),
        ([], []),
        ({}, {}),
        ("[{" * 1000, "[{" * 1000),
    ],
    ids=lambda value: named(value) if not isinstance(value, int) else str(value % 1000),
)
def test_values_are_the_same(got: Any, expected: Any) -> None:
    assert same_value(crossed(got), expected, None)


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (True, 1),
        (1, True),
        (0, False),
        (0, None),
        (False, None),
        (None, 0),
        ("5", 5),
        (5, "5"),
        ("a", ["a"]),
        (["a"], "a"),
        ([1], 1),
        ([1, 2], [2, 1]),
        ([1], [1, 2]),
        ([], {}),
        ({}, []),
        ({1, 2}, [1, 2]),
        (frozenset([1]), [1]),
        (b"a", "a"),
        (1j, 1),
        ({"a": 1}, {"a": 1, "b": 2}),
        ({"a": 1, "b": 2}, {"a": 1}),
        ({1: "a", "1": "a"}, {"1": "a"}),
        ({(1, 2): 3}, {"[1, 2]": 3}),
        (Text("x"), "y"),
        (Equal(), 5),
        ([Equal()], [5]),
        (Equal, 5),
        (fractions.Fraction(1, 3), 1 / 3),
        (0.1 + 0.2, 0.3),
        (math.nan, 1.0),
        (math.inf, 1e308),
        (decimal.Decimal("NaN"), math.nan),
    ],
    ids=named,
)
def test_values_are_different(got: Any, expected: Any) -> None:
    assert not same_value(crossed(got), expected, None)


@pytest.mark.parametrize(
    ("got", "expected", "same"),
    [
        (0.1 + 0.2, 0.3, True),
        ([1.0000001], [1.0], True),
        (1, 1.0000001, True),
        (1e9 + 1, 1e9, True),
        (0.31, 0.3, False),
        (5.0000001, 5, False),
        (True, 1.0, False),
        (math.nan, 0.3, False),
        (10**400, 1e308, False),
    ],
    ids=["sum", "list", "integer-got", "relative", "far", "integer", "bool", "nan", "huge"],
)
def test_a_tolerance_is_for_floats_that_are_expected(got: Any, expected: Any, same: bool) -> None:
    assert same_value(crossed(got), expected, 1e-6) == same


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"5 5",
        b"[",
        b"\xff",
        b'{"z": 1}{"z": 1}',
        b"{}",
        b'{"d": 5}',
        b'{"d": [[1]]}',
        b'{"d": [[1, 2], [3, 4]], "i": "1"}',
        b'{"i": 5}',
        b'{"i": "x"}',
        b'{"q": ["1", "0"]}',
        b'{"q": "12"}',
        b'{"q": [1, 2]}',
        b"9" * 5000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"d":[[1,' * 1000 + b"1" + b"]]}" * 1000,
    ],
    ids=lambda data: data[:12].decode("latin-1"),
)
def test_a_forged_answer_is_refused_or_some_value(data: bytes) -> None:
    try:
        value = received(data)
    except ValueError:
        return
    assert not same_value(value, 5, 0.5)


@pytest.mark.parametrize(
    "unit", [b'"', b'\\"', b'"\\', b"[],", b'{"d":[]},', b'"a",', b'{"q":["ff","3"]},', b"\\"]
)
def test_eight_megabytes_of_a_forged_answer_are_read_in_linear_time(unit: bytes) -> None:
    data = b"[" + unit * (8_000_000 // len(unit))
    started = time.perf_counter()

    with pytest.raises(ValueError):  # noqa: PT011 - any of them
        received(data)

    assert time.perf_counter() - started < 10


def test_a_fraction_of_many_digits_is_not_reduced() -> None:
    data = json.dumps({"q": ["7" * 2_000_000, "3" * 2_000_000]}).encode()

    assert not same_value(received(data), 1, None)


def test_a_value_without_an_end_is_refused_inside() -> None:
    deep: list[Any] = []
    deep.append(deep)

    with pytest.raises(ValueError, match="nested more than 100 deep"):
        call_guest.encoded(deep, 0)
    with pytest.raises(ValueError, match="more than 1000000 items"):
        call_guest.encoded(iter(int, 1), 0)


def test_nesting_that_the_guest_allows_is_received() -> None:
    nested: Any = 5
    for _ in range(100):
        nested = {"a": nested}

    assert same_value(crossed(nested), nested, None)


def test_arguments_cross_with_their_integer_keys() -> None:
    arguments: Any = [{1: [{"2": None}]}, "x", [1.5, True]]

    assert call_guest.decoded(json.loads(json.dumps(sendable(arguments)))) == arguments


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=100, deadline=None)
@given(value=JSON_VALUES)
def test_every_value_of_json_is_the_same_after_it_crossed(value: Any) -> None:
    assert same_value(crossed(value), value, None)


@settings(max_examples=100, deadline=None)
@given(data=st.binary() | st.text(alphabet='[]{}",:0123456789diqeE.-\\ ').map(str.encode))
def test_any_bytes_are_a_value_or_refused(data: bytes) -> None:
    with contextlib.suppress(ValueError):
        received(data)
