"""mlflow:<model> against a real MLflow server on loopback, which proxies its artifacts."""

import pytest
from stores_kit import MODEL

from evalsi.core.errors import SpecError
from evalsi.training.sources import Cache, SourceError, fetched, source_at
from evalsi.training.sources.mlflow import RegisteredModel


def test_the_step_is_the_tag_else_the_number(registry):
    assert registry.scan() == []
    registry.version(step=200)
    registry.version()
    registry.version(step=100)

    name = registry.location
    assert registry.scan() == [(2, f"{name}/2"), (100, f"{name}/3"), (200, f"{name}/1")]
    assert registry.scan({2, 200}) == [(100, f"{name}/3")]


def test_of_two_versions_of_one_step_the_newer_counts(registry):
    registry.version(step=100)
    registry.version(step=100)

    assert registry.scan() == [(100, f"{registry.location}/2")]


def test_a_tag_that_is_no_number_is_no_step(registry):
    registry.version(step="last")

    assert registry.scan() == []


def test_a_version_that_is_not_ready_is_left_out(registry, mlflow_server):
    import sqlite3

    registry.version(step=100)
    registry.version(step=200)
    with sqlite3.connect(mlflow_server.folder / "store.db") as store:  # no client can set it
        store.execute(
            "UPDATE model_versions SET status = 'PENDING_REGISTRATION'"
            " WHERE name = ? AND version = 2",
            (registry.name,),
        )

    assert [step for step, _ in registry.scan()] == [100]


def test_every_page_of_versions_is_read(registry, monkeypatch):
    for step in (1, 2, 3):
        registry.version(step=step)
    source = RegisteredModel(registry.location)
    search = source._client.search_model_versions
    monkeypatch.setattr(
        source._client, "search_model_versions", lambda *a, **k: search(*a, max_results=1, **k)
    )

    assert [one.step for one in source.scan()] == [1, 2, 3]


def test_proxied_artifacts_are_downloaded_through_the_server(registry, tmp_path):
    number = registry.version(step=100, files={**MODEL, "optimizer.pt": b"x", "runs/a.json": b"x"})
    cache = Cache(tmp_path / "cache")

    with fetched(f"{registry.location}/{number}", cache) as folder:
        from pathlib import Path

        assert folder.startswith(str(cache.folder))
        assert {path.name: path.read_bytes() for path in Path(folder).iterdir()} == MODEL


def test_a_server_that_disappears_is_a_source_error_and_comes_back(
    registry, mlflow_server, tmp_path
):
    number = registry.version(step=100)
    source = RegisteredModel(registry.location)
    cache = Cache(tmp_path / "cache")
    mlflow_server.stop()
    try:
        with pytest.raises(SourceError, match=registry.location):
            source.scan()
        with pytest.raises(SourceError), fetched(f"{registry.location}/{number}", cache):
            pass
    finally:
        mlflow_server.start()

    assert [one.step for one in source.scan()] == [100]


def test_a_version_that_is_not_there_is_a_source_error(registry, tmp_path):
    with (
        pytest.raises(SourceError, match=f"{registry.location}/9"),
        fetched(f"{registry.location}/9", Cache(tmp_path / "cache")),
    ):
        pass


@pytest.mark.parametrize(
    ("location", "options", "told"),
    [
        ("mlflow:m", {"settle": 1.0}, "takes no --settle"),
        ("mlflow:m", {"marker": "DONE"}, "takes no --marker"),
        ("mlflow:m/3", {}, "to watch, name the model alone"),
        ("mlflow:a'b", {}, "write mlflow:<model>"),
    ],
)
def test_what_it_does_not_take_is_refused(registry, location, options, told):
    with pytest.raises(SpecError, match=told):
        source_at(location, **options)


def test_without_a_server_it_is_refused(monkeypatch):
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)

    with pytest.raises(SpecError, match="set MLFLOW_TRACKING_URI"):
        source_at("mlflow:m")
