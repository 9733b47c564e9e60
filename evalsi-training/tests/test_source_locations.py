"""Which source watches a location, and what it is given."""

import sys

import pytest
from click.testing import CliRunner
from training_kit import QUESTIONS, spec

from evalsi.core.errors import SpecError
from evalsi.training.cli.watch import watch as watch_command
from evalsi.training.sources import Directory, Found, source_at
from evalsi.training.sources.locations import scheme_of


@pytest.mark.parametrize(
    ("location", "scheme"),
    [
        ("out", None),
        ("/abs/out", None),
        ("./mlflow:model", None),
        ("C:\\out", None),
        ("c:/out", None),
        ("s3://bucket/run", "s3"),
        ("mlflow:model", "mlflow"),
        ("acme+ssh://host/run", "acme+ssh"),
    ],
)
def test_a_scheme_is_what_stands_before_a_colon(location, scheme):
    assert scheme_of(location) == scheme


def test_a_path_with_a_colon_that_is_there_is_a_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("mlflow:model", "acme:7", "run:2"):
        (tmp_path / name).mkdir()

        assert isinstance(source_at(name), Directory)


def test_a_directory_need_not_be_there(tmp_path):
    assert isinstance(source_at(str(tmp_path / "out"), settle=1.0), Directory)


@pytest.mark.parametrize("location", ["acme:7", "acme://7"])
def test_a_strangers_source_is_taken_by_its_name(location):
    source = source_at(location, settle=None, marker="DONE")

    assert (source.location, source.marker) == (location, "DONE")
    assert source.scan(frozenset()) == [Found(7, "checkpoint-7")]


def test_an_option_that_a_source_does_not_take_is_refused():
    with pytest.raises(SpecError, match=r"acme:7 is watched by .*acme, which takes no --settle"):
        source_at("acme:7", settle=1.0, marker="DONE")


def test_a_scheme_that_nobody_knows_is_no_directory():
    with pytest.raises(SpecError, match=r'no source is named "mlfow".*\./mlfow:my-model'):
        source_at("mlfow:my-model")


@pytest.mark.parametrize(
    ("location", "extra"),
    [
        ("s3://bucket/run", "'evalsi-training[s3]'"),
        ("gs://bucket/run", "'evalsi-training[gs]'"),
        ("hf://owner/name", "'evalsi-training[hf]'"),
        ("mlflow:model", "'evalsi-training[mlflow]'"),
        ("sftp://host/run", "fsspec, and what it asks for"),
    ],
)
def test_a_library_that_is_missing_is_named(monkeypatch, location, extra):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
    for module in ("fsspec", "fsspec.core", "huggingface_hub.constants", "mlflow"):
        monkeypatch.setitem(sys.modules, module, None)

    with pytest.raises(SpecError) as raised:
        source_at(location)

    assert str(raised.value).endswith(f"is not installed: pip install {extra}")


def test_watch_takes_a_strangers_source(tmp_path, server):
    server.knows = {"checkpoint-7": set(QUESTIONS)}

    done = watch(tmp_path, server, "acme:7")

    assert done.exit_code == 0, done.output
    assert "7     1.000" in done.stdout


def test_watch_refuses_what_a_source_does_not_take(tmp_path, server):
    done = watch(tmp_path, server, "acme:7", "--settle", "1")

    assert done.exit_code == 2
    assert "takes no --settle" in done.output


def watch(tmp_path, server, location, *words):
    path = spec(tmp_path / "spec.json")
    words = ["-f", str(path), "--training-run", "r", "--log-dir", str(tmp_path / "l"), *words]
    words += ["--serve", "endpoint", "--base-url", server.base_url, "--once"]
    return CliRunner().invoke(watch_command, [location, *words])
