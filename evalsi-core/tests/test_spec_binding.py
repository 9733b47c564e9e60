"""Binding: what is read off a class, and every reason to refuse a use of it."""

import importlib

import pytest

from evalsi.core import Batch, By, Need, PluginError, SandboxUnavailable, SpecError, Tools
from evalsi.core.plugins import PluginHost
from evalsi.core.reward.spec import RewardSpec
from evalsi.core.spec import Ref, bind, load, load_and_bind

HEAD = (
    "apiVersion: evals.si/v1alpha1\nkind: RewardSpec\nmetadata: {name: r}\nspec:\n  components:\n"
)
TOOLS = Tools()


@pytest.fixture
def host():
    return PluginHost([importlib.import_module("spec_fakes.plugin")])


def bound(host, ref, **use):
    params = use.pop("params", {})
    (one,) = bind([Ref(ref, "use", params, path=("spec", "components", 0), **use)], host, no_tools)
    return one


def no_tools(ref, needs):
    return TOOLS


def issue(host, ref, **use):
    with pytest.raises(SpecError) as caught:
        bound(host, ref, **use)
    (one,) = caught.value.issues
    return one


def test_what_a_class_leaves_out_has_a_safe_default(host):
    many = bound(host, "many")
    assert many.fields == ("input", "output", "reference", "output_tokens", "messages")
    assert many.metadata is None
    assert (many.needs, many.bounded, many.batch) == (frozenset(), False, Batch())
    assert many.metrics == {"many": "higher"}
    assert (many.settings, many.instance, many.entry) == (None, None, "score_group")


def test_declarations_are_read_off_the_class(host):
    runs = bound(host, "runs-code", min_isolation="gvisor")
    assert (runs.fields, runs.metadata) == (("output",), None)
    assert (runs.needs, runs.min_isolation) == (frozenset({Need.SANDBOX}), "gvisor")


def test_static_functions_decide_by_the_params(host):
    length = bound(host, "length", params={"strict": True, "unit": "characters"})
    assert (length.fields, length.metadata) == (("output",), ("tests", "a.b"))
    assert length.bounded is False
    assert length.batch == Batch(max_records=length.settings["most"], wait_ms=5)
    assert length.patience_s == 2 * length.settings["most"]


def test_a_bounded_evaluator_is_made_with_its_params_and_tools(host):
    length = bound(host, "length", params={"most": 7})
    assert (length.instance.params.most, length.instance.tools) == (7, TOOLS)


def test_an_evaluator_that_runs_elsewhere_is_not_made_here(host):
    assert bound(host, "length", params={"unit": "characters"}).instance is None


def test_tools_are_asked_for_with_the_use_and_its_needs(host):
    asked = []

    def tools(ref, needs):
        asked.append((ref.name, needs))
        return TOOLS

    bind([Ref("length", "use", {})], host, tools)
    assert asked == [("use", frozenset())]


def test_settings_are_the_params_with_their_defaults_as_plain_data(host):
    assert bound(host, "length", params={"names": ["a"]}).settings == {
        "most": 100,
        "least": 0,
        "unit": "words",
        "scale": 1.0,
        "names": ["a"],
        "strict": False,
        "either": 0,
    }


def test_by_says_who_computes(host):
    by = bound(host, "length").by
    assert by == By("fakes:length", "spec-fakes", "1.2.3", by.params, "", "counter of words")
    assert len(by.params) == 16


def test_equal_params_have_one_digest_however_they_are_written(host):
    written = bound(host, "length", params={"scale": 1, "most": 100})
    assert written.by.params == bound(host, "length").by.params


def test_other_params_have_another_digest(host):
    assert bound(host, "length", params={"most": 7}).by.params != bound(host, "length").by.params


def test_a_metric_may_be_chosen(host):
    assert bound(host, "length", metric="words").metric == "words"


def test_an_evaluators_own_name_as_metric_is_the_score_itself(host):
    assert bound(host, "length", metric="length").metric is None


def test_a_whole_number_is_a_number(host):
    assert bound(host, "length", params={"scale": 2}).settings["scale"] == 2.0


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"mots": 1}, 'params.mots is not a known field; did you mean "most"?'),
        ({"most": "7"}, 'params.most is "7"; it must be a whole number'),
        ({"most": True}, "params.most is true; it must be a whole number"),
        ({"most": 1.5}, "params.most is 1.5; it must be a whole number"),
        ({"most": 0}, "params.most is 0; it must be more than 0"),
        ({"scale": "x"}, 'params.scale is "x"; it must be a number'),
        ({"strict": 1}, "params.strict is 1; it must be true or false"),
        ({"names": ["a", 3]}, "params.names[1] is 3; it must be text"),
        (
            {"unit": "word"},
            'params.unit is "word"; it must be "words" or "characters"; did you mean "words"?',
        ),
        ({"either": "x"}, 'params.either is "x"; it must be a whole number or a list'),
        ({"either": [1, "x"]}, 'params.either[1] is "x"; it must be a whole number'),
        ({"least": 5, "most": 2}, "params: least is 5 and most is 2; swap them"),
    ],
    ids=lambda value: value.split(";")[0] if isinstance(value, str) else "",
)
def test_params_that_do_not_fit_are_refused_by_path(host, params, told):
    assert issue(host, "length", params=params) == f"spec.components[0].{told}"


