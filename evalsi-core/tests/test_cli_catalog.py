"""`evalsi catalog`: what an evaluator says about itself, read off its class and model."""

import importlib

import pytest
from click.testing import CliRunner

from evalsi.core.cli.root import root
from evalsi.core.plugins import PluginHost
from evalsi.core.spec.catalog import entry


@pytest.fixture(scope="module")
def host():
    return PluginHost([importlib.import_module("spec_fakes.plugin")])


def entry_of(host, name):
    return entry(host, host.find("evaluator", name))


def test_an_entry_has_the_origin_and_the_classs_own_words(host):
    found = entry_of(host, "length")
    assert (found["name"], found["distribution"], found["version"]) == (
        "fakes:length",
        "spec-fakes",
        "1.2.3",
    )
    assert found["doc"] == "The length of the completion.\n\nSkipped when it is empty."


def test_an_entry_has_every_param_with_type_default_and_doc(host):
    params = entry_of(host, "length")["params"]
    assert params[0] == {
        "name": "most",
        "type": "whole number",
        "needed": False,
        "default": 100,
        "doc": "The greatest length.",
    }
    assert {param["name"]: param["type"] for param in params} == {
        "most": "whole number",
        "least": "whole number",
        "unit": "words | characters",
        "scale": "number",
        "names": "list of text",
        "strict": "true or false",
        "either": "whole number or list of whole number",
    }


def test_what_hangs_on_the_params_is_said_to(host):
    found = entry_of(host, "length")
    assert (found["reads"], found["bounded"]) == ("by params", "by params")
    assert found["metrics"] == {"length": "neither", "words": "lower"}


def test_an_evaluator_without_params_has_none(host):
    found = entry_of(host, "runs-code")
    assert (found["params"], found["needs"], found["reads"]) == (
        [],
        ["sandbox"],
        ["output", "metadata"],
    )


@pytest.mark.parametrize(
    ("name", "told"),
    [("unimportable", "a_library_that_is_not_there"), ("silent", "has no method that scores")],
)
def test_an_evaluator_that_cannot_be_used_is_listed_with_the_reason(host, name, told):
    assert told in entry_of(host, name)["error"]


def test_an_unknown_name_is_a_usage_error():
    ended = CliRunner().invoke(root, ["catalog", "no-such-evaluator"])
    assert ended.exit_code == 2
    assert 'no evaluator is named "no-such-evaluator"' in ended.output


def test_the_json_form_is_one_list():
    import json

    ended = CliRunner().invoke(root, ["catalog", "--json"])
    assert ended.exit_code == 0
    assert isinstance(json.loads(ended.stdout), list)
