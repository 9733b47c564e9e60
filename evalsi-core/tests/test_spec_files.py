"""Params that are files: found beside the spec, known by their content, refused at their line."""

import importlib
import os
from pathlib import Path

import pytest

from evalsi.core import SpecError, Tools
from evalsi.core.plugins import PluginHost
from evalsi.core.reward.spec import RewardSpec
from evalsi.core.spec import load_and_bind
from evalsi.core.spec.files import content_digest

SPEC = """\
apiVersion: evals.si/v1alpha1
kind: RewardSpec
metadata: {name: r}
spec:
  components:
    - ref: word-list
      params:
        path: words.txt
"""


@pytest.fixture
def spec(tmp_path):
    (tmp_path / "words.txt").write_text("one two")
    path = tmp_path / "spec.yaml"
    path.write_text(SPEC)
    return path


def bound(source, **options):
    host = PluginHost([importlib.import_module("spec_fakes.plugin")])
    options = {"host": host, "tools": lambda ref, needs: Tools(), **options}
    _, (one,) = load_and_bind(source, RewardSpec, **options)
    return one


def refused(spec, words=None, **changes):
    if words is not None:
        spec.with_name("words.txt").write_text(words)
    for before, after in changes.items():
        spec.write_text(spec.read_text().replace(before, after))
    with pytest.raises(SpecError) as caught:
        bound(spec)
    (issue,) = caught.value.issues
    return issue


def test_a_relative_path_starts_beside_the_spec(spec):
    assert bound(spec).settings["path"] == str(spec.with_name("words.txt"))


def test_an_absolute_path_stays_what_it_is(spec, tmp_path):
    elsewhere = tmp_path / "folder"
    elsewhere.mkdir()
    moved = elsewhere / "spec.yaml"
    moved.write_text(SPEC.replace("words.txt", str(tmp_path / "words.txt")))
    assert bound(moved).instance.words == ["one", "two"]


def test_the_path_of_a_mapping_starts_in_the_working_folder_of_that_moment(spec, monkeypatch):
    monkeypatch.chdir(spec.parent)
    given = bound({"components": [{"ref": "word-list", "params": {"path": "words.txt"}}]})
    assert Path(given.settings["path"]).is_absolute()
    assert given.instance.words == ["one", "two"]


def test_a_mapping_may_say_where_its_paths_start(spec):
    given = {"components": [{"ref": "word-list", "params": {"path": "words.txt"}}]}
    assert bound(given, folder=spec.parent).instance.words == ["one", "two"]


def test_a_path_that_is_left_out_is_none(spec):
    assert bound(spec).settings["more"] is None


def test_the_digest_is_of_the_content_and_not_of_the_place(spec, tmp_path):
    first = bound(spec).by.params
    spec.parent.joinpath("copy").mkdir()
    for file in (spec, spec.with_name("words.txt")):
        spec.parent.joinpath("copy", file.name).write_bytes(file.read_bytes())
    assert bound(spec.parent / "copy" / "spec.yaml").by.params == first


def test_another_content_is_another_digest(spec):
    first = bound(spec).by.params
    spec.with_name("words.txt").write_text("one six")
    assert bound(spec).by.params != first


def test_the_file_counts_where_the_evaluator_is_made_elsewhere(spec):
    spec.write_text(SPEC.replace("words.txt", "words.txt\n        bounded: false"))
    first = bound(spec)
    spec.with_name("words.txt").write_text("one six")
    assert first.instance is None
    assert bound(spec).by.params != first.by.params


def test_the_file_of_an_evaluator_that_is_made_elsewhere_must_be_there(spec):
    spec.write_text(SPEC.replace("words.txt", "none.txt\n        bounded: false"))
    with pytest.raises(SpecError, match=r'path is "none.txt"; .*: No such file or directory'):
        bound(spec)


def test_a_file_that_is_not_there_is_refused_at_its_line(spec):
    issue = refused(spec, **{"words.txt": "none.txt"})
    place = spec.with_name("none.txt")
    told = f'spec.components[0].params.path is "none.txt"; {place}: No such file or directory'
    assert issue.startswith(f"{spec}:8:15: {told}")


def test_a_pipe_is_refused_and_not_waited_for(spec):
    os.mkfifo(spec.with_name("pipe"))
    assert "it is no file" in refused(spec, **{"words.txt": "pipe"})


def test_a_folder_is_refused(spec):
    assert "it is no file" in refused(spec, **{"words.txt": "."})


def test_a_file_that_the_constructor_refuses_is_refused_at_its_line(spec):
    issue = refused(spec, words=" ")
    told = f"fakes:word-list cannot be made: {spec.with_name('words.txt')} holds no words"
    assert issue.startswith(f"{spec}:8:15: spec.components[0].params.path: {told}")


def test_another_error_of_the_constructor_is_refused_at_the_params(spec):
    issue = refused(spec, words="bad")
    told = "fakes:word-list cannot be made: ValueError: a bad word"
    assert issue.startswith(f"{spec}:8:9: spec.components[0].params: {told}")


def test_a_digest_follows_the_file_and_reads_it_once(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_text("a")
    first = content_digest(path)
    monkeypatch.setattr(Path, "open", None)
    assert content_digest(path) == first
    monkeypatch.undo()
    path.write_text("b")
    assert content_digest(path) != first
