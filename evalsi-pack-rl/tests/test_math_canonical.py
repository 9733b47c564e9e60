"""Which expressions are equal, which differ, and which are left open."""

from __future__ import annotations

import pytest

from evalsi_pack_rl.math_equiv.canonical import (
    Budget,
    Decision,
    OutOfBudget,
    close_expressions,
    equal_expressions,
)
from evalsi_pack_rl.math_equiv.syntax import parse


def decided(one: str, other: str) -> Decision:
    forth = equal_expressions(parse(one), parse(other), Budget())
    back = equal_expressions(parse(other), parse(one), Budget())
    assert forth == back
    return forth


EQUAL = r"""
x^2+2x+1 | (x+1)^2
24 + 14*x + (-13)*x^2 - 2*x^3 + x^4 | x^{4}-2 x^{3}-13 x^{2}+14 x+24
\frac{1}{1-x} | \frac{-1}{x-1}
\frac{x^2-1}{x-1} | x+1
\frac{1}{x-1}-\frac{1}{x+1} | \frac{2}{x^2-1}
\frac{x+1}{2x+2} | \frac12
C_n^3 | \frac{n(n-1)(n-2)}{6}
\sqrt{12} | 2\sqrt{3}
\frac{\sqrt{648}}{9} | \sqrt8
\frac{1}{\sqrt2-1} | \sqrt2+1
\frac{1}{\sqrt{3+\sqrt{2}}} | \frac{\sqrt{3+\sqrt{2}}}{3+\sqrt2}
\sqrt{3-2\sqrt2} | \sqrt2-1
\sqrt{7+4\sqrt{3}} | 2+\sqrt3
(\sqrt2+\sqrt3)^2 | 5+2\sqrt6
\sqrt[4]{4} | \sqrt2
\sqrt[3]{16} | 2\sqrt[3]2
\sqrt[3]{-8} | -2
8^{2/3} | 4
(3^{2/3})^{2/3} | 3^{4/9}
x^{1/2}x^{1/2} | x
\sqrt{\sqrt{x}} | \sqrt[4]{x}
\sqrt{x^2} | |x|
\sqrt{x^2+2x+1} | |x+1|
\sqrt{4x+4} | 2\sqrt{x+1}
\frac{\sqrt{x+1}}{x+1} | \frac{1}{\sqrt{x+1}}
|x-1| | |1-x|
|\sqrt2-2| | 2-\sqrt2
\lfloor 10\sqrt2 \rfloor | 14
5! | 120
\frac{n!}{(n-2)!} | n(n-1)
\binom{5}{2} | \binom{5}{3}
\sum_{k=0}^{3} x^k | 1+x+x^2+x^3
\prod_{k=1}^{5} k | 5!
\log_{2}{3} | \frac{\ln 3}{\ln 2}
\log_4 8 | \frac32
\ln 6 | \ln 2 + \ln 3
\ln x^2 | 2\ln|x|
\ln(e^2) | 2
e^{2\ln 3} | 9
10^{\log 5} | 5
4^n | 2^{2n}
2^{n+1} | 2\cdot 2^n
(-1)^{n+1} | -(-1)^n
e^{x}e^{y} | e^{x+y}
x^a x^b | x^{a+b}
2\sinh x | e^x-e^{-x}
\sin^2 x + \cos^2 x | 1
\sec^2 x - \tan^2 x | 1
\tan x | \frac{\sin x}{\cos x}
\tan(2x) | \frac{2\tan x}{1-\tan^2 x}
\cos 2x | 1-2\sin^2 x
\sin 3x | 3\sin x-4\sin^3 x
\sin(x+y) | \sin x\cos y+\cos x\sin y
\cos(x+\pi) | -\cos x
\cos(15^\circ) | \frac{\sqrt{6}+\sqrt{2}}{4}
\cos 36^\circ | \frac{1+\sqrt5}{4}
\sin\frac{\pi}{5} | \frac{\sqrt{10-2\sqrt5}}{4}
\arctan\sqrt3 | \pi/3
\arcsin(-\frac12) | -\frac{\pi}{6}
\arcsin x + \arccos x | \pi/2
\sin(\arccos x) | \sqrt{1-x^2}
\sqrt{-4} | 2i
\sqrt{(-2)^3} | 2\sqrt2 i
\frac{1}{1+i} | \frac{1-i}{2}
|3+4i| | 5
e^{i\pi/3} | \frac{1}{2}+\frac{\sqrt{3}}{2}i
e^{\frac{1}{x+1}} | e^{\frac{2}{2x+2}}
e^{2x/11} | (e^{x/11})^2
|\frac{x}{y-1}| | \frac{|x|}{|1-y|}
\sqrt[3]{1-x} | -\sqrt[3]{x-1}
\sqrt{-x}\sqrt{-x} | -x
\sqrt{\frac{x+1}{y+1}} | \frac{\sqrt{x+1}}{\sqrt{y+1}}
\sqrt{-\pi} | i\sqrt{\pi}
\sqrt{1-\sqrt2} | i\sqrt{\sqrt2-1}
2^{1/13}\cdot 2^{12/13} | 2
\tanh x | \frac{1}{\coth x}
\binom{n}{k} | \frac{n!}{k!(n-k)!}
(-2)^n | (-1)^n\cdot 2^n
\ln(2-2x) | \ln 2+\ln(1-x)
\ln e^{x} | x
\ln\sqrt 2 | \frac12\ln 2
\ln\frac{x+1}{x+2} | \ln(x+1)-\ln(x+2)
\tan(\arctan x) | x
\min(2,3)+\gcd(4,6)+\operatorname{lcm}(4,6) | 16
e^{-2i\theta} | \cos 2\theta-i\sin 2\theta
e^{x+iy} | e^x(\cos y+i\sin y)
|e^{ix}| | 1
\frac{10!}{8!2!} | 45
2\pi r | 2 r\pi
50\% | \frac12
\infty | +\infty
\sum_{k=1}^n k | \sum_{k=1}^n k
"""

