"""Which checkpoints a place in a store holds, and what is downloaded of one."""

from pathlib import Path

import pytest
from stores_kit import MODEL, Clock, index, steps

from evalsi.core.errors import SpecError
from evalsi.training.sources import Cache, SourceError, fetched, source_at
from evalsi.training.sources.fsspec import Remote, StoreFolder, opened


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path / "cache")


def test_a_place_with_nothing_under_it_holds_nothing_yet(place):
    source = place.source()
    assert steps(source) == []

    place.model("checkpoint-1")

    assert steps(source) == [1]


def test_steps_are_in_the_order_of_their_numbers_and_a_late_older_one_is_found(place):
    for name in ("checkpoint-1000", "global_step_20", "checkpoint-last", "runs"):
        place.model(name)
    source = place.source()
    assert steps(source) == [20, 1000]

    place.model("step-3")

    assert steps(source) == [3, 20, 1000]
    assert steps(source, {20, 1000}) == [3]


def test_a_half_written_one_waits_for_its_last_shard(place):
    shards = ["model-1-of-2.safetensors", "model-2-of-2.safetensors"]
    place.put("checkpoint-1/config.json", b"{}")
    place.put(f"checkpoint-1/{shards[0]}")
    source = place.source()
    assert (steps(source), source.unsettled) == ([], False)
    place.put("checkpoint-1/model.safetensors.index.json", index(*shards))
    assert steps(source) == []

    place.put(f"checkpoint-1/{shards[1]}")

    assert steps(source) == [1]


def test_a_trainers_state_alone_is_none(place):
    place.model("checkpoint-400", {"config.json": b"{}", "optimizer.pt": b"x"})

    assert steps(place.source()) == []


def test_an_adapter_is_one(place):
    place.model("checkpoint-4", {"adapter_config.json": b"{}", "adapter_model.safetensors": b"x"})

    assert steps(place.source()) == [4]


def test_a_model_that_verl_saved_within_a_checkpoint_is_one(place, cache):
    place.model("global_step_4/actor/huggingface")
    place.put("global_step_4/actor/model_world_size_1_rank_0.pt")

    (found,) = place.source().scan()

    assert (found.step, found.location.rpartition("/actor/")[2]) == (4, "huggingface")
    above = found.location.removesuffix("/actor/huggingface")
    for location in (found.location, above):  # as `watch` finds it, and as `eval` is given it
        with fetched(location, cache) as folder:
            assert {path.name for path in _files(folder)} == set(MODEL)


def test_it_must_have_been_the_same_for_a_while_by_a_clock_that_nobody_sets(place):
    clock = Clock()
    place.model("checkpoint-1")
    source = place.source(settle=30, clock=clock)
    assert (steps(source), source.unsettled) == ([], True)
    clock.now = 29
    place.put("checkpoint-1/optimizer.pt")
    assert steps(source) == []
    clock.now = 58
    assert steps(source) == []
    clock.now = 59

    assert (steps(source), source.unsettled) == ([1], False)


def test_new_content_of_the_same_size_settles_anew(place):
    clock = Clock()
    place.model("checkpoint-1")
    source = place.source(settle=30, clock=clock)
    assert steps(source) == []
    clock.now = 30
    place.put("checkpoint-1/model.safetensors", b"WEIGHTS")

    assert steps(source) == []
    clock.now = 60
    assert steps(source) == [1]


def test_a_marker_says_that_it_is_done(place):
    place.model("checkpoint-1")
    source = place.source(settle=30, marker="STABLE")
    assert steps(source) == []

    place.put("checkpoint-1/STABLE", b"")

    assert steps(source) == [1]


def test_one_that_is_deleted_and_written_anew_settles_anew(place):
    clock = Clock()
    place.model("checkpoint-1")
    place.model("checkpoint-2")
    source = place.source(settle=30, clock=clock)
    steps(source)
    clock.now = 30
    assert steps(source) == [1, 2]
    place.remove("checkpoint-1")
    assert steps(source) == [2]

    place.model("checkpoint-1")

    assert (steps(source), source.unsettled) == ([2], True)


def test_what_serving_needs_is_downloaded_once(place, cache):
    place.model("checkpoint-1", {**MODEL, "optimizer.pt": b"x", "global_step1/states.pt": b"x"})
    location = place.source().scan()[0].location

    with fetched(location, cache) as folder:
        assert folder.startswith(f"{cache.folder}/")
        assert folder.endswith("/checkpoint-1")
        assert {path.name: path.read_bytes() for path in _files(folder)} == MODEL
    place.remove("checkpoint-1/optimizer.pt")
    with fetched(location, cache) as again:
        assert again == folder


def test_a_checkpoint_that_changed_is_downloaded_anew(place, cache):
    place.model("checkpoint-1")
    location = place.source().scan()[0].location
    with fetched(location, cache) as old:
        pass
    place.put("checkpoint-1/model.safetensors", b"WEIGHTS")

    with fetched(location, cache) as new:
        assert new != old
        assert (_files(new)[1]).read_bytes() == b"WEIGHTS"


