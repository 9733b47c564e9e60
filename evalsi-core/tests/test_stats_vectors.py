"""The shared vectors: what `testdata/stat_vectors.json` states, to its tolerance."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from evalsi.core.stats import (
    Comparison,
    benjamini_hochberg,
    bonett_price_interval,
    bonferroni,
    compare,
    holm,
    mcnemar_exact,
    pass_at_k,
    pass_hat_k,
    records_needed,
    regressed,
    sd_of_change,
    smallest_change,
    spent_alpha,
)

VECTORS = json.loads(
    (Path(__file__).parents[2] / "testdata" / "stat_vectors.json").read_text("utf-8")
)
TOLERANCE = VECTORS["tolerance"]
PAIRED = {vector["name"]: vector for vector in VECTORS["vectors"]}
TESTED = {name: one for name, one in PAIRED.items() if "mcnemar_exact_p" in one["expected"]}
BY_T = {name: one for name, one in PAIRED.items() if "p" in one["expected"]}


def near(value: float | None) -> Any:
    return None if value is None else pytest.approx(value, abs=TOLERANCE)


def means(side: dict[str, Any]) -> dict[str, float]:
    return {name: fmean(one) if isinstance(one, list) else one for name, one in side.items()}


def trials(vector: dict[str, Any]) -> int:
    values = [*vector["base"].values(), *vector["checkpoint"].values()]
    return max(len(value) if isinstance(value, list) else 1 for value in values)


def compared(vector: dict[str, Any], method: Any = "auto", **changed: Any) -> Comparison:
    given = {
        "method": method,
        "trials": trials(vector),
        "clusters": vector["clusters"],
        "confidence": vector["confidence"],
    }
    return compare(means(vector["base"]), means(vector["checkpoint"]), **{**given, **changed})


@pytest.mark.parametrize("name", PAIRED)
def test_a_paired_comparison_holds(name: str) -> None:
    vector, expected = PAIRED[name], PAIRED[name]["expected"]
    found = compared(vector)
    assert found.n == expected["n"]
    assert found.diff == near(expected["diff"])
    assert (found.lo, found.hi) == (near(expected["lo"]), near(expected["hi"]))
    assert found.base_mean == near(expected.get("base_mean"))
    assert found.checkpoint_mean == near(expected.get("ckpt_mean"))
    assert found.missing == len(vector["missing_in_checkpoint"])
    assert found.extra == len(vector["missing_in_base"])


@pytest.mark.parametrize("name", PAIRED)
def test_the_verdict_holds(name: str) -> None:
    vector, expected = PAIRED[name], PAIRED[name]["expected"]
    found = compared(vector)
    verdict = regressed(found, direction=vector["direction"], max_drop=vector["max_drop"])
    assert found.significant is expected.get("significant", False)
    assert verdict is expected.get("regressed", False)


@pytest.mark.parametrize("name", PAIRED)
def test_the_rule_chooses_the_method_of_the_vector(name: str) -> None:
    chosen = compared(PAIRED[name]).method
    assert chosen == ("none" if PAIRED[name]["expected"]["lo"] is None else PAIRED[name]["method"])


@pytest.mark.parametrize("name", TESTED)
def test_flips_and_the_exact_test_hold(name: str) -> None:
    expected, found = TESTED[name]["expected"], compared(TESTED[name])
    assert (found.lost, found.gained) == (expected["base_only"], expected["ckpt_only"])
    assert mcnemar_exact(found.lost, found.gained) == near(expected["mcnemar_exact_p"])


@pytest.mark.parametrize("name", TESTED)
def test_the_other_intervals_of_passes_hold(name: str) -> None:
    vector, expected = TESTED[name], TESTED[name]["expected"]
    by_t, closed = compared(vector, "t"), compared(vector, "bonett-price")
    counts = expected["base_only"], expected["ckpt_only"]
    alone = bonett_price_interval(*counts, n=expected["n"], confidence=vector["confidence"])
    assert (by_t.lo, by_t.hi) == (near(expected["t_lo"]), near(expected["t_hi"]))
    assert alone == (near(expected["bonett_price_lo"]), near(expected["bonett_price_hi"]))
    assert (closed.lo, closed.hi) == alone


@pytest.mark.parametrize("name", BY_T)
def test_the_p_of_the_t_test_holds(name: str) -> None:
    assert compared(BY_T[name]).p == near(BY_T[name]["expected"]["p"])


def test_without_its_clusters_the_naive_interval_of_a_clustered_vector_is_significant() -> None:
    vector = PAIRED["clustered_6x4"]
    found = compared(vector, clusters=None)
    assert found.lo == near(vector["expected"]["naive_t_lo"])
    assert found.hi == near(vector["expected"]["naive_t_hi"])


@pytest.mark.parametrize("row", VECTORS["pass_k"], ids=lambda row: "n{n}-c{c}-k{k}".format(**row))
def test_pass_at_k_and_pass_hat_k_hold(row: dict[str, Any]) -> None:
    given = row["n"], row["c"], row["k"]
    assert pass_at_k(*given) == near(row["pass_at_k"])
    assert pass_hat_k(*given) == near(row["pass_hat_k"])


@pytest.mark.parametrize(
    ("correct", "name"),
    [(holm, "holm"), (benjamini_hochberg, "bh"), (bonferroni, "bonferroni")],
    ids=["holm", "bh", "bonferroni"],
)
def test_a_correction_holds(correct: Any, name: str) -> None:
    given = VECTORS["multiple_testing"]
    assert correct(given["p"]) == pytest.approx(given[name], abs=TOLERANCE)


@pytest.mark.parametrize("row", VECTORS["mde"], ids=lambda row: "p{p}-r{rho}-n{n}".format(**row))
def test_the_smallest_change_holds(row: dict[str, Any]) -> None:
    sd = sd_of_change(row["p"], row["rho"])
    assert sd == near(row["sd_diff"])
    assert smallest_change(sd, row["n"]) == near(row["mde"])


@pytest.mark.parametrize("row", VECTORS["mde"], ids=lambda row: "p{p}-r{rho}-n{n}".format(**row))
def test_the_records_that_a_change_needs_hold(row: dict[str, Any]) -> None:
    just_seen = row["mde"] * (1 + 1e-9)
    assert records_needed(row["sd_diff"], just_seen) == row["n"]


@pytest.mark.parametrize("row", VECTORS["alpha_spending"], ids=lambda row: f"look-{row['look']}")
def test_the_spending_of_alpha_holds(row: dict[str, Any]) -> None:
    assert spent_alpha(row["look"]) == near(row["alpha"])
