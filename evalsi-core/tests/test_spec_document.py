"""A RewardSpec as a document: what is refused, where, and that equal specs are equal."""

import json
import pickle
from pathlib import Path

import jsonschema
import pytest

from evalsi.core import SpecError
from evalsi.core.judge import JudgeConfig
from evalsi.core.reward.spec import RewardSpec
from evalsi.core.spec import Mark, json_schema, load

HEAD = "apiVersion: evals.si/v1alpha1\nkind: RewardSpec\nmetadata: {name: code-grpo}\nspec:\n"


def reward(body):
    return load(body, RewardSpec)


def issues(given):
    with pytest.raises(SpecError) as caught:
        load(given, RewardSpec)
    return [issue.splitlines()[0] for issue in caught.value.issues]


def issue(given):
    (one,) = issues(given)
    return one


def test_a_spec_has_the_defaults_that_the_design_states():
    spec = reward({"components": [{"ref": "rl:math-equiv"}]}).spec
    assert (spec.floor, spec.on_error, spec.clip, spec.cache.enabled) == (0.0, "raise", None, True)
    assert (spec.reference_field, spec.judge, spec.deadline_seconds, spec.group_field) == (
        None,
    ) * 4
    (one,) = spec.components
    assert (one.name, one.weight, one.gate, one.threshold) == ("math-equiv", 1.0, False, 1.0)
    assert (one.metric, one.params, one.sandbox.min_isolation) == (None, {}, None)


def test_a_bare_string_is_a_component():
    (one,) = reward({"components": ["rl:math-equiv"]}).spec.components
    assert (one.ref, one.name) == ("rl:math-equiv", "math-equiv")


def test_every_field_of_a_spec_is_read():
    spec = load(
        HEAD
        + """
  components:
    - {ref: a, name: b, weight: -2, gate: true, threshold: 0.5, metric: m, params: {x: [1]},
       sandbox: {minIsolation: gvisor}}
  floor: -1
  onError: none
  clip: [-1, 1]
  cache: {enabled: false}
  referenceField: gold
  judge: {model: m}
  deadlineSeconds: 30
  groupField: prompt_id
""",
        RewardSpec,
    ).spec
    assert (spec.floor, spec.on_error, spec.clip, spec.cache.enabled) == (
        -1,
        "none",
        (-1, 1),
        False,
    )
    assert (spec.reference_field, spec.judge) == ("gold", JudgeConfig(model="m"))
    assert (spec.deadline_seconds, spec.group_field) == (30.0, "prompt_id")


def test_refs_say_where_the_spec_states_them():
    (_, ref) = reward(
        {"components": ["a", {"ref": "b", "sandbox": {"minIsolation": "process"}}]}
    ).spec.refs()
    assert (ref.ref, ref.name, ref.min_isolation) == ("b", "b", "process")
    assert ref.path == ("spec", "components", 1)


def test_cache_false_is_short_for_not_enabled():
    assert reward({"components": ["a"], "cache": False}).spec.cache.enabled is False


def test_a_bare_body_may_have_a_name():
    assert reward({"name": "mine", "components": ["a"]}).name == "mine"


def test_a_bare_body_without_name_is_called_reward():
    assert reward({"components": ["a"]}).name == "reward"


def test_a_document_knows_its_file_and_its_marks(tmp_path):
    path = tmp_path / "reward.yaml"
    path.write_text(HEAD + "  components:\n    - ref: a\n      weight: 2\n")
    document = load(path, RewardSpec)
    assert document.source == str(path)
    assert document.mark(("spec", "components", 0, "weight")) == Mark(7, 15)


