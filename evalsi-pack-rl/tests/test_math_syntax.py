"""What LaTeX and plain texts are as trees."""

# ruff: noqa: RUF001 - characters that look alike are spellings of one thing
from __future__ import annotations

from fractions import Fraction

import pytest

from evalsi_pack_rl.math_equiv.syntax import NotParsed, parse
from evalsi_pack_rl.math_equiv.syntax.tree import (
    Base,
    Call,
    Constant,
    Difference,
    Matrix,
    Node,
    Number,
    NumberSet,
    Piecewise,
    PlusMinus,
    Power,
    Product,
    Quantity,
    Ratio,
    Relation,
    Sequence,
    Set,
    SetBuilder,
    Sum,
    Symbol,
    Union,
    Words,
)

X, Y, PI, E, UNIT = Symbol("x"), Symbol("y"), Constant("pi"), Constant("e"), Constant("i")
HALF = Number(Fraction(1, 2))


def number(value: int | str) -> Number:
    return Number(Fraction(value))


ONE, TWO, THREE, ZERO, MINUS = (number(value) for value in (1, 2, 3, 0, -1))
ABOVE_ZERO = Relation((">",), (X, ZERO))
BOTTOM_OPEN = Sequence((Product((MINUS, Constant("infinity"))), ZERO), "(", ")")

