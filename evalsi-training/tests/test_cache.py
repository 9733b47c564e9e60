"""The cache of downloads: whole or not there, bounded, and safe with several processes."""

import fcntl
import hashlib
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from evalsi.training import ServingError
from evalsi.training.sources import Cache, SourceError
from evalsi.training.sources.entries import held, remove
from evalsi.training.sources.files import RemoteFile

MIB = 1024 * 1024


class Store:
    """Files that are asked for, and how often."""

    def __init__(self, *sizes, version="1"):
        self.contents = {f"part-{number}.bin": b"x" * size for number, size in enumerate(sizes)}
        self.files = {name: RemoteFile(len(data), version) for name, data in self.contents.items()}
        self.fetched = 0

    def fetch(self, names, into):
        self.fetched += 1
        for name in names:
            (into / name).write_bytes(self.contents[name])


def bring(cache, store, location="s3://b/checkpoint-1"):
    """Has a checkpoint downloaded, and lets go of it."""
    with cache.holding(location, store.files, store.fetch) as place:
        return place


def entries(cache):
    """What is in a cache, without locks."""
    kept = (path for path in cache.folder.iterdir() if path.suffix != ".lock")
    return sorted(place.name for path in kept if path.is_dir() for place in path.iterdir())


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path / "cache", max_gib=10 * MIB / 1024**3)


def test_a_download_lies_under_its_own_name_and_is_there_the_next_time(cache):
    store = Store(3, 5)

    place = bring(cache, store)

    assert place.name == "checkpoint-1"
    assert {path.name: path.read_bytes() for path in place.iterdir()} == store.contents
    assert bring(cache, store) == place
    assert store.fetched == 1


@pytest.mark.parametrize(
    ("location", "name"),
    [
        ("mlflow:my-model/3", "3"),
        ("hf://owner/name@step-100", "name@step-100"),
        ("s3://bucket/..", "checkpoint"),
        ("s3://bucket/a\nb", "a_b"),
        ("s3://bucket/checkpoint-1/", "checkpoint-1"),
    ],
)
def test_a_folder_is_named_by_the_last_part_of_its_location_and_stays_in_the_cache(
    cache, location, name
):
    place = bring(cache, Store(1), location)

    assert place.name == name
    assert place.resolve().parent.parent == cache.folder.resolve()


def test_the_place_is_the_users_cache_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    assert Cache().folder == tmp_path / "evalsi" / "checkpoints"


def test_another_version_is_another_entry(cache):
    old, new = Store(3, version="1"), Store(3, version="2")

    assert bring(cache, old) != bring(cache, new)
    assert new.fetched == 1


def test_the_least_recently_used_goes_first(cache):
    for number in (1, 2, 3):
        bring(cache, Store(3 * MIB), f"s3://b/checkpoint-{number}")
        time.sleep(0.02)
    bring(cache, Store(3 * MIB), "s3://b/checkpoint-1")

    bring(cache, Store(3 * MIB), "s3://b/checkpoint-4")

    assert entries(cache) == ["checkpoint-1", "checkpoint-3", "checkpoint-4"]


def test_what_is_in_use_is_never_removed(cache):
    store = Store(6 * MIB)
    with cache.holding("s3://b/checkpoint-1", store.files, store.fetch) as place:
        bring(cache, Store(6 * MIB), "s3://b/checkpoint-2")
        assert (place / "part-0.bin").stat().st_size == 6 * MIB

    bring(cache, Store(1), "s3://b/checkpoint-3")
    assert entries(cache) == ["checkpoint-2", "checkpoint-3"]


def test_one_that_is_larger_than_the_bound_is_there_while_it_is_used(cache):
    bring(cache, Store(1), "s3://b/checkpoint-1")

    place = bring(cache, Store(11 * MIB), "s3://b/checkpoint-2")

    assert place.is_dir()
    assert entries(cache) == ["checkpoint-2"]


def test_one_that_the_disk_has_no_room_for_is_refused_before_it_is_fetched(cache):
    store = Store(1)
    store.files = {"part-0.bin": RemoteFile(10**18)}

    with pytest.raises(SourceError, match=r"GiB left, and checkpoint-1 takes .*--cache-dir"):
        bring(cache, store)

    assert store.fetched == 0


@pytest.mark.parametrize("data", [b"", b"x", b"xxxxxx"])
def test_a_file_of_another_size_is_no_checkpoint(cache, data):
    store = Store(3)
    store.contents["part-0.bin"] = data

    with pytest.raises(SourceError, match=r"part-0\.bin did not come with 3 bytes"):
        bring(cache, store)

    assert not [path for path in cache.folder.iterdir() if path.name != "room"]


def test_a_file_with_another_digest_is_no_checkpoint(cache):
    store = Store(3)
    digest = hashlib.sha256(b"yyy").hexdigest()
    store.files = {"part-0.bin": RemoteFile(3, "", ("sha256", digest))}

    with pytest.raises(ServingError, match="did not come with the sha256"):
        bring(cache, store)
    store.contents["part-0.bin"] = b"yyy"
    assert bring(cache, store).is_dir()


