"""How a program's output is compared with the expected one."""

from __future__ import annotations

import pytest

from evalsi_pack_rl.code_exec import CodeExecTestsParams
from evalsi_pack_rl.code_exec.compare import same_output


def same(got: str, expected: str, **params: object) -> bool:
    settings = CodeExecTestsParams.model_validate(params)
    return same_output(got.encode(), expected.encode(), settings)


@pytest.mark.parametrize(
    ("got", "expected"),
    [("5\n", "5"), ("5", "5\n\n"), ("1 \n2\t\n", "1\n2"), ("a\r\nb\r\n", "a\nb\n"), ("", "\n")],
)
def test_lines_ignore_trailing_white_space_and_blank_lines(got: str, expected: str) -> None:
    assert same(got, expected)


@pytest.mark.parametrize(
    ("got", "expected"),
    [("1\n\n2", "1\n2"), (" 1", "1"), ("1  2", "1 2"), ("YES", "yes"), ("5\n6", "5"), ("1.0", "1")],
)
def test_lines_tell_apart_everything_else(got: str, expected: str) -> None:
    assert not same(got, expected)


def test_exact_compares_every_byte() -> None:
    assert same("5\n", "5\n", compare="exact")
    assert not same("5\n", "5", compare="exact")


def test_tokens_ignore_all_white_space() -> None:
    assert same("1\n\n 2", "1 2", compare="tokens")
    assert not same("1 2 3", "1 2", compare="tokens")


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        ("1e-05", "0.00001"),
        ("1.50", "1.5"),
        ("2", "2.0"),
        ("0.3333333", "0.33333333"),
        ("a 1.0", "a 1"),
    ],
)
def test_a_tolerance_lets_numbers_be_written_differently(got: str, expected: str) -> None:
    assert same(got, expected, float_tolerance=1e-6) == (expected != "a 1")


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        ("1000000001", "1000000000"),
        ("5.0", "5"),
        ("nan", "1.0"),
        ("nan", "inf"),
        ("inf", "1e308"),
        ("1e999", "1e998"),
        ("1.0 2.0", "1.0"),
        ("1.0\n2.0", "1.0 2.0"),
        ("x", "1.0"),
    ],
)
def test_a_tolerance_never_covers_integers_nan_infinities_or_words(got: str, expected: str) -> None:
    assert not same(got, expected, float_tolerance=1e-6)


def test_integers_longer_than_python_converts_are_compared() -> None:
    assert not same("9" * 5000, "9" * 4999 + "8", float_tolerance=1e-6)