DIFFERENT = r"""
2x+3 | 2x+6
x^{2y} | x^2y
a-b | b-a
\alpha+1 | \beta+1
\sqrt{2}+\sqrt{3} | \sqrt{5}
\sqrt{x^2} | x
|x^n| | x^n
4^n | 2^n
\sqrt{10^{13}+37} | \sqrt{10^{13}+39}
\sinh 1 | \cosh 1
\lceil \pi \rceil | 3
\sin x | \cos x
\cos\frac{2\pi}{7} | \cos\frac{3\pi}{7}
\log_2 3 | \log_3 2
1 + \frac{1}{e} | 1 - \frac{1}{e}
e^\pi | \pi^e
\frac{22}{7} | \pi
3-4i | 3+4i
\frac{1}{2004!} | \frac{1}{2006!}
\frac{1}{3 \cdot 2^{2006}} | \frac{2^{2005}+1}{3 \cdot 2^{2006}}
\frac{1}{0} | \infty
\frac{1}{0} | \frac{1}{0}
\frac{0}{0} | 1
0^0 | 1
\ln 0 | 0
-\infty | \infty
\infty | 10^{400}
10^{-400} | 0
9^{9^9} | 5
1e999999999 | 1
(x+1)^{100000} | x^{100000}+1
(a+b+c+d+e)^{60} | (a+b+c+d+f)^{60}
"""

OPEN = r"""
\sqrt[3]{2+\sqrt5} | \frac{1+\sqrt5}{2}
2\sin\frac{x}{2}\cos\frac{x}{2} | \sin x
\ln x | \ln|x|
\sqrt{(1+2i)^2} | |1+2i|
5\text{ cm} | 5
(1,2) | (1,2)
"""

OUT_OF_BUDGET = r"""
9^{9^{9^9}} | 5
(10^8)! | 5
5^{(5^{(5^{(5^5)})} - 4)} | 5
(x+1)^{4000} | (1+x)^{4000}
\sum_{k=1}^{10^9} k | 21
2^{50000}+x | x+2^{50000}
"""


def rows(table: str) -> list[tuple[str, str]]:
    pairs = [line.split(" | ") for line in table.strip().splitlines()]
    return [(left, right) for left, right in pairs]


@pytest.mark.parametrize(("one", "other"), rows(EQUAL))
def test_equal_expressions_are_proven_equal(one: str, other: str) -> None:
    assert decided(one, other) == "yes"


@pytest.mark.parametrize(("one", "other"), rows(DIFFERENT))
def test_different_expressions_are_proven_different(one: str, other: str) -> None:
    assert decided(one, other) == "no"


@pytest.mark.parametrize(("one", "other"), rows(OPEN))
def test_what_is_beyond_the_rules_is_left_open(one: str, other: str) -> None:
    assert decided(one, other) == "undecided"


@pytest.mark.parametrize(("one", "other"), rows(OUT_OF_BUDGET))
def test_a_bomb_ends_with_its_budget_whichever_side_it_is_on(one: str, other: str) -> None:
    with pytest.raises(OutOfBudget):
        decided(one, other)
    with pytest.raises(OutOfBudget):
        decided(other, one)


def test_the_operations_of_a_pair_are_the_same_at_every_run_and_in_both_orders() -> None:
    one, other = parse(r"\sqrt{x^2+2x+1}+\sin 2x"), parse(r"2\sin x\cos x+|x+1|")
    left = []
    for first, second in ((one, other), (one, other), (other, one)):
        budget = Budget()
        equal_expressions(first, second, budget)
        left.append(budget.left)

    assert len(set(left)) == 1
    assert left[0] < Budget().left


@pytest.mark.parametrize(
    ("decimal", "other", "decision"),
    [
        ("3.141592654", r"\pi", "yes"),
        ("3.1416", r"\pi", "no"),
        ("3.14", r"\pi", "no"),
        ("1.4142136", r"\sqrt2", "yes"),
        ("-0.41421356", r"1-\sqrt2", "yes"),
        ("0.41421356", r"1-\sqrt2", "no"),
        ("2.999999", r"\log_2 8", "no"),
        ("3.0", r"\log_2 8", "yes"),
        ("0.33333333", r"\frac13", "no"),
        ("90.0", r"\frac10", "no"),
        ("3", r"\pi", "undecided"),
        ("2.0", r"\pi x", "undecided"),
        ("3.14", "3.14159", "undecided"),
    ],
)
def test_a_decimal_agrees_with_an_irrational_to_one_part_in_a_million(
    decimal: str, other: str, decision: Decision
) -> None:
    assert close_expressions(parse(decimal), parse(other), Budget()) == decision
    assert close_expressions(parse(other), parse(decimal), Budget()) == decision
