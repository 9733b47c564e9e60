"""Tests as LiveCodeBench packs them are read, and no pickle is ever run."""

from __future__ import annotations

import base64
import json
import pickle
import zlib
from typing import Any

import pytest

from evalsi.core.errors import DataError
from evalsi_pack_rl.code_exec.cases import CallCase, PairCase, cases_of
from evalsi_pack_rl.code_exec.cases_encoded import unpacked

TESTS = [{"input": "1 é 😀\n", "output": "2\n", "testtype": "stdin"}]


def packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data)).decode()


class Bomb:
    def __reduce__(self) -> tuple[Any, ...]:
        return exec, ("raise SystemExit('run')",)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("size", [0, 300, 100_000])
def test_a_pickled_string_is_read_in_every_protocol(protocol: int, size: int) -> None:
    value = [{**TESTS[0], "output": "x" * size}]

    assert unpacked(packed(pickle.dumps(json.dumps(value), protocol)), "field") == value


def test_plain_json_is_read_as_it_is() -> None:
    assert unpacked(json.dumps(TESTS), "field") == TESTS
    assert unpacked(TESTS, "field") is TESTS  # type: ignore[arg-type]


def test_public_and_private_cases_are_both_cases() -> None:
    tests = [{"input": "[1]\n2", "output": "[3]", "testtype": "functional"}]
    metadata: dict[str, Any] = {
        "public_test_cases": json.dumps(TESTS),
        "private_test_cases": packed(pickle.dumps(json.dumps(tests))),
        "metadata": '{"func_name": "f"}',
    }

    assert cases_of(metadata) == [
        PairCase("1 é 😀\n".encode(), b"2\n"),
        CallCase("f", [[1], 2], [3]),
    ]


@pytest.mark.parametrize(
    "data",
    [
        pickle.dumps(Bomb()),
        pickle.dumps(["[]"]),
        pickle.dumps(b"[]"),
        pickle.dumps(5),
        pickle.dumps("[]", 0),
        pickle.dumps("[]")[:-1],
        pickle.dumps("[]")[:-3],
        pickle.dumps("[]") + b"x",
        b"\x80\x04.",
        b"\x80\x04\x8c\xff[]",
        b"\x80\x04\x8c\x02[]\x8c\x02[].",
        b"\x80\x06\x8c\x02[].",
        b"\x80",
        b"",
        pickle.dumps("[]").replace(b"[]", b"\xff\xff"),
    ],
    ids=[
        "bomb",
        "list",
        "bytes",
        "int",
        "protocol-0",
        "no-stop",
        "cut",
        "more",
        "nothing",
        "long",
        "two",
        "protocol-6",
        "one-byte",
        "empty",
        "not-utf-8",
    ],
)
def test_anything_but_one_pickled_string_is_refused_with_its_field(data: bytes) -> None:
    with pytest.raises(DataError, match=r"^private_test_cases is neither JSON nor base64"):
        cases_of({"private_test_cases": packed(data)})


@pytest.mark.parametrize(
    "text",
    ["not base64!", "aGVsbG8=", packed(pickle.dumps("[]"))[:-8], "é"],
    ids=["text", "no-zlib", "cut", "no-ascii"],
)
def test_a_broken_packing_is_refused_with_its_field(text: str) -> None:
    with pytest.raises(DataError, match=r"^private_test_cases is neither JSON nor base64"):
        cases_of({"private_test_cases": text})


def test_packed_text_that_is_not_json_is_refused_with_its_field() -> None:
    with pytest.raises(DataError, match=r"^private_test_cases is text that is not JSON"):
        cases_of({"private_test_cases": packed(pickle.dumps("[{"))})