def test_a_mapping_has_no_marks():
    assert reward({"components": ["a"]}).mark(("spec", "components")) is None


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"components": []}, "components is an empty list; it must be a list of at least 1"),
        ({}, 'the spec has no "components", which is needed'),
        ({"components": "a"}, 'components is "a"; it must be a list'),
        ({"components": [3]}, "components[0] is 3; it must be a mapping"),
        ({"components": [{"weight": 1}]}, 'components[0] has no "ref", which is needed'),
        (
            {"components": [{"ref": "a", "wieght": 1}]},
            'components[0].wieght is not a known field; did you mean "weight"?',
        ),
        (
            {"components": ["a"], "zzz": 1},
            (
                "zzz is not a known field; known here: components, floor, onError, clip, cache, "
                "referenceField, judge, deadlineSeconds, groupField"
            ),
        ),
        (
            {"components": ["a"], "on_error": "zero"},
            'on_error is not a known field; did you mean "onError"?',
        ),
        (
            {"components": [{"ref": "a", "sandbox": {"minisolation": "process"}}]},
            'components[0].sandbox.minisolation is not a known field; did you mean "minIsolation"?',
        ),
        (
            {"components": [{"ref": "a", "weight": "x"}]},
            'components[0].weight is "x"; it must be a number',
        ),
        (
            {"components": [{"ref": "a", "weight": "1"}]},
            'components[0].weight is "1"; it must be a number',
        ),
        (
            {"components": [{"ref": "a", "weight": True}]},
            "components[0].weight is true; it must be a number",
        ),
        (
            {"components": [{"ref": "a", "weight": None}]},
            "components[0].weight is null; it must be a number",
        ),
        (
            {"components": [{"ref": "a", "weight": float("inf")}]},
            "components[0].weight is Infinity; it must be a finite number",
        ),
        (
            {"components": [{"ref": "a", "gate": "yes"}]},
            'components[0].gate is "yes"; it must be true or false',
        ),
        (
            {"components": [{"ref": "a", "gate": 1}]},
            "components[0].gate is 1; it must be true or false",
        ),
        (
            {"components": [{"ref": "a", "threshold": 0.5}]},
            "components[0].threshold: a threshold is for gates; add `gate: true`, or remove it",
        ),
        (
            {"components": [{"ref": "a", "params": [1]}]},
            "components[0].params is a list; it must be a mapping",
        ),
        (
            {"components": ["a", "rl:a"]},
            'components[1].name is "a", as is that of components[0]; give each its own `name`',
        ),
        (
            {"components": ["a"], "onError": "nome"},
            'onError is "nome"; it must be "raise", "zero" or "none"; did you mean "none"?',
        ),
        ({"components": ["a"], "clip": [1]}, "clip has too few items; give at least 2"),
        (
            {"components": ["a"], "clip": [1, 2, 3]},
            "clip is a list; it must be a list of at most 2",
        ),
        ({"components": ["a"], "clip": [2, 1]}, "clip: the low bound 2 is above the high bound 1"),
        ({"components": ["a"], "clip": ["x", 1]}, 'clip[0] is "x"; it must be a number'),
        ({"components": ["a"], "judge": 3}, "judge is 3; it must be text or a mapping"),
        (
            {"components": ["a"], "cache": "off"},
            "cache: give true, false, or a mapping with `enabled`",
        ),
        (
            {"components": ["a"], "deadlineSeconds": 0},
            "deadlineSeconds is 0; it must be more than 0",
        ),
        (
            {"components": ["a"], "name": ""},
            'name is ""; it must be text that matches ^\\w[\\w.-]*$',
        ),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_a_body_that_is_not_valid_is_refused_by_path(body, told):
    assert issue(body) == told


def test_the_message_has_file_line_column_the_line_and_a_caret(tmp_path):
    path = tmp_path / "code-reward.yaml"
    path.write_text(HEAD + "  components:\n    - ref: a\n      weight: x\n")
    with pytest.raises(SpecError) as caught:
        load(path, RewardSpec)
    assert str(caught.value) == (
        f'{path}:7:15: spec.components[0].weight is "x"; it must be a number\n'
        "    7 |       weight: x\n"
        "      |               ^"
    )


def test_an_unknown_field_is_marked_at_its_key():
    text = HEAD + "  components:\n    - {ref: a, wieght: 2}\n"
    assert issue(text).startswith("<spec>:6:16: spec.components[0].wieght is not a known field")


def test_the_caret_stands_under_the_column_behind_tabs():
    with pytest.raises(SpecError) as caught:
        load(
            '{\n\t"apiVersion": 1, "kind": "RewardSpec",\n'
            ' "metadata": {"name": "a"}, "spec": {"components": ["a"]}}',
            RewardSpec,
        )
    assert caught.value.issues[0].splitlines()[2] == "      | \t" + " " * 14 + "^"


def test_a_long_line_is_cut_around_the_column():
    text = HEAD + "  components: [" + ", ".join(f"{{ref: r{n}}}" for n in range(50)) + ", 3]\n"
    with pytest.raises(SpecError) as caught:
        load(text, RewardSpec)
    _, line, caret = caught.value.issues[0].splitlines()
    assert len(line) < 120
    assert line[caret.index("^")] == "3"


def test_all_issues_come_at_once_in_the_order_of_the_text():
    text = HEAD + (
        "  components:\n"
        "    - {ref: a, weight: x}\n"
        "    - {ref: b, threshold: 2, gate: maybe}\n"
        "    - {ref: b}\n"
        "  floor: low\n"
        "  floor: 1\n"
    )
    assert [one.split(": ")[0] for one in issues(text)] == [
        "<spec>:6:24",
        "<spec>:7:36",
        "<spec>:8:7",
        "<spec>:9:3",
        "<spec>:9:10",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (HEAD.replace("RewardSpec", "EvalRun"), 'kind is "EvalRun"; a RewardSpec is needed here'),
        (
            HEAD.replace("RewardSpec", "RewardSpecs"),
            'kind is "RewardSpecs"; a RewardSpec is needed here; did you mean "RewardSpec"?',
        ),
        (
            HEAD.replace("v1alpha1", "v2") + "  components: [a]",
            'apiVersion is "evals.si/v2"; it must be "evals.si/v1alpha1"',
        ),
        (
            HEAD.replace("name", "nam") + "  components: [a]",
            'metadata has no "name", which is needed',
        ),
        (HEAD, "spec is null; it must be a mapping"),
        ("components: [a]\n", "this is no RewardSpec; it needs `apiVersion: evals.si/v1alpha1`"),
        ("[1]\n", "the spec is a list; it must be a mapping"),
    ],
    ids=[
        "another-kind",
        "a-misspelt-kind",
        "a-version",
        "no-name",
        "no-body",
        "no-envelope",
        "a-list",
    ],
)
def test_an_envelope_that_is_not_valid_is_refused(text, told):
    assert any(told in one for one in issues(text))