def test_one_that_changes_while_it_is_downloaded_is_refused(place, tmp_path):
    class Meanwhile(Cache):
        def holding(self, *given):  # between the listing and the download
            place.put("checkpoint-1/model.safetensors", b"WEIGHTS")
            return super().holding(*given)

    place.model("checkpoint-1")
    location = place.source().scan()[0].location
    cache = Meanwhile(tmp_path / "cache")

    with (
        pytest.raises(SourceError, match="changed while it was downloaded"),
        fetched(location, cache),
    ):
        pass
    assert not list(cache.folder.glob("*/checkpoint-1"))


def test_one_that_is_gone_is_a_source_error(place, cache):
    place.model("checkpoint-1")
    place.model("checkpoint-2")
    location = place.source().scan()[0].location
    place.remove("checkpoint-1")

    with pytest.raises(SourceError, match="checkpoint-1 is not there"), fetched(location, cache):
        pass


def test_content_that_is_not_what_s3_has_a_checksum_of_is_refused(s3, cache):
    import boto3
    from moto.core import DEFAULT_ACCOUNT_ID
    from moto.s3.models import s3_backends

    s3.model("checkpoint-1")
    key = f"{s3.path.partition('/')[2]}/checkpoint-1/model.safetensors"
    boto3.client("s3").put_object(
        Bucket="bucket", Key=key, Body=b"weights", ChecksumAlgorithm="SHA256"
    )
    location = s3.source().scan()[0].location
    held = s3_backends[DEFAULT_ACCOUNT_ID]["aws"].buckets["bucket"].keys[key]
    held._value_buffer.seek(0)
    held._value_buffer.write(b"WEIGHTS")  # as a disk that rots

    with pytest.raises(SourceError, match="FlexibleChecksumError"), fetched(location, cache):
        pass


def test_names_that_lead_out_of_the_checkpoint_are_not_followed(s3, cache, tmp_path):
    s3.model("checkpoint-1")
    for name in ("../../evil.json", "/etc/evil.json", "..", "a/../../../evil.json", "\\..\\e.json"):
        _put_raw(s3, f"{s3.path.partition('/')[2]}/checkpoint-1/{name}")
    location = s3.source().scan()[0].location
    listed = StoreFolder(*opened(location)).files()
    assert len([name for name in listed if "evil" in name or "e.json" in name]) >= 3, listed

    with fetched(location, cache) as folder:
        assert sorted(path.name for path in _files(folder)) == sorted(MODEL)
    assert not list(tmp_path.rglob("*evil*"))
    assert not list(tmp_path.rglob("e.json"))


def test_a_link_in_a_store_of_files_is_copied_as_a_file(file, cache, tmp_path):
    file.model("checkpoint-1")
    secret = tmp_path / "elsewhere.json"
    secret.write_bytes(b"{}")
    (tmp_path / "store/run/checkpoint-1/generation_config.json").symlink_to(secret)
    location = file.source().scan()[0].location

    with fetched(location, cache) as folder:
        assert not [path for path in _files(folder) if path.is_symlink()]


@pytest.mark.parametrize("url", ["s3://no-such-bucket/run", "gs://no-such-bucket/run"])
def test_a_bucket_that_is_not_there_is_a_source_error(url, s3, gs):
    with pytest.raises(SourceError, match="no-such-bucket"):
        Remote(url).scan()


def test_a_store_that_disappears_is_a_source_error_and_comes_back(s3, s3_server, cache):
    s3.model("checkpoint-1")
    source = s3.source()
    location = source.scan()[0].location
    s3_server.stop()
    try:
        with pytest.raises(SourceError, match="s3://bucket"):
            source.scan()
        with pytest.raises(SourceError), fetched(location, cache):
            pass
    finally:
        s3_server.start()

    assert steps(source) == [1]
    with fetched(location, cache) as folder:
        assert len(_files(folder)) == len(MODEL)


@pytest.mark.parametrize("scheme", ["s3", "gs", "memory", "file"])
def test_watch_picks_the_source_by_the_scheme(scheme, request):
    found = source_at(request.getfixturevalue(scheme).url, settle=1.0, marker=None)

    assert type(found) is Remote
    assert found.settle == 1


def test_a_password_in_a_location_is_refused_and_not_repeated():
    with pytest.raises(SpecError, match="holds a password") as raised:
        source_at("ftp://me:secret@127.0.0.1/run")

    assert "secret" not in str(raised.value)


def test_a_protocol_that_fsspec_does_not_know_is_refused():
    with pytest.raises(SpecError, match=r"nosuch://host/run cannot be opened"):
        source_at("nosuch://host/run")


def _files(folder):
    return sorted(Path(folder).iterdir())


def _put_raw(s3, key):
    import boto3

    boto3.client("s3").put_object(Bucket="bucket", Key=key, Body=b"evil")
