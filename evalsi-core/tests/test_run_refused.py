"""What is refused before anything is asked, and how a spec is changed on its way."""

import math

import pytest
from run_fakes import Obeys
from run_kit import go, host

from evalsi.core import DataError, SpecError
from evalsi.core.run import run


@pytest.fixture(autouse=True)
def fresh():
    Obeys.forget()


@pytest.mark.parametrize(
    ("evaluators", "words"),
    [
        (["after"], "after reads the result of 'says', which is not in this spec"),
        (["ring"], "ring reads the result of 'ring', which reads this one's result too"),
        (["lost", "says"], 'did you mean "says"?'),
    ],
    ids=["absent", "a circle", "misspelt"],
)
def test_a_result_that_cannot_be_there_is_a_spec_issue(evaluators, words):
    with pytest.raises(SpecError) as caught:
        go(["1"], *evaluators)
    assert words in str(caught.value)


def test_sets_change_the_spec():
    sets = ["dataset.limit=1", "gates=[{metric: says, min: 0.9}]", "evaluators.0.name=mine"]
    outcome = go(["1", "0"], {"ref": "says"}, sets=[*sets, "gates.0.metric=mine"])
    assert (outcome.metrics["mine"].n, outcome.verdict) == (1, "passed")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("limit", "give PATH=VALUE"),
        ("dataset.limit=[", "--set dataset.limit=["),
        ("evaluators.7.name=x", "nothing can be put at '7'"),
        ("dataset.limit=x", "spec.dataset.limit"),
        ("trails=2", 'did you mean "trials"?'),
    ],
    ids=["no value", "no YAML", "no place", "no number", "misspelt"],
)
def test_a_change_that_makes_no_sense_is_refused(change, words):
    with pytest.raises(SpecError) as caught:
        go(["1"], sets=[change])
    assert words.removeprefix("spec.") in str(caught.value)


SPEC = """\
apiVersion: evals.si/v1alpha1
kind: EvalRun
metadata: {name: sums}
spec:
  target: {connector: obeys}
  dataset: {inline: {records: [{input: "1"}]}}
  evaluators: [says]
  maxErrorRate: 2
"""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("target.wait_s=long", "--set target.wait_s: spec.target.wait_s"),
        ("target={connector: obeys, wait: 1}", "--set target: spec.target.wait is not a known"),
        ("gates=[{metric: sayz, min: 1}]", "--set gates: spec.gates"),
        ("evaluators.0=sayz", "--set evaluators.0: spec.evaluators[0].ref"),
        ("maxErrorRate=3", "--set maxErrorRate: spec.maxErrorRate"),
        ("further.parts=1", "--set further.parts: spec.further is not a known field"),
    ],
)
def test_an_issue_of_a_change_names_the_option(change, words):
    sets = [change] if change.startswith("max") else ["maxErrorRate=0.5", change]
    with pytest.raises(SpecError) as caught:
        run(SPEC, sets=sets, host=host())
    assert str(caught.value).startswith(words)


def test_what_no_option_changed_still_shows_its_line():
    with pytest.raises(SpecError, match=r"<spec>:8:17: spec\.maxErrorRate"):
        run(SPEC, sets=["target.wait_s=0"], host=host())


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_number_that_a_result_cannot_hold_is_refused(value):
    with pytest.raises(SpecError, match=r"params\.at\[0\] is NaN or infinite"):
        go(["1"], {"ref": "says", "params": {"at": [value]}})


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ({"connector": "obey"}, 'did you mean "obeys"?'),
        ({"connector": "no-class"}, "is int; a connector is a class"),
        ({"temprature": 1}, 'did you mean "temperature"?'),
        ({"temperature": "hot"}, 'is "hot"; it must be a number'),
    ],
    ids=["unknown", "no class", "unknown param", "wrong param"],
)
def test_a_target_is_checked_before_anything_is_asked(target, words):
    with pytest.raises(SpecError) as caught:
        go(["1"], target=target)
    assert words in str(caught.value)


def test_every_issue_of_a_spec_is_told_at_once():
    with pytest.raises(SpecError) as caught:
        go(["1"], "nothing", target={"temprature": 1}, trials=0)
    assert all(word in str(caught.value) for word in ("nothing", "trials", "temprature"))


@pytest.mark.parametrize(
    "gate",
    [{"metric": "says"}, {"metric": "says", "min": 1, "max": 0}, {"metric": "speaks", "min": 1}],
    ids=["no bound", "crossed", "unknown"],
)
def test_a_gate_that_makes_no_sense_is_refused(gate):
    with pytest.raises(SpecError, match="gates"):
        go(["1"], gates=[gate])


def test_files_of_a_target_start_at_the_spec(tmp_path):
    path = tmp_path / "run.yaml"
    path.write_text(
        "apiVersion: evals.si/v1alpha1\nkind: EvalRun\nmetadata: {name: t}\nspec:\n"
        "  target: {connector: obeys, file: outputs.jsonl}\n"
        "  dataset: {path: d.jsonl}\n  evaluators: [says]\n"
    )
    (tmp_path / "d.jsonl").write_text('{"input": "1"}\n')
    assert run(path, host=host()).metrics["says"].mean == 1.0
    assert Obeys.files == [str(tmp_path / "outputs.jsonl")]


@pytest.mark.parametrize("out", ["", ".", "/"])
def test_a_result_goes_into_a_file(out):
    with pytest.raises(DataError, match="check --out"):
        go(["1"], out=out)
    assert not Obeys.asked