TREES: list[tuple[str, Node]] = [
    (r"\frac{1}{2}", HALF),
    (r"-\frac12", Number(Fraction(-1, 2))),
    (r"\frac{1}{0}", Product((ONE, Power(ZERO, MINUS)))),
    ("3\\frac12", number("7/2")),
    ("-7 1/2", number("-15/2")),
    (r"2\frac{3}{2}", Product((TWO, number("3/2")))),
    ("1,234", number(1234)),
    ("(1,234)", Sequence((ONE, number(234)), "(", ")")),
    (r"\frac{1,000}{3}", number("1000/3")),
    ("1,2,345", Sequence((ONE, TWO, number(345)))),
    ("0.50", Number(Fraction(1, 2), exact=False)),
    (r"0.1\overline{6}", number("1/6")),
    ("0.1212...", number("12/99")),
    ("1.5e3", Number(Fraction(1500), exact=False)),
    ("101_2", Base("101", 2)),
    ("2A3_{16}", Base("2A3", 16)),
    ("AB_{16}", Base("AB", 16)),
    ("(101)_2", Base("101", 2)),
    ("sinx", Call("sin", (X,))),
    ("2pix", Product((TWO, PI, X))),
    ("||x|-2|", Call("abs", (Sum((Call("abs", (X,)), number(-2))),))),
    (r"\|x\|", Call("norm", (X,))),
    (r"\lvert x \rvert", Call("abs", (X,))),
    (r"|\begin{matrix}1\end{matrix}|", Matrix(((ONE,),), "determinant")),
    (r"\left\{\begin{array}{l}x=1\\y=2\end{array}\right.", parse("x=1, y=2")),
    (r"\left\{\begin{array}{ll}x & x>0\end{array}\right.", Piecewise(((X, ABOVE_ZERO),))),
    (r"\operatorname{cis} x", Sum((Call("cos", (X,)), Product((UNIT, Call("sin", (X,))))))),
    ("5€", Quantity(number(5), "€")),
    (r"\$5\text{ million}", Quantity(number(5), "$ million")),
    (r"50\%\text{ solution}", Quantity(number(50), "% solution")),
    ("log2(x)", Call("log", (X, TWO))),
    (r"\angle ABC = 5", Relation(("=",), (Symbol("angle ABC"), number(5)))),
    ("y''", Symbol("y''")),
    ("x^*", Symbol("x*")),
    (r"\mathbb R^+", NumberSet("reals+")),
    (r"20^\circ\text{C}", Quantity(number(20), "celsius")),
    ("x_1 + x2", Sum((Symbol("x_1"), Symbol("x_2")))),
    ("xy^2", Product((X, Power(Y, TWO)))),
    ("x^{2y}", Power(X, Product((TWO, Y)))),
    ("-x^2", Product((MINUS, Power(X, TWO)))),
    ("2^3^2", Power(TWO, Power(THREE, TWO))),
    ("1/2x", Product((HALF, X))),
    ("x/yz", Product((X, Power(Product((Y, Symbol("z"))), MINUS)))),
    (r"\sqrt[3]{x}", Power(X, number("1/3"))),
    ("√3/2", Product((Power(THREE, HALF), HALF))),
    (r"\sin^2 x", Power(Call("sin", (X,)), TWO)),
    (r"\sin^{-1} x", Call("arcsin", (X,))),
    (r"\sin 2x \cos x", Product((Call("sin", (Product((TWO, X)),)), Call("cos", (X,))))),
    (r"\sin\pi/6", Call("sin", (Product((PI, number("1/6"))),))),
    (r"\log_2 3", Call("log", (THREE, TWO))),
    ("exp(x)", Power(E, X)),
    ("|x|", Call("abs", (X,))),
    ("5!!", Call("double-factorial", (number(5),))),
    (r"\binom n2", Call("binomial", (Symbol("n"), TWO))),
    ("C_n^3", Call("binomial", (Symbol("n"), THREE))),
    ("C_1^2", Power(Symbol("C_1"), TWO)),
    (r"\lfloor x \rfloor", Call("floor", (X,))),
    (r"\sum_{k=1}^{3} k", Call("sum", (Symbol("k"), ONE, THREE, Symbol("k")))),
    ("f(2)", Call("f", (TWO,))),
    ("f^{-1}(x)", Call("f^-1", (X,))),
    ("a(x+y)", Product((Symbol("a"), Sum((X, Y))))),
    (r"1 \pm x", PlusMinus(ONE, X)),
    (r"\pm 3", PlusMinus(None, THREE)),
    ("[1,2)", Sequence((ONE, TWO), "[", ")")),
    ("]1,2[", Sequence((ONE, TWO), "(", ")")),
    (r"\langle 1, 2 \rangle", Sequence((ONE, TWO), "<", ">")),
    (r"(-\infty,0)\cup[1,2]", Union((BOTTOM_OPEN, Sequence((ONE, TWO), "[", "]")))),
    (r"\mathbb{R}\setminus\{0\}", Difference(NumberSet("reals"), Set((ZERO,)))),
    (r"\mathbb{Z}^+", NumberSet("integers+")),
    (r"\emptyset", Set(())),
    (r"\{x \mid x > 0\}", SetBuilder(X, ABOVE_ZERO)),
    (r"0 < x \leqslant 1", Relation(("<", "<="), (ZERO, X, ONE))),
    (r"x \not\in \{1\}", Relation(("notin",), (X, Set((ONE,))))),
    ("x = 1 or x = 2", Sequence((parse("x=1"), parse("x=2")), joint="or")),
    (r"1, 2, \text{ and } 3", Sequence((ONE, TWO, THREE), joint="and")),
    ("x=1,y=2 or x=2,y=1", Sequence((parse("x=1,y=2"), parse("x=2,y=1")), joint="or")),
    ("3:2", Ratio((THREE, TWO))),
    (r"\begin{pmatrix}1&2\\3&x\\\end{pmatrix}", Matrix(((ONE, TWO), (THREE, X)))),
    (r"\begin{vmatrix}1\end{vmatrix}", Matrix(((ONE,),), "determinant")),
    (r"\left[\begin{array}{c|c}1&2\end{array}\right]", Matrix(((ONE, TWO),))),
    (
        r"\begin{cases}x, & x>0\\0 & \text{otherwise}\end{cases}",
        Piecewise(((X, ABOVE_ZERO), (ZERO, Words("otherwise")))),
    ),
    (r"\begin{align*} x &= 1 \\ y &= 2 \end{align*}", Sequence((parse("x=1"), parse("y=2")))),
    (r"5\text{ cm}^2", Quantity(number(5), "cm^2")),
    (r"5\,\mathrm{m}/\mathrm{s}", Quantity(number(5), "m/s")),
    ("5 apples", Quantity(number(5), "apples")),
    (r"\$5", Quantity(number(5), "$")),
    (r"50\%", Quantity(number(50), "%")),
    (r"90^{\circ}", Quantity(number(90), "degrees")),
    (r"2 \pmod{7}", Quantity(TWO, "mod 7")),
    (r"\text{even}", Words("even")),
    ("No solution.", Words("No solution")),
    (r"1, 2, \ldots", Sequence((ONE, TWO, Words("...")))),
    (r"1e999999999", Product((ONE, Power(number(10), number(999999999))))),
]


