"""The faults that every watcher has had, each by its name, and what ours does instead."""

import shutil
from pathlib import Path

import pytest
from training_kit import QUESTIONS, spec

from evalsi.training import CheckpointEvaluator, Endpoint, ServingError
from evalsi.training.history import History
from evalsi.training.sources import Directory, SourceError
from evalsi.training.watching import TRIES, Watch

KNOWN = set(QUESTIONS)


class Named(Endpoint):
    """The server's model bears the checkpoint's folder name."""

    def serve(self, checkpoint, name):
        return Endpoint(self._base_url, Path(checkpoint).name).serve(checkpoint, name)


def checkpoint(place, step):
    folder = place / f"checkpoint-{step}"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"weights")


def watch(tmp_path, server, **options):
    evaluator = CheckpointEvaluator(
        spec(tmp_path / "spec.json"),
        training_run="run",
        serving=options.pop("serving", Named(server.base_url)),
        log_dir=tmp_path / "logs",
    )
    return Watch(evaluator, Directory(tmp_path / "out", settle=0), **options)


def looked(watching):
    return [(result.step, result.status) for result in watching.look()]


@pytest.fixture
def out(tmp_path, server):
    server.knows = {f"checkpoint-{step}": KNOWN for step in range(100)}
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def test_half_written(tmp_path, server, out):
    watching = watch(tmp_path, server)
    checkpoint(out, 1)
    (out / "checkpoint-1" / "model.safetensors").unlink()
    assert looked(watching) == []

    (out / "checkpoint-1" / "model.safetensors").write_bytes(b"weights")

    assert looked(watching) == [(1, "ok")]


def test_failed_is_not_done(tmp_path, server, out):
    checkpoint(out, 1)
    checkpoint(out, 2)
    server.down = KNOWN
    watching = watch(tmp_path, server)
    assert looked(watching) == [(1, "error"), (2, "error")]

    server.down = set()

    assert looked(watching) == [(1, "ok"), (2, "ok")]
    assert looked(watching) == []


def test_one_broken_checkpoint_does_not_stop_the_rest_and_is_not_tried_for_ever(
    tmp_path, server, out
):
    class Broken(Named):
        def serve(self, checkpoint, name):
            if checkpoint.endswith("checkpoint-1"):
                raise ServingError("its weights are NaN")
            return super().serve(checkpoint, name)

    checkpoint(out, 1)
    checkpoint(out, 2)
    watching = watch(tmp_path, server, serving=Broken(server.base_url))

    assert looked(watching) == [(1, "error"), (2, "ok")]
    assert [looked(watching) for _ in range(TRIES)] == [[(1, "error")]] * (TRIES - 1) + [[]]


def test_an_older_step_that_arrives_late(tmp_path, server, out):
    watching = watch(tmp_path, server)
    checkpoint(out, 20)
    assert looked(watching) == [(20, "ok")]

    checkpoint(out, 10)

    assert looked(watching) == [(10, "ok")]
    assert [one.step for one in watching.evaluator.history()] == [10, 20]


def test_a_jumped_interval_is_kept_under_its_own_step(tmp_path, server, out):
    watching = watch(tmp_path, server)
    for step in (24, 26):
        checkpoint(out, step)

    assert looked(watching) == [(24, "ok"), (26, "ok")]


def test_the_final_checkpoint_that_comes_during_an_evaluation_is_not_missed(tmp_path, server, out):
    checkpoint(out, 1)
    watching = watch(tmp_path, server)
    look = watching.look()
    assert next(look).step == 1

    checkpoint(out, 2)

    assert [result.step for result in look] == [2]


def test_deleted_while_queued_is_evaluated_all_the_same(tmp_path, server, out):
    checkpoint(out, 1)
    checkpoint(out, 2)
    watching = watch(tmp_path, server)
    look = watching.look()
    assert next(look).step == 1
    shutil.rmtree(out / "checkpoint-2")

    assert [(result.step, result.status) for result in look] == [(2, "ok")]


def test_a_source_that_disappears_is_told_once_and_watched_on(tmp_path, server, out):
    class Flaky:
        calls = 0

        def scan(self, done):
            self.calls += 1
            if self.calls < 3:
                raise SourceError("the mount is gone")
            return []

    told = []
    watching = watch(tmp_path, server, tell=told.append)
    watching.source = Flaky()

    assert [looked(watching) for _ in range(3)] == [[], [], []]
    assert told == ["the mount is gone"]


def test_a_strangers_source_that_breaks_is_told_and_watched_on(tmp_path, server, out):
    class Broken:
        def scan(self, done):
            raise KeyError("bucket")

    told = []
    watching = watch(tmp_path, server, tell=told.append)
    watching.source = Broken()

    assert (looked(watching), watching.blind) == ([], True)
    assert told == ["the source: KeyError: 'bucket'"]


def test_a_strangers_strategy_that_breaks_is_an_error_of_the_step(tmp_path, server, out):
    class Broken:
        def serve(self, checkpoint, name):
            raise KeyError("gpu")

    checkpoint(out, 1)
    watching = watch(tmp_path, server, serving=Broken())

    [result] = watching.look()

    assert (result.step, result.status) == (1, "error")
    assert result.error == "Broken failed: KeyError: 'gpu'"


def test_a_checkpoint_that_its_store_lost_is_waited_for_no_more(tmp_path, server, out):
    class Gone:
        def serve(self, checkpoint, name):
            raise SourceError("it is gone")

    checkpoint(out, 1)
    told = []
    watching = watch(tmp_path, server, serving=Gone(), tell=told.append)
    assert (looked(watching), watching.blind) == ([], True)
    shutil.rmtree(out)
    out.mkdir()

    assert (looked(watching), watching.blind) == ([], False)
    assert told == ["it is gone"]


def test_a_training_run_that_another_writes_is_told_once_and_tried_again(tmp_path, server, out):
    told = []
    watching = watch(tmp_path, server, tell=told.append)
    checkpoint(out, 1)

    with History(tmp_path / "logs", "run").writing():
        assert [looked(watching) for _ in range(TRIES + 1)] == [[]] * (TRIES + 1)
        assert watching.blind
    assert looked(watching) == [(1, "ok")]

    assert not watching.blind
    assert len(told) == 1
    assert "is being written by process" in told[0]


@pytest.mark.parametrize(
    ("body", "mini", "says"),
    [
        ({"evaluators": ["wrong"]}, "20", "another spec and other evaluators"),
        ({}, "40", "is no smaller than the spec's own 40"),
    ],
)
def test_what_is_not_this_runs_is_refused_before_there_is_a_checkpoint(
    command, tmp_path, body, mini, says
):
    command("eval", "base", "--step", "base")
    (tmp_path / "out").mkdir()

    found = command("watch", tmp_path / "out", "--once", "--mini", mini, body=body)

    assert found.exit_code == 2
    assert says in found.output


def test_the_best_that_a_kill_kept_from_being_chosen_is_chosen_by_who_comes_next(
    tmp_path, server, command, out
):
    checkpoint(out, 1)
    words = ["watch", out, "--settle", "0", "--once"]
    command(*words)
    (tmp_path / "logs" / "run" / "best.json").unlink()
    (tmp_path / "logs" / "run" / "best").unlink()

    assert "ok (best)" in command(*words).stdout
    assert (tmp_path / "logs" / "run" / "best" / "model.safetensors").exists()
