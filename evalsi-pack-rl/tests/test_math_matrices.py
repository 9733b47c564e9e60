"""Expressions of literal matrices are put together; what does not fit stays as it was written."""

from __future__ import annotations

import pytest

from evalsi_pack_rl.math_equiv.canonical import Budget, equal_expressions
from evalsi_pack_rl.math_equiv.matrices import evaluated
from evalsi_pack_rl.math_equiv.syntax import parse, tree

A = r"\begin{pmatrix}1&2\\3&4\end{pmatrix}"
B = r"\begin{pmatrix}0&1\\x&0\end{pmatrix}"


def same(one, other):
    """Whether two matrices, or two expressions, have equal entries."""
    if not isinstance(one, tree.Matrix):
        return equal_expressions(one, other, Budget()) == "yes"
    pairs = zip(sum(one.rows, ()), sum(other.rows, ()), strict=True)
    return all(equal_expressions(a, b, Budget()) == "yes" for a, b in pairs)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (f"{A}+{B}", r"\begin{pmatrix}1&3\\3+x&4\end{pmatrix}"),
        (f"{A}-{B}", r"\begin{pmatrix}1&1\\3-x&4\end{pmatrix}"),
        (f"{A}{B}", r"\begin{pmatrix}2x&1\\4x&3\end{pmatrix}"),
        (f"{B}{A}", r"\begin{pmatrix}3&4\\x&2x\end{pmatrix}"),
        (f"{A}^2", r"\begin{pmatrix}7&10\\15&22\end{pmatrix}"),
        (rf"\frac{{1}}{{5}}{A}", r"\begin{pmatrix}1/5&2/5\\3/5&4/5\end{pmatrix}"),
        (f"-{A}", r"\begin{pmatrix}-1&-2\\-3&-4\end{pmatrix}"),
        (f"2({A}+{A})", r"\begin{pmatrix}4&8\\12&16\end{pmatrix}"),
        (rf"{A}\begin{{pmatrix}}1\\1\end{{pmatrix}}", r"\begin{pmatrix}3\\7\end{pmatrix}"),
        (r"\begin{vmatrix}1&2\\3&4\end{vmatrix}", "-2"),
        (r"\begin{vmatrix}a&b&c\\1&0&2\\0&1&3\end{vmatrix}", "-2a-3b+c"),
        (rf"3\det{A}", "-6"),
        (A, A),
        ("x+1", "1+x"),
    ],
)
def test_it_gives_what_the_expression_stands_for(written, value):
    found, expected = evaluated(parse(written)), parse(value)
    assert type(found) is type(expected) or not isinstance(expected, tree.Matrix)
    assert same(found, expected)


@pytest.mark.parametrize(
    "written",
    [
        rf"{A}+\begin{{pmatrix}}1\\1\end{{pmatrix}}",
        f"{A}+1",
        rf"\begin{{pmatrix}}1\\1\end{{pmatrix}}{A}",
        f"{A}^{{100}}",
        f"{A}^{{-1}}",
        r"\begin{vmatrix}1&2\end{vmatrix}",
        r"\begin{pmatrix}" + r"\\".join(["&".join("1" * 7)] * 7) + r"\end{pmatrix}" + "+x",
    ],
    ids=["shapes", "a number", "order", "large power", "inverse", "not square", "large"],
)
def test_what_does_not_fit_stays_as_written(written):
    assert evaluated(parse(written)) == parse(written)
