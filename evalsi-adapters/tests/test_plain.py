"""What trainers' tables hold becomes plain data, or is refused by its type."""

import datetime
from collections import UserDict, UserList

import pytest

from evalsi.rewards.plain import NotPlain, plain


class Array:
    """As NumPy's arrays and scalars, and torch's tensors, tell what they hold."""

    def __init__(self, held):
        self.held = held

    def tolist(self):
        return self.held


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (7, 7),
        (0.5, 0.5),
        ("a", "a"),
        (Text("a"), "a"),
        ((1, (2,)), [1, [2]]),
        (UserList([1]), [1]),
        (UserDict({1: Array([2])}), {"1": [2]}),
        (Array(3), 3),
        (Array([{"input": Array(["1"])}]), [{"input": ["1"]}]),
    ],
)
def test_a_value_becomes_plain(value, expected):
    assert plain(value) == expected


def test_the_types_are_plain_too_so_that_equal_rows_have_equal_cache_keys():
    assert type(plain(Text("a"))) is str
    assert type(plain(True)) is bool


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (b"a", "bytes"),
        (datetime.date(2026, 1, 1), "date"),
        ({"a": [object()]}, "object"),
        ({1}, "set"),
    ],
)
def test_anything_else_is_refused_by_its_type(value, kind):
    with pytest.raises(NotPlain, match=f"^{kind}$"):
        plain(value)