SAME = [
    HEAD + "  components:\n    - a\n    - {ref: b, weight: 2, params: {x: 1}}\n",
    HEAD
    + "  components: [{ref: a, name: a, weight: 1.0}, {ref: b, weight: 2.0, params: {x: 1}}]\n"
    + "  cache: true\n",
    json.dumps(
        {
            "apiVersion": "evals.si/v1alpha1",
            "kind": "RewardSpec",
            "metadata": {"name": "code-grpo"},
            "spec": {"components": ["a", {"params": {"x": 1}, "weight": 2, "ref": "b"}]},
        }
    ),
    {"name": "code-grpo", "components": ["a", {"ref": "b", "weight": 2, "params": {"x": 1}}]},
]


@pytest.mark.parametrize("given", SAME, ids=["yaml", "written-out", "json", "bare"])
def test_equal_specs_have_equal_fingerprints_however_they_are_written(given):
    assert load(given, RewardSpec).fingerprint == load(SAME[0], RewardSpec).fingerprint


@pytest.mark.parametrize(
    "body",
    [
        {"name": "other", "components": ["a", {"ref": "b", "weight": 2, "params": {"x": 1}}]},
        {"name": "code-grpo", "components": ["a", {"ref": "b", "weight": 3, "params": {"x": 1}}]},
        {
            "name": "code-grpo",
            "components": ["a", {"ref": "b", "weight": 2, "params": {"x": True}}],
        },
        {"name": "code-grpo", "components": [{"ref": "b", "weight": 2, "params": {"x": 1}}, "a"]},
    ],
    ids=["name", "weight", "type-of-a-param", "order"],
)
def test_specs_that_differ_have_other_fingerprints(body):
    assert reward(body).fingerprint != load(SAME[0], RewardSpec).fingerprint


@pytest.mark.parametrize("given", SAME, ids=["yaml", "written-out", "json", "bare"])
def test_a_spec_round_trips_through_its_dict_form(given):
    document = load(given, RewardSpec)
    again = load(document.as_dict(), RewardSpec)
    assert (again.spec, again.metadata) == (document.spec, document.metadata)


def test_a_full_spec_round_trips_through_json_text():
    document = reward(
        {
            "components": [
                {
                    "ref": "a",
                    "gate": True,
                    "threshold": 0.5,
                    "metric": "m",
                    "sandbox": {"minIsolation": "gvisor"},
                }
            ],
            "clip": [0, 1],
            "judge": "main",
            "deadlineSeconds": 3,
            "cache": False,
        }
    )
    assert load(json.dumps(document.as_dict()), RewardSpec).spec == document.spec


def test_a_document_pickles():
    document = load(SAME[0], RewardSpec)
    assert pickle.loads(pickle.dumps(document)).fingerprint == document.fingerprint


def test_a_spec_error_pickles_with_its_issues():
    with pytest.raises(SpecError) as caught:
        reward({"components": [3, 4]})
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.issues, str(again)) == (caught.value.issues, str(caught.value))
    assert len(again.issues) == 2


@pytest.mark.parametrize("given", [SAME[2]], ids=["json"])
def test_the_json_schema_accepts_what_loads(given):
    jsonschema.validate(json.loads(given), json_schema(RewardSpec))


@pytest.mark.parametrize(
    "spec",
    [
        {"components": []},
        {"components": [{"ref": "a", "wieght": 1}]},
        {"components": [{"ref": "a", "sandbox": {"minIsolation": "vm"}}]},
        {"components": ["a"], "onError": "ignore"},
    ],
)
def test_the_json_schema_refuses_what_does_not_load(spec):
    document = json.loads(SAME[2]) | {"spec": spec}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, json_schema(RewardSpec))


def test_the_json_schema_takes_the_short_forms():
    document = json.loads(SAME[2]) | {"spec": {"components": ["a"], "cache": False}}
    jsonschema.validate(document, json_schema(RewardSpec))


def test_the_json_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(json_schema(RewardSpec))


EXAMPLES = sorted(Path(__file__).parents[2].glob("examples/finetuning/*reward.yaml"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_our_own_reward_specs_load(path):
    assert load(path, RewardSpec).spec.components