@pytest.mark.parametrize(
    ("ref", "use", "told"),
    [
        (
            "shuot",
            {},
            '.ref: no evaluator is named "shuot"; did you mean "shout"? known: absent,',
        ),
        ("shout", {"params": {"x": 1}}, ".params: fakes:shout takes no params; remove them"),
        (
            "shout",
            {"min_isolation": "namespaced"},
            ".sandbox.minIsolation: fakes:shout runs no code; remove `minIsolation`",
        ),
        (
            "runs-code",
            {"min_isolation": "namespced"},
            (
                '.sandbox.minIsolation is "namespced"; it must be a rung of the ladder process < '
                'confined < namespaced < gvisor; did you mean "namespaced"?'
            ),
        ),
        (
            "length",
            {"metric": "word"},
            '.metric is "word"; fakes:length reports length or words; did you mean "words"?',
        ),
        ("judged", {}, ".ref: fakes:judged needs a judge, and there is none by default; give"),
        ("judged-slowly", {}, ".ref: fakes:judged-slowly asks a judge, so it must be `bounded`"),
        ("judged-alone", {}, ".ref: fakes:judged-alone asks a judge, so it must be `bounded`"),
        ("touchy", {}, ".params: fakes:touchy cannot be made: OSError: the table is gone"),
        ("unimportable", {}, ".ref: the evaluator fakes:unimportable of spec-fakes 1.2.3 does not"),
    ],
    ids=lambda value: value if isinstance(value, str) and value[0] != "." else "",
)
def test_a_use_that_does_not_fit_is_refused(host, ref, use, told):
    assert issue(host, ref, **use).startswith(f"spec.components[0]{told}")


@pytest.mark.parametrize(
    ("ref", "told"),
    [
        ("silent", "has no method that scores; give exactly one of score, score_batch"),
        ("two-ways", "has score and score_batch; give exactly one"),
        ("async-by-mistake", "has score, which is async; name it ascore"),
        ("sync-by-mistake", "has ascore_batch, which is not async; name it score_batch"),
        ("loose-params", 'model_config = ConfigDict(frozen=True, extra="forbid")'),
        ("odd-params", "has a `Params` that is no pydantic model"),
        ("reads-text", "has `reads` 'output'; it is a tuple of fields"),
        ("reads-unknown", 'did you mean "output"?'),
        ("odd-needs", "it is a frozenset of Need"),
        ("odd-metrics", "it maps a metric's name to higher, lower or neither"),
        ("odd-bounded", "has `bounded` 'yes'; it is True or False"),
        ("odd-batch", "has `batch` 64; it is a Batch"),
        ("empty-batch", "max_records is at least 1"),
        ("odd-patience", "has `patience_s` 0; it is a number of seconds above 0"),
        ("odd-paths", "has `paths` ('path',); it is a tuple of names of its params"),
        ("odd-about", "it maps a metric that it declares to values of metadata keys that it reads"),
        ("raising-reads", "has `reads`, which raised AttributeError"),
        ("no-class", "is function; an evaluator is a class"),
    ],
)
def test_a_class_that_breaks_the_contract_is_refused_with_its_origin(host, ref, told):
    message = issue(host, ref)
    assert message.startswith(
        f"spec.components[0].ref: fakes:{ref} of spec-fakes 1.2.3 (spec_fakes."
    )
    assert told in message


def test_a_pack_that_fails_to_import_is_the_cause_of_the_error(host):
    with pytest.raises(SpecError) as caught:
        bound(host, "unimportable")
    assert isinstance(caught.value.__cause__, PluginError)
    assert isinstance(caught.value.__cause__.__cause__, ModuleNotFoundError)


def test_an_outage_while_tools_are_made_is_no_fault_of_the_spec(host):
    def broken(ref, needs):
        raise SandboxUnavailable("no rung")

    with pytest.raises(SandboxUnavailable):
        bind([Ref("length", "use", {})], host, broken)


def test_issues_of_the_text_and_of_the_binding_come_together_with_their_marks(host):
    text = HEAD + (
        "    - {ref: length, weight: x, params: {mots: 1}}\n"
        "    - {ref: shuot, wieght: 1}\n"
        "    - ref: shout\n"
        "      sandbox: {minIsolation: namespaced}\n"
        "    - {ref: length, metric: word, params: {unit: word}}\n"
        "  flor: 1\n"
    )
    with pytest.raises(SpecError) as caught:
        load_and_bind(text, RewardSpec, host=host, tools=no_tools)
    assert [one.split(": ")[0] for one in caught.value.issues] == [
        "<spec>:6:29",  # weight
        "<spec>:6:41",  # params.mots
        "<spec>:7:13",  # ref
        "<spec>:7:20",  # wieght
        "<spec>:9:31",  # minIsolation
        "<spec>:10:7",  # the name, which is that of the first
        "<spec>:10:50",  # params.unit
        "<spec>:11:3",  # flor
    ]


def test_a_bare_string_is_marked_where_it_stands(host):
    with pytest.raises(SpecError) as caught:
        load_and_bind(HEAD + "    - shout\n    - shuot\n", RewardSpec, host=host, tools=no_tools)
    assert caught.value.issues[0].startswith("<spec>:7:7: spec.components[1].ref: no evaluator")


def test_a_metric_is_checked_beside_params_that_are_wrong(host):
    ref = Ref("runs-code", "use", {"x": 1}, metric="odd", path=("spec", "components", 0))
    with pytest.raises(SpecError) as caught:
        bind([ref], host, no_tools)
    assert len(caught.value.issues) == 2


def test_a_good_spec_gives_its_document_and_its_bounds(host):
    spec = {"components": ["shout", {"ref": "fakes:length", "name": "size"}]}
    document, bounds = load_and_bind(spec, RewardSpec, host=host, tools=no_tools)
    assert document.fingerprint == load(spec, RewardSpec).fingerprint
    assert [(one.name, one.by.evaluator) for one in bounds] == [
        ("shout", "fakes:shout"),
        ("size", "fakes:length"),
    ]