@pytest.mark.parametrize(("text", "tree"), TREES, ids=[text for text, _ in TREES])
def test_a_text_is_this_tree(text: str, tree: Node) -> None:
    assert parse(text) == tree


@pytest.mark.parametrize(
    ("text", "same"),
    [
        (r"\dfrac12", r"\frac{1}{2}"),
        (r"\frac1{2}", r"\frac 1 2"),
        ("½", r"\frac12"),
        ("3½", "3 1/2"),
        ("x**2", "x^{2}"),
        ("x²", "x^2"),
        ("x⁻¹", "x^{-1}"),
        ("x₁", "x_{1}"),
        ("sqrt(2)/2", r"\sqrt{2} \div 2"),
        ("2pi", r"2\pi"),
        ("π", "pi"),
        ("∞", "infinity"),
        ("x ≤ 3", r"x \leq 3"),
        ("x >= 3", r"x \geqslant 3"),
        ("−5", "-5"),
        ("2×3", r"2 \cdot 3"),
        ("3*x", r"3\cdot x"),
        (r"1{,}234", "1,234"),
        (r"1\,234", "1,234"),
        (r"11,\! 111,\! 100", "11,111,100"),
        ("1 234", "1234"),
        (r"\left( 1, 2 \right)", "(1,2)"),
        (r"{n \choose k}", r"\binom{n}{k}"),
        (r"{3 \over 4}", r"\frac{3}{4}"),
        (r"\mathrm{e}^{x}", "e^x"),
        (r"\operatorname{lcm}(4,6)", "lcm(4,6)"),
        (r"\mathbf{5}", "5"),
        (r"\boxed{5}", "5"),
        (r"\text{13}", "13"),
        ("5°", r"5^\circ"),
        ("{1, 2}", r"\{1,2\}"),
        ("ℝ", r"\mathbb{R}"),
        ("A ∪ B ∩ C", r"A \cup B \cap C"),
        (r"\(x\)", "$x$"),
        ("５", "5"),
        ("5\u200b", "5"),
        ("5.", "5"),
        ("5\\\\", "5"),
    ],
)
def test_two_spellings_are_one_tree(text: str, same: str) -> None:
    assert parse(text) == parse(same)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty"),
        (r"\,", "empty"),
        ("5+", "malformed"),
        ("(5", "malformed"),
        ("5)", "malformed"),
        ("(x]", "malformed"),
        ("1 2", "malformed"),
        ("x 2", "malformed"),
        ("3_2", "malformed"),
        ("1_000", "malformed"),
        ("0x10", "malformed"),
        ("²", "malformed"),
        ("⑤", "unknown-character"),
        ("5̸", "unknown-character"),
        (r"5\phantom{6}", "unknown-command"),
        (r"{\color{white}6}5", "unknown-command"),
        ("5#6", "malformed"),
        ("5 if True else 6", "malformed"),
        ("__import__('os')", "malformed"),
        ("open('f','w')", "words"),
        ("June 20", "malformed"),
    ],
)
def test_what_is_no_mathematics_has_a_code(text: str, code: str) -> None:
    with pytest.raises(NotParsed) as caught:
        parse(text)

    assert caught.value.code == code
