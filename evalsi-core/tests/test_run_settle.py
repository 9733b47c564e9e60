"""A target that leaves something open: it is settled before anything is asked, and then held to."""

import json

import pytest
from run_fakes import Settles
from run_kit import document, go, host, rows

from evalsi.core import DataError, SpecError
from evalsi.core.run import run
from evalsi.core.run.plan import checked

HUB = {"connector": "settles", "weights": "owner/name"}


def said(out):
    return rows(out)[0]["output"]["text"]


def test_what_was_settled_is_asked_and_stands_in_the_result(tmp_path):
    out = tmp_path / "result.json"
    go(["a"], "finish", out=out, target=HUB)
    assert said(out) == "owner/name first"
    found = document(out)
    assert found["target"]["revision"] == "first"
    assert "revision" not in found["spec"]["spec"]["target"]


def test_a_run_does_not_go_on_with_other_weights(tmp_path, monkeypatch):
    out = tmp_path / "result.json"
    go(["a"], "finish", out=out, target=HUB)
    monkeypatch.setattr(Settles, "now", "second")
    with pytest.raises(DataError, match=r"another target \(.* first, now .* second\)"):
        go(["a"], "finish", out=out, target=HUB)


def test_what_cannot_be_settled_is_an_issue_of_the_spec():
    with pytest.raises(SpecError, match=r"target: runs:settles: the hub has no such weights"):
        go(["a"], "finish", target={"connector": "settles", "weights": "gone"})


def test_a_spec_is_checked_without_settling():
    body = {
        "target": {"connector": "settles", "weights": "gone"},
        "dataset": {"inline": {"records": [{"input": "a"}]}},
        "evaluators": [{"ref": "finish"}],
    }
    assert checked(body, host=host()).target.row["weights"] == "gone"


@pytest.mark.parametrize("name", ["owner/name", "x" * 300, "a\0b"], ids=["hub", "long", "nul"])
def test_what_is_no_file_beside_the_spec_stays_a_name(tmp_path, name):
    assert beside(tmp_path, name) == f"{name} first"


def test_what_is_a_file_beside_the_spec_is_that_file(tmp_path):
    folder = tmp_path / "owner" / "name"
    folder.mkdir(parents=True)
    assert beside(tmp_path, "owner/name") == f"{folder} first"


def beside(folder, name):
    """What the target says whose weights a spec in that folder names."""
    spec, out = folder / "spec.json", folder / "result.json"
    body = {
        "target": {"connector": "settles", "weights": name},
        "dataset": {"inline": {"records": [{"input": "a"}]}},
        "evaluators": [{"ref": "finish"}],
    }
    head = {"apiVersion": "evals.si/v1alpha1", "kind": "EvalRun", "metadata": {"name": "r"}}
    spec.write_text(json.dumps({**head, "spec": body}))
    run(spec, out=out, host=host())
    return said(out)
