"""A watch over a store, from the upload to the curve."""

import os
import signal
import subprocess
import sys
import time

import pytest
from stores_kit import MODEL, steps
from training_kit import QUESTIONS, spec

from evalsi.training import CheckpointEvaluator
from evalsi.training.sources import Cache
from evalsi.training.watching import TRIES, Watch

KNOWN = set(QUESTIONS)
LARGE = {**MODEL, "model.safetensors": b"w" * 40_000_000}
RUN = "import sys; from evalsi.core.cli import main; sys.argv = ['evalsi', *sys.argv[1:]]; main()"


@pytest.fixture
def knowing(server):
    server.knows = {"base": KNOWN, "checkpoint-10": KNOWN, "checkpoint-20": KNOWN - {"q1"}}
    return server


def command(tmp_path, server, what, *words):
    shared = ["-f", str(spec(tmp_path / "spec.json")), "--training-run", "run"]
    shared += ["--log-dir", str(tmp_path / "logs"), "--cache-dir", str(tmp_path / "cache")]
    shared += ["--serve", "named", "--base-url", server.base_url]
    return [sys.executable, "-c", RUN, "checkpoints", what, *words, *shared]


def started(words, **options):
    where = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen(
        words, env=where, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def ran(words):
    with started(words) as process:
        out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def once(tmp_path, server, url, *words):
    return command(tmp_path, server, "watch", url, "--once", "--settle", "0", *words)


def models(server):
    """What was asked, in order."""
    return list(dict.fromkeys(model for model, _ in server.asked))


def evaluator(tmp_path, server):
    from training_fakes import Named

    return CheckpointEvaluator(
        spec(tmp_path / "spec.json"),
        training_run="run",
        serving=Named(server.base_url),
        log_dir=tmp_path / "logs",
        cache=Cache(tmp_path / "cache"),
    )


def test_both_checkpoints_of_a_bucket_are_evaluated_in_order(s3, knowing, tmp_path):
    s3.model("checkpoint-20")
    s3.model("checkpoint-10")
    s3.model("base")

    code, out, err = ran(once(tmp_path, knowing, s3.url, "--base", f"{s3.url}/base"))

    assert code == 0, err
    assert models(knowing) == ["base", "checkpoint-10", "checkpoint-20"]
    assert "step 10: " in err
    rows = [line.split()[:2] for line in out.splitlines()[1:4]]
    assert rows == [["base", "1.000"], ["10", "1.000"], ["20", "0.975"]]
    kept = evaluator(tmp_path, knowing)._history.read(10)
    assert kept.checkpoint == f"{s3.url}/checkpoint-10"


def test_a_checkpoint_at_a_url_is_evaluated(s3, knowing, tmp_path):
    s3.model("checkpoint-10")
    words = (f"{s3.url}/checkpoint-10", "--step", "10", "--model", "checkpoint-10")

    code, _, err = ran([*command(tmp_path, knowing, "eval", *words), "--serve", "endpoint"])

    assert code == 0, err
    assert models(knowing) == ["checkpoint-10"]


def test_a_checkpoint_that_is_not_there_is_infrastructure_and_nothing_is_kept(
    s3, knowing, tmp_path
):
    words = (f"{s3.url}/checkpoint-10", "--step", "10")

    code, _, err = ran(command(tmp_path, knowing, "eval", *words))

    assert code == 4
    assert f"{s3.url}/checkpoint-10 is not there" in err
    assert not list((tmp_path / "logs").rglob("step-*"))


def test_a_kill_during_a_download_leaves_nothing_half_and_the_next_start_goes_on(
    s3, knowing, tmp_path
):
    for step in (10, 20):
        s3.model(f"checkpoint-{step}", LARGE)
    cache = tmp_path / "cache"
    with started(once(tmp_path, knowing, s3.url)) as process:
        end = time.monotonic() + 60
        while not list(cache.glob("*.half/*/model.safetensors")):
            assert time.monotonic() < end
            assert process.poll() is None
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert not knowing.asked
    assert not [place for place in cache.glob("*/checkpoint-10") if place.parent.suffix != ".half"]

    code, _, err = ran(once(tmp_path, knowing, s3.url))

    assert code == 0, err
    assert models(knowing) == ["checkpoint-10", "checkpoint-20"]
    assert len(knowing.asked) == 2 * len(QUESTIONS)
    assert not list(cache.glob("*.half"))
    assert [one.step for one in evaluator(tmp_path, knowing).history()] == [10, 20]


def test_a_cache_for_one_checkpoint_is_enough_for_all(s3, knowing, tmp_path):
    for step in (10, 20):
        s3.model(f"checkpoint-{step}", LARGE)

    code, _, err = ran(once(tmp_path, knowing, s3.url, "--cache-gib", "0.05"))

    assert code == 0, err
    assert models(knowing) == ["checkpoint-10", "checkpoint-20"]
    assert [place.name for place in (tmp_path / "cache").glob("*/checkpoint-*")] == [
        "checkpoint-20"
    ]


def test_a_look_at_a_store_that_is_away_is_infrastructure(s3, s3_server, knowing, tmp_path):
    s3.model("checkpoint-10")
    s3_server.stop()
    try:
        code, _, err = ran(once(tmp_path, knowing, s3.url))
    finally:
        s3_server.start()

    assert code == 4
    assert "s3://bucket" in err


def test_a_store_that_goes_away_is_told_once_and_loses_no_try(s3, s3_server, knowing, tmp_path):
    class Vanishing:
        """Lists, and then the store goes away: nothing can be downloaded."""

        def scan(self, done):
            return found

    s3.model("checkpoint-10")
    source = s3.source()
    found = source.scan()
    told = []
    watching = Watch(evaluator(tmp_path, knowing), Vanishing(), tell=told.append)
    s3_server.stop()
    try:
        assert [list(watching.look()) for _ in range(TRIES + 1)] == [[]] * (TRIES + 1)
    finally:
        s3_server.start()
    assert len(told) == 1
    assert watching.blind

    assert [(one.step, one.status) for one in watching.look()] == [(10, "ok")]
    assert not watching.blind


def test_a_late_older_step_of_a_bucket_is_evaluated(s3, knowing, tmp_path):
    s3.model("checkpoint-20")
    watching = Watch(evaluator(tmp_path, knowing), s3.source())
    assert [one.step for one in watching.look()] == [20]

    s3.model("checkpoint-10")

    assert [one.step for one in watching.look()] == [10]
    assert steps(s3.source(), {10, 20}) == []