def test_a_fetch_that_fails_leaves_nothing_and_is_tried_again(cache):
    store = Store(3)

    def fails(names, into):
        (into / "part-0.bin").write_bytes(b"x")
        raise SourceError("the store is gone")

    with (
        pytest.raises(SourceError, match="the store is gone"),
        cache.holding("s3://b/checkpoint-1", store.files, fails),
    ):
        pass

    assert entries(cache) == []
    assert bring(cache, store).is_dir()


def test_an_entry_that_lost_a_file_is_fetched_again(cache):
    store = Store(3, 5)
    (bring(cache, store) / "part-0.bin").unlink()

    assert (bring(cache, store) / "part-0.bin").read_bytes() == b"xxx"
    assert store.fetched == 2


def test_what_cannot_be_written_is_a_source_error_that_names_the_cache(tmp_path):
    (tmp_path / "file").touch()

    with pytest.raises(SourceError, match=f"the cache {tmp_path}/file/cache"):
        bring(Cache(tmp_path / "file" / "cache"), Store(1))


def test_two_that_want_one_checkpoint_have_it_fetched_once(cache):
    store = Store(3)
    begun = threading.Event()

    def slow(names, into):
        begun.set()
        time.sleep(0.2)
        store.fetch(names, into)

    def first():
        with cache.holding("s3://b/checkpoint-1", store.files, slow):
            pass

    thread = threading.Thread(target=first)
    thread.start()
    begun.wait(5)
    place = bring(cache, store)
    thread.join()

    assert (place / "part-0.bin").read_bytes() == b"xxx"
    assert store.fetched == 1


CHILD = """
import sys, time
from pathlib import Path
from evalsi.training.sources import Cache
from evalsi.training.sources.files import RemoteFile

def fetch(names, into):
    for name in names:
        with (into / name).open("wb") as file:
            for _ in range(40):
                file.write(b"x" * 25_000)
                file.flush()
                time.sleep(0.001)

cache = Cache(sys.argv[1], max_gib=float(sys.argv[2]))
for number in range(int(sys.argv[3]), int(sys.argv[4])):
    files = {"part-0.bin": RemoteFile(1_000_000, "1")}
    with cache.holding(f"s3://b/checkpoint-{number % 5}", files, fetch) as place:
        print(number, flush=True)
        assert place.joinpath("part-0.bin").stat().st_size == 1_000_000
        time.sleep(0.01)
        assert place.joinpath("part-0.bin").read_bytes() == b"x" * 1_000_000
"""


def child(cache, first, last, gib=10.0):
    words = [str(cache.folder), str(gib), str(first), str(last)]
    where = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, *words], env=where, stdout=subprocess.PIPE, text=True
    )


def await_half(cache):
    """Until a download is under way."""
    deadline = time.monotonic() + 30
    while not list(cache.folder.glob("*.half/*/part-0.bin")):
        assert time.monotonic() < deadline
        time.sleep(0.002)


def test_a_kill_during_a_download_leaves_nothing_half_and_the_next_start_sweeps_it(cache):
    with child(cache, 1, 2) as process:
        await_half(cache)
        process.send_signal(signal.SIGKILL)
    assert list(cache.folder.glob("*.half"))

    bring(cache, Store(3), "s3://b/checkpoint-9")

    assert entries(cache) == ["checkpoint-9"]
    assert len(list(cache.folder.glob("*.lock"))) == 1


def test_a_kill_during_a_download_is_never_taken_for_a_whole_checkpoint(cache):
    with child(cache, 1, 2) as process:
        await_half(cache)
        process.send_signal(signal.SIGKILL)

    with child(cache, 1, 2) as process:
        assert process.communicate(timeout=60)[0].split() == ["1"]

    assert process.returncode == 0


def test_processes_that_push_each_other_out_always_see_whole_checkpoints(cache):
    room_for_two = 2.1e6 / 1024**3
    running = [child(cache, first, first + 12, room_for_two) for first in range(3)]

    told = [process.communicate(timeout=60)[0].split() for process in running]

    assert [process.returncode for process in running] == [0, 0, 0]
    assert [len(lines) for lines in told] == [12, 12, 12]
    assert not list(cache.folder.glob("*.half"))


def test_who_waited_for_an_entry_that_was_removed_holds_a_lock_that_others_see(tmp_path):
    path = tmp_path / "key.lock"
    got = []
    mine = held(path, fcntl.LOCK_EX)
    waiting = threading.Thread(target=lambda: got.append(held(path, fcntl.LOCK_EX)))
    waiting.start()
    time.sleep(0.2)
    remove(path)
    mine.close()
    waiting.join(5)

    with got[0], pytest.raises(BlockingIOError):
        held(path, fcntl.LOCK_EX | fcntl.LOCK_NB)
