"""The text of an EvalRun: what loads, what its JSON Schema says, what makes two runs the same."""

import json

import jsonschema
import pytest

from evalsi.core import SpecError
from evalsi.core.run.identity import identity_of
from evalsi.core.run.spec import EvalRun
from evalsi.core.spec import json_schema, load
from evalsi.core.spec.yaml12 import read_yaml

WHOLE = """\
apiVersion: evals.si/v1alpha1
kind: EvalRun
metadata: {name: whole}
spec:
  target:
    connector: openai-compatible
    model: base
    base_url: http://localhost:8000/v1
    temperature: 1.0
    stop: ["\\n\\n"]
  dataset:
    uri: hf://openai/gsm8k?config=main&split=test
    mapping: {input: question, reference: answer, metadata.kind: topic.kind}
    limit: 200
    seed: 7
    stratify: level
    ids: [a, 5]
    filter: {level: [hard, 3], metadata.kind: benign}
  evaluators:
    - math-equiv
    - ref: general:diversity
      name: varied
      metric: diversity.distinct-2
      params: {answer_from: math-equiv}
  trials: 8
  repeatGreedy: true
  gates:
    - {metric: math-equiv, min: 0.7}
    - {metric: math-equiv.pass@8, min: 0.8, max: 1, on: lo}
  judge: {model: judge, base_url: http://localhost:8001/v1}
  maxErrorRate: 0.1
  concurrency: 32
  clusterField: page
  deadlineSeconds: 30
"""
SMALL = {"target": {"connector": "echo"}, "dataset": {"path": "d.jsonl"}, "evaluators": ["a"]}
ENVELOPE = {"apiVersion": "evals.si/v1alpha1", "kind": "EvalRun", "metadata": {"name": "x"}}


def small(**changes):
    return {**SMALL, **changes}


def test_every_field_loads():
    spec = load(WHOLE, EvalRun).spec
    assert spec.target.params["model"] == "base"
    assert [use.name for use in spec.evaluators] == ["math-equiv", "varied"]
    assert (spec.gates[0].on, spec.gates[1].on) == ("mean", "lo")
    assert (spec.trials, spec.max_error_rate, spec.cluster_field) == (8, 0.1, "page")


def test_what_is_left_out_has_its_default():
    spec = load(SMALL, EvalRun).spec
    assert (spec.trials, spec.gates, spec.judge, spec.max_error_rate) == (1, (), None, 0.05)


def test_its_dict_form_loads_to_an_equal_spec():
    first = load(WHOLE, EvalRun)
    again = load(first.as_dict(), EvalRun)
    assert again.spec == first.spec
    assert again.fingerprint == first.fingerprint


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (small(evaluators=[]), "evaluators"),
        (small(evaluators=["a", "a"]), "as is that of evaluators[0]; give each its own `name`"),
        (small(evaluators=[{"ref": "a", "weight": 1}]), "weight"),
        (small(trials=0), "trials is 0"),
        (small(maxErrorRate=2), "maxErrorRate is 2"),
        (small(max_error_rate=0.1), 'did you mean "maxErrorRate"?'),
        (small(target={"model": "m"}), 'target has no "connector"'),
        (small(gates=[{"metric": "a", "min": 1, "on": "median"}]), "gates[0].on"),
        (small(judge={"modell": "m"}), 'did you mean "model"?'),
    ],
    ids=["none", "same", "weight", "trials", "rate", "snake", "target", "on", "judge"],
)
def test_what_makes_no_sense_is_refused(spec, words):
    with pytest.raises(SpecError) as caught:
        load(spec, EvalRun)
    assert words in str(caught.value)


def test_the_json_schema_accepts_what_loads():
    jsonschema.validate(read_yaml(WHOLE).data, json_schema(EvalRun))
    jsonschema.validate({**ENVELOPE, "spec": SMALL}, json_schema(EvalRun))


@pytest.mark.parametrize(
    "spec",
    [small(evaluators=[]), small(trials=0), small(trails=1), small(target={}), small(gates=[{}])],
    ids=["no evaluator", "no trial", "unknown", "no connector", "no metric"],
)
def test_the_json_schema_refuses_what_does_not_load(spec):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**ENVELOPE, "spec": spec}, json_schema(EvalRun))


def test_the_json_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(json.loads(json.dumps(json_schema(EvalRun))))


def identity(**changes):
    return identity_of({"spec": small(**changes)}, "hash", {"connector": "core:echo"}, [])


@pytest.mark.parametrize(
    "change",
    [
        {"gates": [{"metric": "a", "min": 1}]},
        {"concurrency": 3},
        {"maxErrorRate": 0.5},
        {"dataset": {"path": "elsewhere.jsonl"}},
        {"target": {"connector": "echo", "base_url": "http://other:1/v1", "timeout_s": 3}},
    ],
    ids=["gates", "concurrency", "error rate", "place of the data", "address"],
)
def test_what_changes_no_result_makes_no_other_run(change):
    assert identity(**change) == identity()


@pytest.mark.parametrize(
    "change",
    [
        {"trials": 2},
        {"evaluators": ["b"]},
        {"target": {"connector": "echo", "model": "other"}},
        {"clusterField": "page"},
    ],
    ids=["trials", "evaluators", "model", "clusters"],
)
def test_what_may_change_a_result_makes_another_run(change):
    assert identity(**change)["spec"] != identity()["spec"]
