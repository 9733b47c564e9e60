"""The wire of remote scoring: what goes through it comes out equal, or is refused by name."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalsi.core.errors import DataError
from evalsi.core.records import Record, record_of
from evalsi.core.reward.wire import NotCarried, Reads, read_request, request_bytes, row_of_record
from evalsi.core.reward.wire.json_bytes import decoded, encoded

ALL = Reads(frozenset(field.name for field in fields(Record)), None)

texts = st.text(st.characters(), max_size=12)  # lone surrogates too
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers()
plain = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
names = st.sampled_from(
    ["prompt", "input", "completion", "output", "reference", "answer", "label", "id", "tests", "é"]
)
message = st.fixed_dictionaries({"role": st.just("assistant"), "content": texts})
columns = st.dictionaries(names | texts, plain | texts | st.lists(message, min_size=1), max_size=8)


def same(one, other):
    """Equal in value and type, all the way down."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True) and one == other


@given(plain)
def test_plain_data_comes_back_in_value_and_type(value):
    assert same(decoded(encoded(value)), value)


@pytest.mark.parametrize(
    "text",
    ["\ud800", "\ud83d\ude00", "😀", "x\udc00y\ud800", "\x00", "\u2028", "\ufeff"],
    ids=ascii,
)
def test_any_text_comes_back(text):
    assert decoded(encoded(text)) == text


@pytest.mark.parametrize("value", [0.1, 1e-323, -0.0, 1.7976931348623157e308, 2.0**70, 1e22])
def test_a_float_comes_back_to_the_last_bit(value):
    found = decoded(encoded(value))
    assert (found.hex(), type(found)) == (value.hex(), float)


class Array:
    """What NumPy's arrays and PyTorch's tensors have in common."""

    def tolist(self):
        return [1, 2]


def test_tuples_become_lists_and_mappings_objects():
    value = {"a": (1, (2,)), "b": MappingProxyType({"c": 0.5})}
    assert decoded(encoded(value)) == {"a": [1, [2]], "b": {"c": 0.5}}


HERSELF: list[object] = []
HERSELF.append(HERSELF)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (math.nan, "holds NaN or an infinity"),
        ([{"a": math.inf}], "holds NaN or an infinity"),
        ({1: "a"}, "has the key 1; a key is text"),
        ({(1, 2): "a"}, "has a key that is no text"),
        (b"x", "holds bytes"),
        ([Array()], "holds Array; give plain data"),
        (10**5000, "an integer of more than 4300 digits"),
        (HERSELF, "holds itself|nests too deep"),
    ],
    ids=["nan", "inf", "key", "tuple", "bytes", "an array", "digits", "a circle"],
)
def test_what_json_has_no_word_for_is_refused(value, told):
    with pytest.raises(NotCarried, match=told):
        encoded(value)


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"[NaN]", b"[1e999]", b"[-Infinity]", b"\xff", b"[" * 100_000, b"1" * 5000),
        *(b'{"a": 1, "a": 1}', b'{"a":' * 100_000),
    ],
    ids=[
        *("empty", "half", "nan", "overflow", "infinity", "bytes", "deep", "digits"),
        *("a key twice", "deep objects"),
    ],
)
def test_what_is_no_json_is_refused(body):
    with pytest.raises(NotCarried):
        decoded(body)


def arrived(row, reference_field=None, reads=ALL):
    """The record of a rollout at home, and the one that the server makes of what travelled."""
    record = record_of(row, 3, reference_field)
    carried = decoded(row_of_record(record, reads, reference_field))
    return record, record_of(carried, 1, reference_field)


@given(columns, st.none() | names)
def test_a_rollout_is_the_same_record_there(row, reference_field):
    try:
        record, there = arrived({"completion": "c", **row}, reference_field)
    except DataError:
        return  # refused at home
    assert there == record
    assert same(dict(there.metadata), dict(record.metadata))


@pytest.mark.parametrize(
    "row",
    [
        {"prompt": None, "input": "i", "completion": None, "output": "o"},
        {"completion": "c", "reference": None, "answer": "5", "label": "6"},
        {"completion": "c", "prompt": [{"role": "user", "content": [{"text": "q"}]}]},
        {"completion": "c", "completion_ids": [1, 2, 3], "id": 7},
        {"completion": [{"role": "assistant", "content": "a"}], "tests": [{"input": "1"}]},
    ],
    ids=["other names", "references", "messages", "tokens", "a chat"],
)
def test_a_rollout_of_a_trainer_is_the_same_record_there(row):
    record, there = arrived(row)
    assert there == record


def test_what_nothing_reads_stays_at_home():
    reads = Reads(frozenset({"output"}), frozenset({"tests"}))
    row = {"prompt": "long", "completion": "c", "answer": "5", "tests": ["t"], "image": object()}
    record, there = arrived({"output": "column", **row}, reads=reads)
    assert there.output == record.output
    assert (there.input, dict(there.metadata)) == ("", {"tests": ["t"]})


def test_a_column_that_bears_the_name_of_what_stays_at_home_is_no_prompt():
    reads = Reads(frozenset({"output"}), frozenset({"input", "answer"}))
    row = {"prompt": "p", "input": "column", "completion": "c", "reference": "r", "answer": "a"}
    _, there = arrived(row, reads=reads)
    assert dict(there.metadata) == {"input": "column", "answer": "a"}


def test_a_field_that_cannot_travel_is_named():
    with pytest.raises(DataError, match="rollout x: `depth` holds NaN or an infinity; give null"):
        arrived({"completion": "c", "id": "x", "depth": math.nan})


def test_a_request_is_read_as_it_was_written():
    body = request_bytes(
        {"components": ["a"]}, [b'{"id":"1"}'], evidence=True, request_id="r", timeout_s=2.5
    )
    found = read_request(body)
    assert (found.spec, found.rollouts) == ({"components": ["a"]}, [{"id": "1"}])
    assert (found.evidence, found.request_id, found.timeout_s) == (True, "r", 2.5)


def test_the_digest_of_a_request_is_that_of_what_it_asks():
    one, other, third = (
        read_request(request_bytes(spec, [], evidence=False, request_id=name, timeout_s=1))
        for spec, name in [("a", "1"), ("a", "2"), ("b", "1")]
    )
    assert one.digest() == other.digest() != third.digest()


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"{", "is no JSON"),
        (b"[]", "the request is a list; it must be a JSON object"),
        (b'{"spec": "a"}', "has no `rollouts`"),
        (b'{"rollouts": {}}', "`rollouts` is an object"),
        (b'{"rollouts": [], "spec": 5}', "`spec` is a number"),
        (b'{"rollouts": [], "evidence": "yes"}', "`evidence` is text"),
        (b'{"rollouts": [], "timeoutSeconds": 0}', "must be a number above 0"),
        (b'{"rollouts": [], "timeoutSeconds": true}', "must be a number above 0"),
        (b'{"rollouts": [], "rollout": 1}', "has `rollout`; it may have spec, rollouts"),
        (b'{"rollouts": [], "requestId": "%s"}' % (b"x" * 256), "more than 255 characters"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_request_that_is_none_is_refused(body, told):
    with pytest.raises(DataError, match=told):
        read_request(body)
