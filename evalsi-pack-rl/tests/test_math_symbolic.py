"""The last tier: what sympy proves equal, what numbers tell apart, and limits that hold."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from fractions import Fraction

import pytest

from evalsi.core import Failure, Need
from evalsi.core.engine import close_engine, tools_for
from evalsi.core.workers import Faulted, OutOfMemory, TimedOut
from evalsi_pack_rl.math_equiv.symbolic import (
    MathVerify,
    Symbolic,
    SymbolicAnswer,
    backend_name,
    missing,
)
from evalsi_pack_rl.math_equiv.symbolic_wire import decoded, encoded
from evalsi_pack_rl.math_equiv.syntax import parse, tree

EQUAL = r"""
\sin^2 x + \cos^2 x ; 1
\sin 2x ; 2\sin x\cos x
\cos 2x ; 1-2\sin^2 x
\tan x ; \frac{\sin x}{\cos x}
\sin 3x ; 3\sin x-4\sin^3 x
\tan\frac{x}{2} ; \frac{\sin x}{1+\cos x}
\frac{\sin x+\sin 3x}{\cos x+\cos 3x} ; \tan 2x
\cos^4 x - \sin^4 x ; \cos 2x
\cosh x ; \frac{e^x+e^{-x}}{2}
\sinh 2x ; 2\sinh x\cosh x
\sqrt{5+2\sqrt6} ; \sqrt2+\sqrt3
\frac{1}{\sqrt2+1} ; \sqrt2-1
\sqrt[3]{2+\sqrt5}+\sqrt[3]{2-\sqrt5} ; 1
\cos\frac{\pi}{5} ; \frac{1+\sqrt5}{4}
\cos 15^\circ ; \frac{\sqrt6+\sqrt2}{4}
\arctan 2+\arctan 3 ; \frac{3\pi}{4}
\ln(x^2+1)^2 ; (\ln(1+x^2))^2
\log_2 3 ; \frac{\ln 3}{\ln 2}
a^{\log_a b} ; b
e^{2\ln x} ; x^2
e^{i\pi} ; -1
e^{i x} ; \cos x+i\sin x
\frac{n!}{(n-2)!} ; n(n-1)
\binom{n+1}{k} ; \binom{n}{k}+\binom{n}{k-1}
\sqrt{x^2} ; |x|
\sqrt[3]{-8} ; -2
x^{\frac{2}{3}} ; \sqrt[3]{x^2}
4^x ; 2^{2x}
\frac{x^2-1}{x-1} ; x+1
\lfloor \pi \rfloor ; 3
\gcd(12, 18) ; 6
f(2x) ; f(x+x)
y=2x+1 ; 2y=4x+2
x^2+y^2=1 ; y^2=1-x^2
-x<1 ; x>-1
2x\le 4 ; x\le 2
f(x)=(x+1)^2 ; f(x)=x^2+2x+1
\begin{pmatrix}\sin^2x+\cos^2x&0\\0&1\end{pmatrix} ; \begin{pmatrix}1&0\\0&1\end{pmatrix}
\{\ln 4, \sqrt8\} ; \{2\sqrt2, 2\ln 2\}
(\cos 2x, 1) ; (2\cos^2 x-1, 1)
"""

DIFFERENT = r"""
\sin^2 x - \cos^2 x ; 1
\sin x ; x-\frac{x^3}{6}
\sqrt{x^2} ; x
|x| ; x
\ln(x+y) ; \ln x+\ln y
\frac{1}{2004!} ; \frac{1}{2006!}
2^{-98} ; 2^{-99}
e^{\pi\sqrt{163}} ; 262537412640768744
\sqrt{2}+10^{-30} ; \sqrt2
\pi ; \frac{355}{113}
1000000! ; 1000001!
\sqrt{x}\sqrt{y} ; -\sqrt{xy}
x^x ; x^2
f(x) ; f(x+1)
f(x) ; g(x)
x<2 ; x>2
x\le 2 ; x<2
-x<1 ; x<-1
y=2x+1 ; y=2x-1
x^2=4 ; x=2
f(x)=x ; g(x)=x
\{1,\pi\} ; \{1, e\}
(1,\pi) ; (\pi,1)
\begin{pmatrix}1&x\\0&1\end{pmatrix} ; \begin{pmatrix}1&0\\0&1\end{pmatrix}
\begin{pmatrix}1&x\end{pmatrix} ; \begin{pmatrix}1\\x\end{pmatrix}
"""

UNDECIDED = [
    (r"\pi+10^{-200}", r"\pi", "undecided"),
    (r"1+\frac{1}{2004!}-1", r"\frac{2}{2004!}", "too-large"),
    (r"\ln(x^2)", r"2\ln x", "undecided"),
    (r"\ln|x|", r"\ln x", "undecided"),
    (r"x=x", r"y=y", "undecided"),
    (r"9^{9^{9^{9}}}", "1", "too-large"),
    (r"10^{10^{10}}", r"10^{10^{10}}-1", "too-large"),
    (r"\sqrt{2}^{10^{9}}", "1", "too-large"),
    (r"(10^{9})!", r"(10^{9})!+1", "too-large"),
    (r"\gcd(x,y)", "1", "unsupported"),
    (r"\frac{1}{x-x}", "1", "unsupported"),
    (r"90^\circ", r"\frac{\pi}{2}", "unsupported"),
    (r"[0,\pi)", r"(0,\pi)", "unsupported"),
    (r"x\in\mathbb{R}", r"x", "unsupported"),
]


@pytest.fixture(scope="module")
def workers():
    yield tools_for({Need.WORKERS}, None).workers
    close_engine()


def rows(table):
    return [tuple(line.split(" ; ")) for line in table.strip().splitlines()]


def asked(workers, *pairs, **limits):
    trees = [(parse(one), parse(other)) for one, other in pairs]
    return Symbolic(workers, **limits).equal(trees)


@pytest.mark.parametrize(("one", "other"), rows(EQUAL))
def test_what_is_equal_is_proved_from_either_side(workers, one, other):
    yes = SymbolicAnswer("yes", "equal-symbolic")
    assert asked(workers, (one, other), (other, one)) == [yes, yes]


@pytest.mark.parametrize(("one", "other"), rows(DIFFERENT))
def test_what_differs_is_told_apart_from_either_side(workers, one, other):
    no = SymbolicAnswer("no", "different-symbolic")
    assert asked(workers, (one, other), (other, one)) == [no, no]


@pytest.mark.parametrize(("one", "other", "reason"), UNDECIDED)
def test_what_is_neither_proved_nor_told_apart_says_why(workers, one, other, reason):
    undecided = SymbolicAnswer("undecided", reason)
    assert asked(workers, (one, other), (other, one)) == [undecided, undecided]


def test_many_pairs_are_answered_in_their_order(workers):
    pairs = [*rows(EQUAL)[:5], *rows(DIFFERENT)[:5], *rows(EQUAL)[5:10]]
    decisions = [answer.decision for answer in asked(workers, *pairs)]
    assert decisions == ["yes"] * 5 + ["no"] * 5 + ["yes"] * 5


SLOW = (r"(x+y+z)^{200}", r"((x+y)^2+2z(x+y)+z^2)^{100}")


def test_a_pair_that_takes_too_long_is_undecided_and_unstable(workers):
    begun = time.monotonic()
    slow, quick = asked(workers, SLOW, ("x", "x"), deadline_s=0.3)
    assert slow == SymbolicAnswer("undecided", "timeout", stable=False)
    assert quick.decision == "yes"
    assert time.monotonic() - begun < 5.0


def test_a_pair_that_takes_too_much_memory_is_undecided_and_unstable(workers):
    (found,) = asked(workers, SLOW, deadline_s=60.0, memory_mb=150)
    assert found == SymbolicAnswer("undecided", "out-of-memory", stable=False)


class Answering:
    """Workers that always give the same answer."""

    def __init__(self, answer):
        self.answer = answer

    def map(self, function, payloads, **limits):
        return [self.answer] * len(payloads)


@pytest.mark.parametrize("backend", [Symbolic, MathVerify])
def test_a_fault_of_a_worker_comes_through_as_the_failure_it_is(backend):
    failure = Failure("evaluator", "its worker process ended by signal 11")
    pair = ("1", "1") if backend is MathVerify else (parse("1"), parse("1"))
    assert backend(Answering(Faulted(failure))).equal([pair]) == [failure]


@pytest.mark.parametrize(
    ("limit", "reason"), [(TimedOut(2.0), "timeout"), (OutOfMemory(1024), "out-of-memory")]
)
def test_a_limit_is_never_a_lasting_answer(limit, reason):
    (found,) = MathVerify(Answering(limit)).equal([("1", "1")])
    assert found == SymbolicAnswer("undecided", reason, stable=False)


def test_it_answers_in_threads(workers):
    found = []
    pairs = rows(EQUAL)[:3]
    threads = [
        threading.Thread(target=lambda: found.extend(asked(workers, *pairs))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [answer.decision for answer in found] == ["yes"] * 12


def test_a_name_is_a_name_whatever_it_says(workers, tmp_path):
    marker = tmp_path / "ran"
    code = f"__import__('pathlib').Path({str(marker)!r}).touch()"
    hostile = tree.Sum((tree.Symbol(code), tree.Call(code, (tree.Symbol("x"),))))
    twice = tree.Sum((*hostile.terms, tree.Number(Fraction(0))))
    (found,) = Symbolic(workers).equal([(hostile, twice)])
    assert found.decision == "yes"
    assert not marker.exists()


def test_asking_imports_neither_backend():
    code = """
