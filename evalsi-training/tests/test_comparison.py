"""Columns compared at once say what core's `compare` says of the same records."""

import json
import math
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalsi.core.stats import compare, regressed
from evalsi.training.comparison import Pairing
from evalsi.training.values import StepValues

VECTORS = json.loads(
    (Path(__file__).parents[2] / "testdata" / "stat_vectors.json").read_text("utf-8")
)
TOLERANCE = VECTORS["tolerance"]
PAIRED = {
    one["name"]: one for one in VECTORS["vectors"] if one["method"] in ("tango", "t", "cluster-t")
}
BINARY = st.sampled_from([0.0, 1.0])
VALUE = st.one_of(st.none(), BINARY, st.floats(-5, 5).map(lambda x: round(x, 3)))


def means(side):
    return {name: fmean(one) if isinstance(one, list) else one for name, one in side.items()}


def trials(vector):
    values = [*vector["base"].values(), *vector["checkpoint"].values()]
    return max(len(value) if isinstance(value, list) else 1 for value in values)


def step_values(side, clusters=None):
    column = [math.nan if value is None else float(value) for value in side.values()]
    named = tuple(clusters.get(name) for name in side) if clusters else ()
    return StepValues(tuple(side), {"m": np.array(column)}, named)


def paired(base, checkpoint, clusters=None, **options):
    pairing = Pairing(step_values(base, clusters), **options)
    return pairing.of(step_values(checkpoint), "m")


def close(one, other):
    for name in ("base_mean", "checkpoint_mean", "diff", "lo", "hi", "p"):
        a, b = getattr(one, name), getattr(other, name)
        assert (a is None) == (b is None), name
        assert a is None or a == pytest.approx(b, abs=TOLERANCE), name
    for name in ("n", "method", "lost", "gained", "missing", "extra"):
        assert getattr(one, name) == getattr(other, name), name


@pytest.mark.parametrize("vector", PAIRED.values(), ids=PAIRED)
def test_the_shared_vectors_hold(vector):
    base, checkpoint = means(vector["base"]), means(vector["checkpoint"])
    found = paired(
        base,
        checkpoint,
        vector["clusters"],
        trials=trials(vector),
        confidence=vector["confidence"],
    )
    expected = vector["expected"]
    assert found.diff == pytest.approx(expected["diff"], abs=TOLERANCE)
    for name in ("lo", "hi"):
        if expected.get(name) is None:
            assert getattr(found, name) is None
        else:
            assert getattr(found, name) == pytest.approx(expected[name], abs=TOLERANCE)
    fell = regressed(found, direction=vector["direction"], max_drop=vector["max_drop"])
    assert fell == expected.get("regressed", False)


@settings(deadline=None)
@given(
    st.lists(st.tuples(VALUE, VALUE, st.sampled_from([None, "a", "b"])), min_size=1, max_size=40),
    st.booleans(),
)
def test_it_is_the_same_as_one_record_after_the_other(rows, clustered):
    base = {str(n): one for n, (one, _, _) in enumerate(rows)}
    checkpoint = {str(n): other for n, (_, other, _) in enumerate(rows)}
    clusters = {str(n): name for n, (_, _, name) in enumerate(rows) if name is not None}
    clusters = clusters if clustered and clusters else None
    measured = [{k: v for k, v in side.items() if v is not None} for side in (base, checkpoint)]

    close(paired(base, checkpoint, clusters), compare(*measured, clusters=clusters))


def test_records_in_another_order_or_of_another_panel_are_matched_by_id():
    base = {"a": 1.0, "b": 0.0, "c": 1.0, "d": 1.0}
    checkpoint = {"d": 0.0, "x": 1.0, "a": 1.0, "b": 1.0}

    found = paired(base, checkpoint)

    assert (found.n, found.missing, found.extra) == (3, 1, 1)
    assert (found.lost, found.gained) == (1, 1)


def test_a_metric_that_one_side_lacks_shares_no_record():
    found = Pairing(step_values({"a": 1.0})).of(step_values({"a": 1.0}), "other")

    assert found.n == 0
    assert found.diff is None
