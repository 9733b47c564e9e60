"""math-equiv as an evaluator: references, reasons, evidence, params, batches and backends."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import pytest
from pydantic import ValidationError

from evalsi.core.evaluator import Answer, Need, Tools
from evalsi.core.records import Record
from evalsi.core.results import JSON, Errored, Failure, Score, Skipped
from evalsi_pack_rl.math_equiv import MathEquiv, MathEquivParams, symbolic
from evalsi_pack_rl.math_equiv.settling import Settling
from evalsi_pack_rl.math_equiv.symbolic import SymbolicAnswer


def evaluator(**params: object) -> MathEquiv:
    return MathEquiv(MathEquivParams.model_validate({"backend": "plain", **params}), Tools())


def answer(completion: str, reference: JSON, **params: object) -> Answer:
    record = Record(id="1", output=completion, reference=reference)
    (given,) = evaluator(**params).score_batch([record])
    return given


def score(completion: str, reference: JSON, **params: object) -> Score:
    given = answer(completion, reference, **params)
    assert isinstance(given, Score)
    return given


def failure(completion: str, reference: JSON) -> Failure:
    given = answer(completion, reference)
    assert isinstance(given, Errored)
    return given.failure


def test_the_evidence_says_what_was_compared_and_which_tier_decided() -> None:
    assert score("#### 5", "x = \\frac{12}{2}") == Score(
        0.0,
        reason="different-structure",
        evidence={
            "predicted": "5",
            "expected": "x = \\frac{12}{2}",
            "source": "marker",
            "tier": "structure",
            "reason": "different-structure",
        },
    )


@pytest.mark.parametrize(
    ("completion", "reference", "value", "tier", "reason"),
    [
        ("\\boxed{Paris}", "paris", 1.0, "text", "equal-text"),
        ("\\boxed{(A)}", "A", 1.0, "text", "equal-choice"),
        ("\\boxed{(B)}", "A", 0.0, "text", "different-choice"),
        ("\\boxed{5.0}", "5", 1.0, "number", "equal-number"),
        ("\\boxed{6}", "5", 0.0, "number", "different-number"),
        ("\\boxed{2, 1}", "1, 2", 1.0, "structure", "equal-structure"),
        ("\\boxed{(2, 1)}", "(1, 2)", 0.0, "structure", "different-structure"),
        ("\\boxed{x + x}", "2x", 1.0, "canonical", "equal-expression"),
        ("\\boxed{x + 2}", "2x", 0.0, "canonical", "different-expression"),
        ("\\boxed{5#6}", "5", 0.0, "text", "not-read-malformed"),
        ("\\boxed{\\ }", "5", 0.0, "text", "empty-answer"),
        ("\\boxed{~5}", "5", 0.0, "text", "approximate"),
        ("\\boxed{5", "5", 0.0, "extraction", "unclosed-box"),
        ("\\boxed{5} or \\boxed{6}", "5", 0.0, "extraction", "hedged"),
        ("I have no idea.", "5", 0.0, "extraction", "no-answer"),
    ],
)
def test_the_first_tier_that_is_certain_decides(
    completion: str, reference: str, value: float, tier: str, reason: str
) -> None:
    given = score(completion, reference)

    assert isinstance(given.evidence, dict)
    assert (given.value, given.evidence["tier"], given.reason) == (value, tier, reason)


def test_long_texts_are_cut_in_the_evidence() -> None:
    given = score("\\boxed{" + "x" * 5000 + "}", "y" * 5000)

    assert isinstance(given.evidence, dict)
    assert {len(str(given.evidence[key])) for key in ("predicted", "expected")} == {200}


@pytest.mark.parametrize(
    "reference",
    [None, "", "  ", "nan", float("nan"), float("inf"), "\\text{nan}", "None", [], [""], "[]"],
    ids=repr,
)
def test_a_missing_reference_is_skipped(reference: JSON) -> None:
    skipped = reference != "[]"  # as a text it states an empty list

    given = answer("#### 5", reference)

    assert isinstance(given, Skipped) == skipped


@pytest.mark.parametrize(
    "reference",
    [
        5,
        5.0,
        "5",
        " 5\n",
        "$5$",
        "\\(5\\)",
        "\\boxed{5}",
        "2 + 3 = <<2+3=5>>5\n#### 5",
        "The answer is 5.",
        ["5"],
        ["4", "5"],
        ("4", 5),
        "['5']",
        '["4", "5"]',
        "['4', 5.0]",
        "('5',)",
    ],
    ids=repr,
)
def test_a_reference_is_text_a_number_or_a_flat_list(reference: JSON) -> None:
    assert score("\\boxed{5}", reference).value == 1.0
    assert score("\\boxed{6}", reference).value == 0.0


def test_any_answer_of_a_list_is_accepted_and_told() -> None:
    given = score("\\boxed{\\frac12}", ["0.25", "0.5"])

    assert isinstance(given.evidence, dict)
    assert (given.value, given.evidence["expected"]) == (1.0, "0.5")


def test_a_printed_list_holds_what_was_printed() -> None:
    assert score("\\boxed{\\frac{1}{3}}", repr(["\\frac{1}{3}"])).value == 1.0
    assert score("\\boxed{it's}", repr(["it's", 'a "b"'])).value == 1.0


@pytest.mark.parametrize(
    ("reference", "told"),
    [
        ({"value": 5}, "`reference` is dict"),
        (True, "`reference` is bool"),
        ([["5"]], "nested"),
        (["5", {}], "nested"),
        ("[['5']]", "nested"),
        ("['5'", "no complete list"),
        ("['5' '6']", "no well-formed list"),
        ("['5', x]", "no well-formed list"),
        pytest.param(10**5000, "over 4,000 digits", id="huge"),
        pytest.param([[10**5000]], "nested", id="huge and nested"),
        ("so \\boxed{5", "unclosed-box"),
    ],
)
def test_a_reference_that_cannot_be_read_is_an_error_that_names_it(
    reference: JSON, told: str
) -> None:
    found = failure("#### 5", reference)

    assert found.kind == "data"
    assert told in found.message


def test_an_error_of_one_reference_leaves_the_rest_of_the_batch() -> None:
    references: list[JSON] = ["5", [["5"]], None, "6"]
    records = [Record("1", output="5", reference=it) for it in references]

    kinds = [type(given).__name__ for given in evaluator().score_batch(records)]

    assert kinds == ["Score", "Errored", "Skipped", "Score"]


@pytest.mark.parametrize(
    ("reference", "completion", "equal"),
    [
        ("18.00", "#### 18", True),
        ("+18", "#### 18", True),
        ("18", "#### 18.000", True),
        ("1,234", "#### 1234.0", True),
        ("18", "#### 18.0000000001", False),
        ("100000000000000000000", "#### 100000000000000000001", False),
    ],
)
def test_golds_are_compared_as_exact_decimals(reference: str, completion: str, equal: bool) -> None:
    assert score(completion, reference).value == float(equal)


def test_the_fallback_is_the_last_number() -> None:
    assert score("So she earns 15 dollars per day.", "15").value == 1.0


def test_the_fallback_can_be_switched_off() -> None:
    assert score("So she earns 15 dollars.", "15", fallback="none").reason == "no-answer"


@pytest.mark.parametrize(
    ("leniency", "completion", "reference"),
    [
        ("percent-as-number", "5%", "5"),
        ("percent-as-number", "\\pi\\%", "\\pi"),
        ("missing-unit", "5 cm", "5"),
        ("missing-unit", "2\\pi \\text{ cm}", "2\\pi"),
        ("missing-brackets", "1, 2", "(1, 2)"),
        ("missing-base", "2516_8", "2516"),
        ("missing-side", "y = 2x + 1", "2x + 1"),
        ("inequality-as-interval", "1 < x < 2", "(1, 2)"),
        ("scaled-relation", "2y = 4x + 2", "y = 2x + 1"),
        ("scaled-relation", "2x > 6", "x > 3"),
        ("unevaluated", "2^{10}", "1024"),
        ("unevaluated", "(5!, 1)", "(120, 1)"),
        ("unevaluated", "\\frac{2}{4}", "\\frac{1}{2}"),
        ("unevaluated", "37/1", "37"),
    ],
)
def test_what_is_accepted_by_default_can_be_refused(
    leniency: str, completion: str, reference: str
) -> None:
    boxed = f"\\boxed{{{completion}}}"

    assert score(boxed, reference).value == 1.0
    assert score(boxed, reference, refuse=[leniency]).value == 0.0
    assert score(f"\\boxed{{{reference}}}", completion, refuse=[leniency]).value == 0.0


@pytest.mark.parametrize(
    ("completion", "reference"),
    [("\\frac12", "0.5"), ("7 1/2", "\\frac{15}{2}"), ("1,024", "1024"), ("x^2", "x \\cdot x")],
)
def test_another_form_of_a_value_is_no_calculation(completion: str, reference: str) -> None:
    assert score(f"\\boxed{{{completion}}}", reference, refuse=["unevaluated"]).value == 1.0


def test_an_unknown_leniency_is_refused_at_load() -> None:
    with pytest.raises(ValidationError, match="percent-as-number"):
        MathEquivParams.model_validate({"refuse": ["percent"]})


@pytest.mark.parametrize("backend", ["sympy", "math-verify"])
def test_a_backend_that_is_not_there_is_refused_at_load(
    backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(symbolic, "_installed", lambda library: "")

    with pytest.raises(ValidationError, match=r"pip install 'evalsi-pack-rl\[math"):
        MathEquivParams.model_validate({"backend": backend})


def test_auto_without_sympy_warns_once_and_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(symbolic, "_installed", lambda library: "")
    params = MathEquivParams()

    with caplog.at_level(logging.WARNING, logger="evalsi"):
        given = MathEquiv(params, Tools()).score_batch(
            [Record("1", output="\\boxed{f(x+1)}", reference="f(1+y)")] * 3
        )

    assert [record.message.count("pip install") for record in caplog.records] == [1]
    assert MathEquiv.needs(params) == frozenset()
    assert MathEquiv.backend(params) == ""
    assert all(isinstance(one, Score) for one in given)


def test_with_a_library_there_are_workers_and_the_backend_has_a_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(symbolic, "_installed", lambda library: "1.2")
    params = MathEquivParams(backend="math-verify")

    assert MathEquiv.needs(params) == {Need.WORKERS}
    assert MathEquiv.backend(params).startswith("math-verify 1.2")
    assert MathEquiv.needs(MathEquivParams(backend="plain")) == frozenset()


class Told:
    """A backend that gives one answer, and counts what it was asked."""

    asks_texts = False

    def __init__(self, told: SymbolicAnswer | Failure) -> None:
        self.told = told
        self.asked: list[Any] = []

    def equal(self, pairs: Sequence[object]) -> list[SymbolicAnswer | Failure]:
        self.asked += pairs
        return [self.told] * len(pairs)


def settled_by(library: Told, records: Sequence[Record]) -> list[Answer]:
    judge = evaluator()
    settling = object.__new__(Settling)
    settling.asks_texts = library.asks_texts
    settling._library = library  # type: ignore[assignment]
    settling._known = {}
    judge._settling = settling
    return [*judge.score_batch(records), *judge.score_batch(records)]


UNDECIDED = Record("1", output="\\boxed{f(g(x))}", reference="g(f(x))")


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (SymbolicAnswer("yes", "equal-symbolic"), (1.0, "equal-symbolic", True)),
        (SymbolicAnswer("no", "different-symbolic"), (0.0, "different-symbolic", True)),
        (SymbolicAnswer("undecided", "unsupported"), (0.0, "unsupported", True)),
        (SymbolicAnswer("undecided", "timeout", stable=False), (0.0, "timeout", False)),
    ],
)
def test_what_stays_undecided_is_for_the_backend(
    told: SymbolicAnswer, expected: tuple[float, str, bool]
) -> None:
    given = settled_by(Told(told), [UNDECIDED])[0]

    assert isinstance(given, Score)
    assert (given.value, given.reason, given.stable) == expected


def test_what_our_grammar_does_not_read_goes_to_a_backend_that_reads_texts() -> None:
    library = Told(SymbolicAnswer("yes", "equal-symbolic"))
    library.asks_texts = True
    unread = Record("1", output="\\boxed{\\lim_{x \\to 0} x}", reference="0")

    (given, _) = settled_by(library, [unread])

    assert isinstance(given, Score)
    assert given.value == 1.0
    assert library.asked == [("0", "\\lim_{x \\to 0} x")]


def test_the_backend_is_asked_each_pair_once() -> None:
    library = Told(SymbolicAnswer("yes", "equal-symbolic"))

    settled_by(library, [UNDECIDED] * 5)

    assert len(library.asked) == 1


def test_an_unstable_answer_is_asked_again() -> None:
    library = Told(SymbolicAnswer("undecided", "timeout", stable=False))

    settled_by(library, [UNDECIDED])

    assert len(library.asked) == 2


def test_a_fault_of_a_worker_is_an_error_of_its_record_only() -> None:
    library = Told(Failure("engine", "the worker is gone", retryable=True))

    given = settled_by(library, [UNDECIDED, Record("2", output="5", reference="5")])

    assert [type(one).__name__ for one in given] == ["Errored", "Score"] * 2