import sys
from evalsi.core import Need
from evalsi.core.engine import tools_for
from evalsi_pack_rl.math_equiv.symbolic import Symbolic
from evalsi_pack_rl.math_equiv.syntax import parse
pair = (parse("sin(x)^2 + cos(x)^2"), parse("1"))
print(Symbolic(tools_for({Need.WORKERS}, None).workers).equal([pair])[0].decision)
print(sorted({"sympy", "mpmath", "math_verify"} & sys.modules.keys()))
"""
    told = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert told.stdout == "yes\n[]\n"


@pytest.mark.parametrize(("one", "other"), rows(EQUAL) + rows(DIFFERENT))
def test_a_tree_travels_whole(one, other):
    assert [decoded(encoded(parse(text))) for text in (one, other)] == [parse(one), parse(other)]


def test_long_numbers_travel_whole():
    node = tree.Number(Fraction(10**6000 + 1, 3**9000), exact=False)
    assert decoded(encoded(node)) == node


def test_the_backend_is_named_with_its_version():
    import sympy

    assert backend_name("sympy") == backend_name("auto") == f"sympy {sympy.__version__}"
    assert backend_name("plain") == ""
    assert missing("plain") == missing("sympy") == ""


def test_what_the_library_stumbles_on_is_undecided_and_names_its_exception(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from evalsi_pack_rl.math_equiv import symbolic_decide

    def stumbles(*_: object) -> None:
        raise ZeroDivisionError("somewhere inside")

    monkeypatch.setattr(symbolic_decide, "_equal", stumbles)

    told = symbolic_decide.decide(parse("x"), parse("y"))

    assert told == ("undecided", "backend-error-ZeroDivisionError")
